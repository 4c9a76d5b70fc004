import { describe, expect, it } from 'vitest'
import { call, completeSearch, createSearch } from '../client.ts'
import { smallSearch } from '../samples.ts'

/** Headers of one answer only, and those of the body's transport. */
const ofTheAnswer =
  /^(date|x-request-id|x-amzn-requestid|x-amz-apigw-id|x-amzn-trace-id|x-amz-cf-\w+|via|connection|keep-alive|content-length|transfer-encoding)$/

const describeHeaders = (headers: Headers) => [...headers].filter(([name]) => !ofTheAnswer.test(name))

/** Status and headers of GET and HEAD for one path. */
async function compare(path: string) {
  const [got, headed] = [await call(path), await call(path, { method: 'HEAD' })]
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

  it('gets 405 from paths that do not have it', async () => {
    const { status, headers, text } = await call('/v1/fee-schedules', { method: 'HEAD' })
    expect([status, headers.get('Allow'), text]).toEqual([405, 'GET', ''])
  })
})
