import { describe, expect, it } from 'vitest'
import { storeKey } from '../builders/new-key.ts'
import { access, openSearchApi } from './search-api.ts'

describe('a request that repeats a single value', () => {
  it.each([
    ['Authorization', { headers: { authorization: ['Bearer a', 'Bearer b'] } }],
    ['Idempotency-Key', { headers: { 'idempotency-key': ['a', 'a'] } }],
    ['limit', { query: { limit: ['1', '2'] } }],
    ['cursor', { query: { cursor: ['a', 'b'] } }],
  ])('fails with one sentence about its %s', async (path, request) => {
    const { token } = await storeKey(access)
    const answer = await openSearchApi().listSearches({ ...(path !== 'Authorization' && { token }), ...request })
    const details = [{ path, message: 'was sent 2 times: send it once' }]
    expect([answer.status, answer.body]).toMatchObject([400, { error: { type: 'invalid_request', details } }])
  })

  it('succeeds if it repeats any other header', async () => {
    const { token } = await storeKey(access)
    const answer = await openSearchApi().listSearches({ token, headers: { Accept: ['application/json', '*/*'] } })
    expect(answer.status).toBe(200)
  })
})
