import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { answerMessage } from '../../../client/assistants/serve-http.ts'
import { tools } from '../../../client/assistants/tools.ts'
import { SearchCalls } from '../../../client/search-calls.ts'

const listing = v.object({ result: v.object({ tools: v.array(v.object({ name: v.string() })) }) })

/** Opens the tools over a service that gives one answer to every call. */
function openTools(answer: () => Response) {
  const requests: string[] = []
  const calls = new SearchCalls({
    url: 'https://rates.example/prod',
    key: 'rates_key',
    retries: 0,
    fetch: async (url) => {
      requests.push(new URL(String(url)).pathname + new URL(String(url)).search)
      return answer()
    },
  })
  const session = { calls, maxBytes: 1, now: () => new Date(0), report: () => {} }
  const send = async (method: string, params: object) => {
    const headers = new Map([
      ['accept', 'application/json, text/event-stream'],
      ['content-type', 'application/json'],
    ])
    const message = { jsonrpc: '2.0', id: 1, method, params }
    const { body } = await answerMessage(session, { message, readHeader: (name) => headers.get(name) })
    // An event of a stream, as the older protocol has it.
    return body.replace(/^event: message\ndata: /, '')
  }
  const list = async () =>
    v.parse(listing, JSON.parse(await send('tools/list', {}))).result.tools.map(({ name }) => name)
  return { send, list, requests }
}

const json =
  (body: object, status = 200) =>
  () =>
    new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json' } })
const page = (lists: readonly string[]) => json({ fee_schedules: [], provider_lists: lists, next_cursor: null })
const toolNames = tools.map(({ name }) => name)

describe('the list of tools', () => {
  it('contains find_providers only if NPPES is loaded, which one call says', async () => {
    const loaded = openTools(page(['states', 'zips', 'taxonomies']))
    expect(await loaded.list()).toEqual(toolNames)
    expect(loaded.requests).toEqual(['/prod/v1/fee-schedules?limit=1'])
    expect(await openTools(page([])).list()).toEqual(toolNames.filter((name) => name !== 'find_providers'))
  })

  it('contains all tools if the service does not answer', async () => {
    const error = { error: { type: 'internal_error', message: 'Internal error.', request_id: 'r' } }
    expect(await openTools(json(error, 500)).list()).toEqual(toolNames)
  })

  it('costs nothing when a tool is called, which then says what is missing', async () => {
    const message = 'zip: cannot be looked up before NPPES is loaded.'
    const refusal = { error: { type: 'invalid_request', message, request_id: 'r', details: [] } }
    const { send, requests } = openTools(json(refusal, 400))
    const answer = await send('tools/call', { name: 'find_providers', arguments: { zip: '97205' } })
    expect(answer).toContain(message)
    expect(requests).toEqual(['/prod/v1/providers?zip=97205&limit=20'])
  })
})
