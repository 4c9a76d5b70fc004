import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { operations, queryParameters } from '../../contract/routes.ts'
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

describe('a parameter that a call does not have', () => {
  const names = [...new Set(Object.values(queryParameters).flat()), 'x', '__proto__', 'limt']

  it.each(operations)('gets refused by name, after the key: %s', async (operation) => {
    const { token } = await storeKey(access)
    const api = openSearchApi()
    for (const name of names.filter((each) => !queryParameters[operation].includes(each))) {
      const request = { query: Object.fromEntries([[name, '1']]) }
      const answer = await api.callRoute(operation, randomUUID(), { ...request, token })
      expect([answer.status, answer.body]).toMatchObject([
        400,
        { error: { type: 'invalid_request', details: [{ path: name }] } },
      ])
      expect((await api.callRoute(operation, randomUUID(), request)).status).toBe(401)
    }
  })

  it.each([
    ['create-search', { wait: '20' }, 'GET /v1/searches/{job_id}?wait=20 waits for the end of a search'],
    ['get-manifest', { x: '1' }, 'it has none'],
    ['list-searches', { limt: '1' }, 'did you mean `limit`?'],
  ] as const)('names what was meant: %s with %j', async (operation, query, advice) => {
    const { token } = await storeKey(access)
    const answer = await openSearchApi().callRoute(operation, randomUUID(), { query, token })
    expect(answer.text).toContain(advice)
  })
})
