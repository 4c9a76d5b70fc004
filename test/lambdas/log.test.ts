import { describe, expect, it } from 'vitest'
import { handleHttp } from '../../lambdas/http/handle-http.ts'
import { storeKey } from '../builders/new-key.ts'
import { send } from '../builders/proxy-event.ts'
import { access, openSearchApi } from './search-api.ts'

describe('the log of a request', () => {
  it('never contains a path segment that is not a job id, such as an API key', async () => {
    const { token } = await storeKey(access)
    const api = openSearchApi()
    const { requestId } = await api.getSearch(token, { token })
    await api.cancelSearch(token, { token })
    await api.deleteSearch(token)
    await api.notFound({ path: `/v1/${token}` })
    expect(api.log[0]).toEqual({ event: 'answered', facts: { request_id: requestId, status: 404 } })
    expect(api.log.map(({ facts }) => Object.keys(facts))).toEqual(
      Array.from({ length: 4 }, () => ['request_id', 'status']),
    )
  })

  it('says of a thrown value that is no error only that, because it may be anything', async () => {
    const lines: unknown[] = []
    const handler = handleHttp(
      (event, facts) => void lines.push({ event, ...facts }),
      () => Promise.reject('a secret'),
    )
    const { status, requestId } = await send(handler, {})
    expect(status).toBe(500)
    expect(lines).toEqual([
      { event: 'request broke', request_id: requestId, error: 'not an error' },
      { event: 'answered', request_id: requestId, status: 500 },
    ])
  })
})
