import { describe, expect, it } from 'vitest'
import { methodsOf } from '../../contract/routes.ts'
import { openSearchApi, refusal } from './search-api.ts'

describe('a request that no function serves', () => {
  it('gets a 404 with the body of an error', async () => {
    const answer = await openSearchApi().notFound({ path: '/v1/searches/a/b' })
    expect([answer.status, answer.body]).toEqual([404, refusal('not_found', answer.requestId)])
    expect(answer.headers).toMatchObject({ 'X-Request-Id': answer.requestId, 'Cache-Control': 'no-store' })
  })

  it('gets a 404 if its path has a trailing slash too many, even though the path without it has the method', async () => {
    const request = { method: 'GET', path: '/v1/searches/', resource: '/v1/searches' }
    expect(await openSearchApi().notFound(request)).toMatchObject({ status: 404 })
  })

  it('gets a 405 with the allowed methods, even under the base path of a custom domain', async () => {
    const request = { method: 'DELETE', path: '/rates/v1/searches', resource: '/v1/searches' }
    const answer = await openSearchApi().notFound(request)
    expect([answer.status, answer.body]).toEqual([405, refusal('method_not_allowed', answer.requestId)])
    expect(answer.headers).toMatchObject({ Allow: methodsOf('/v1/searches').join(', ') })
  })
})
