import { describe, expect, it } from 'vitest'
import { call, completeSearch, createSearch, otherKey, ownKey } from '../client.ts'
import { smallSearch } from '../samples.ts'

/** Headers of one answer only, and those of the body's transport. */
const ofTheAnswer =
  /^(date|x-request-id|x-amzn-requestid|x-amz-apigw-id|x-amzn-trace-id|x-amz-cf-\w+|via|connection|keep-alive|content-length|transfer-encoding)$/

const describeHeaders = (headers: Headers) => [...headers].filter(([name]) => !ofTheAnswer.test(name))

/** Status and headers of GET and HEAD for one path, with the same key. */
async function compare(path: string, key: string | null = ownKey) {
  const [got, headed] = [await call(path, { key }), await call(path, { key, method: 'HEAD' })]
  expect(headed.text).toBe('')
  expect([headed.status, describeHeaders(headed.headers)]).toEqual([got.status, describeHeaders(got.headers)])
  return headed
}

describe('HEAD', () => {
  it('answers like GET without a body for a completed search', async () => {
    const { job_id } = await completeSearch(smallSearch)
    expect((await compare(`/v1/searches/${job_id}`)).status).toBe(200)
  })

  it('answers like GET without a body for the list of searches', async () => {
    await createSearch(smallSearch)
    expect((await compare('/v1/searches')).status).toBe(200)
    expect((await compare('/v1/searches?limit=0')).status).toBe(400)
  })

  it.each(['/v1/searches', '/v1/searches/7f8f9b1e-3c5a-4d0e-9b1a-2f6c8d7e5a41'])(
    'is refused like GET without a key: %s',
    async (path) => {
      expect((await compare(path, null)).status).toBe(401)
      expect((await compare(path, 'wrong')).status).toBe(401)
    },
  )

  it("finds another organization's search as little as GET does", async () => {
    const { job_id } = await createSearch(smallSearch)
    expect((await compare(`/v1/searches/${job_id}`, otherKey)).status).toBe(404)
  })

  it('is answered with 405 by paths that do not have it', async () => {
    const { status, headers, text } = await call('/v1/fee-schedules', { method: 'HEAD' })
    expect([status, headers.get('Allow'), text]).toEqual([405, 'GET', ''])
  })
})
