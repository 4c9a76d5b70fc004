import { beforeAll, describe, expect, it } from 'vitest'
import { type BareAnswer, sendBare } from '../bare-request.ts'
import { awaitEnd, completeSearch, createSearch, failSearch, otherKey, ownKey, readSearch, service } from '../client.ts'
import { eachRoute } from '../each-route.ts'
import { smallSearch } from '../samples.ts'

const unknownId = '7f8f9b1e-3c5a-4d0e-9b1a-2f6c8d7e5a41'

/** Headers that differ between requests and say nothing about the job. */
const ofTheRequest = /^(date|x-request-id|x-amzn-requestid|x-amz-apigw-id|x-amzn-trace-id|x-amz-cf-\w+|via|x-cache):/i

/** The complete answer as text, including headers, without what differs between requests. */
function withoutRequest({ status, headers, lines, body }: BareAnswer): string {
  const text = body.toString('latin1').replaceAll(headers['x-request-id'] ?? '', '<request id>')
  return [status, ...lines.filter((line) => !ofTheRequest.test(line)), '', text].join('\n')
}

async function read(path: string, key: string = otherKey, method = 'GET'): Promise<string> {
  const answer = await sendBare(service.baseUrl + path, { method, headers: { Authorization: `Bearer ${key}` } })
  return withoutRequest(answer)
}

let nothing: string
beforeAll(async () => {
  nothing = await read(`/v1/searches/${unknownId}`)
})

describe("another organization's job", () => {
  it.each(eachRoute.filter(([name]) => name.includes('{job_id}')))(
    'looks to %s like an unknown or malformed id, and does not change',
    async (_, { method, path }) => {
      const { job_id } = await createSearch(smallSearch)
      for (const id of [job_id, unknownId, 'not-a-uuid', unknownId.toUpperCase(), '%00'])
        expect(await read(path.replace('{job_id}', id), otherKey, method)).toBe(nothing)
      expect((await awaitEnd(job_id)).status).toBe('completed')
    },
  )

  it.each([
    ['has just been created', () => createSearch(smallSearch)],
    ['has completed', () => completeSearch(smallSearch)],
    ['has failed', () => failSearch({ npis: [0], fee_schedules: [{ payer: 'Nobody', plan: 'None' }] })],
  ])('gets the same bytes as a job that does not exist if it %s', async (_, run) => {
    const { job_id } = await run()
    expect(await read(`/v1/searches/${job_id}`)).toBe(nothing)
    expect(await read(`/v1/searches/${job_id}`, ownKey)).not.toBe(nothing)
  })

  it('stays hidden from either organization', async () => {
    const { job_id } = await createSearch(smallSearch, otherKey)
    expect(await read(`/v1/searches/${job_id}`, ownKey)).toBe(nothing)
    expect(await readSearch(job_id, otherKey)).toMatchObject({ job_id })
  })

  it('remains readable by its owner after others asked for it', async () => {
    const { job_id } = await createSearch(smallSearch)
    await Promise.all(Array.from({ length: 10 }, () => read(`/v1/searches/${job_id}`)))
    expect(await readSearch(job_id)).toMatchObject({ job_id })
  })
})

describe('a malformed id', () => {
  it.each([
    '0',
    `%7B${unknownId}%7D`,
    `${unknownId}%20`,
    `${unknownId}%00`,
    '%27%20OR%201%3D1%20--',
    '%F0%9F%92%89',
    '%2e%2e%2f%2e%2e',
    'x'.repeat(1000),
    '*',
    '__proto__',
  ])('gets the same bytes as a job that does not exist: %s', async (id) => {
    expect(await read(`/v1/searches/${id}`)).toBe(nothing)
  })

  it('gets the same bytes as a path that does not exist', async () => {
    expect(await read('/v1/nowhere')).toBe(nothing)
  })
})

describe("an organization's files", () => {
  it("share no part of their URLs' paths with the files of another", async () => {
    const [ownSearch, otherSearch] = await Promise.all([
      completeSearch(smallSearch),
      completeSearch(smallSearch, otherKey),
    ])
    const paths = [...ownSearch.download_urls, ...otherSearch.download_urls].map((url) => new URL(url).pathname)
    expect(new Set(paths).size).toBe(paths.length)
    expect(ownSearch.job_id).not.toBe(otherSearch.job_id)
  })
})
