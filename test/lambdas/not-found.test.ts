import { describe, expect, it } from 'vitest'
import { methodsOf } from '../../contract/routes.ts'
import { openSearchApi, refusal } from './search-api.ts'

describe('a request that no function serves', () => {
  it.each(['/app', '/v1', '/v1/searches/', '/v2/searches', '/v1/searches/a/b', '//', '/v1/%zz'])(
    'is a 404 in the envelope: %s',
    async (path) => {
      const answer = await openSearchApi().notFound({ path })
      expect([answer.status, answer.body]).toEqual([404, refusal('not_found', answer.requestId)])
      expect(answer.headers).toMatchObject({ 'X-Request-Id': answer.requestId, 'Cache-Control': 'no-store' })
    },
  )

  it('is a 405 also under the base path of a custom domain', async () => {
    const request = { method: 'DELETE', path: '/rates/v1/searches', resource: '/v1/searches' }
    const answer = await openSearchApi().notFound(request)
    expect([answer.status, answer.headers['Allow']]).toEqual([405, methodsOf('/v1/searches').join(', ')])
  })

  it.each([
    ['DELETE', '/v1/searches', 'POST'],
    ['PUT', '/v1/searches/some-job', 'GET'],
    ['POST', '/v1/fee-schedules', 'GET'],
  ])('is a 405 for %s %s with the allowed methods', async (method, path, allowed) => {
    const answer = await openSearchApi().notFound({ method, path })
    expect([answer.status, answer.body]).toEqual([405, refusal('method_not_allowed', answer.requestId)])
    expect(String(answer.headers['Allow']).split(', ')).toContain(allowed)
  })
})
