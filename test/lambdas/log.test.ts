import { describe, expect, it } from 'vitest'
import { storeKey } from '../builders/new-key.ts'
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
})
