import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { toolArguments } from '../../../contract/schemas/tools.ts'
import { json, openTools } from './open-tools.ts'

const listing = v.object({ result: v.object({ tools: v.array(v.object({ name: v.string() })) }) })

const error = { error: { type: 'internal_error', message: 'Internal error.', request_id: 'r' } }

describe('the list of tools', () => {
  it('contains all tools and calls nothing, whatever is loaded', async () => {
    const { send, requests } = openTools(json(error, 500))
    const { tools } = v.parse(listing, JSON.parse(await send('tools/list', {}))).result
    expect(tools.map(({ name }) => name).sort()).toEqual(Object.keys(toolArguments).sort())
    expect(requests).toEqual([])
  })

  it('contains find_providers before NPPES is loaded, which a call of it then names', async () => {
    const message = 'zip: cannot be looked up before NPPES is loaded.'
    const refusal = { error: { type: 'invalid_request', message, request_id: 'r', details: [] } }
    const { send, requests } = openTools(json(refusal, 400))
    const answer = await send('tools/call', { name: 'find_providers', arguments: { zip: '97205' } })
    expect(answer).toContain(message)
    expect(requests).toEqual(['/prod/v1/providers?zip=97205&limit=20'])
  })
})
