import { describe, expect, it } from 'vitest'
import type { SearchBody } from '../../../contract/search-api.ts'
import { call, createSearch } from '../client.ts'
import { expectRefusal, faultPaths } from '../refusal.ts'
import { smallSearch } from '../samples.ts'

describe('a call with wait', () => {
  it('answers within its time, with the search as it is, until it has ended', async () => {
    const { job_id } = await createSearch(smallSearch)
    let search: SearchBody
    do {
      const startedAt = Date.now()
      search = JSON.parse((await call(`/v1/searches/${job_id}?wait=20`)).text)
      expect(Date.now() - startedAt).toBeLessThan(29_000)
    } while (search.status === 'queued' || search.status === 'processing')
    expect(search.status).toBe('completed')
  })

  it('gets refused if it asks for more than 20 seconds', async () => {
    const { job_id } = await createSearch(smallSearch)
    for (const wait of ['21', '1.5', 'soon']) {
      const answer = await call(`/v1/searches/${job_id}?wait=${wait}`)
      expect(faultPaths(expectRefusal(answer, [400, 'invalid_request']))).toEqual(['wait'])
    }
  })
})
