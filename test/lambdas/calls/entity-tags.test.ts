import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { protectiveHeaders } from '../../../contract/headers.ts'
import type { JobStatus } from '../../../core/job/job.ts'
import { tagBody } from '../../../lambdas/http/tag-answer.ts'
import { endedAt, storeJob, touchedAt } from '../../builders/new-job.ts'
import { storeKey } from '../../builders/new-key.ts'
import type { Answer } from '../../builders/proxy-event.ts'
import { newEntry } from '../../builders/sample-search.ts'
import { access, catalogue, jobs, openSearchApi } from '../search-api.ts'

async function openJob(status: JobStatus) {
  const { token, orgId } = await storeKey(access)
  const job = await storeJob(jobs, status, { orgId })
  const api = openSearchApi()
  api.clock.now = endedAt
  return { api, token, job, jobId: job.jobId }
}

const tagOf = ({ headers }: Answer) => String(headers['ETag'])

const minute = 60_000

describe('tags of answers', () => {
  it.each(['queued', 'completed', 'failed'] as const)(
    'give 304 without a body for an unchanged answer, with the headers that still apply: %s',
    async (status) => {
      const { api, token, jobId } = await openJob(status)
      for (const call of [api.getSearch, api.getManifest]) {
        const full = await call(jobId, { token })
        const { 'Content-Type': _, 'X-Request-Id': __, ...headers } = full.headers
        expect(headers).toMatchObject({ ...protectiveHeaders, ETag: expect.stringMatching(/^W\/"[\w-]{43}"$/) })
        const answer = await call(jobId, { token, headers: { 'If-None-Match': tagOf(full) } })
        expect([answer.status, answer.text]).toEqual([304, ''])
        expect(answer.headers).toEqual({ ...headers, 'X-Request-Id': answer.requestId })
      }
    },
  )

  it.each([
    ['a list', (tag: string) => `"another", ${tag} ,"third"`],
    ['the same tag as a strong one', (tag: string) => tag.replace('W/', '')],
    ['any tag', () => ' * '],
    ['several headers', (tag: string) => ['"another"', tag]],
  ])('give 304 for %s', async (_, write) => {
    const { api, token, jobId } = await openJob('completed')
    const tag = tagOf(await api.getSearch(jobId, { token }))
    expect((await api.getSearch(jobId, { token, headers: { 'if-none-match': write(tag) } })).status).toBe(304)
  })

  it.each([
    ['another tag', () => 'W/"another"'],
    ['a tag without quotation marks', (tag: string) => tag.replaceAll('"', '')],
    ['a part of the tag', (tag: string) => `${tag.slice(0, -2)}"`],
    ['nothing', () => ''],
  ])('give 200 for %s', async (_, write) => {
    const { api, token, jobId } = await openJob('completed')
    const tag = tagOf(await api.getSearch(jobId, { token }))
    expect((await api.getSearch(jobId, { token, headers: { 'If-None-Match': write(tag) } })).status).toBe(200)
  })

  it('change once the search has gone on', async () => {
    const { api, token, job, jobId } = await openJob('queued')
    const tag = tagOf(await api.getSearch(jobId, { token }))
    await jobs.begin(job, { contents: ['source-1'] }, touchedAt)
    const answer = await api.getSearch(jobId, { token, headers: { 'If-None-Match': tag } })
    expect([answer.status, answer.body]).toMatchObject([200, { status: 'processing' }])
  })

  it('answer HEAD as GET', async () => {
    const { api, token, jobId } = await openJob('failed')
    const { headers } = await api.getSearch(jobId, { token, method: 'HEAD' })
    const tag = String(headers['ETag'])
    expect(tag).toBe(tagOf(await api.getSearch(jobId, { token })))
    expect((await api.getSearch(jobId, { token, method: 'HEAD', headers: { 'If-None-Match': tag } })).status).toBe(304)
  })

  it('stay the same for a page of fee schedules until one of them changes', async () => {
    const { token } = await storeKey(access)
    const api = openSearchApi()
    const payer = `Payer of ${token.slice(-8)}`
    const list = (headers = {}) => api.listFeeSchedules({ token, query: { payer }, headers })
    const tag = tagOf(await list())
    expect((await list({ 'If-None-Match': tag })).status).toBe(304)
    await catalogue.replace(newEntry({ payer, plan: 'Gold' }), undefined)
    expect((await list({ 'If-None-Match': tag })).status).toBe(200)
  })

  it('leave refusals as they are', async () => {
    const { api, token } = await openJob('queued')
    for (const headers of [{}, { 'If-None-Match': '*' }]) {
      const { status, headers: answered } = await api.getSearch('b5cf1e5c-3c52-4b40-9d2f-0d4a4b9a8e11', {
        token,
        headers,
      })
      expect([status, answered['ETag']]).toEqual([404, undefined])
    }
  })

  it('leave lists of searches as they are', async () => {
    const { api, token } = await openJob('queued')
    const { status, headers } = await api.listSearches({ token, headers: { 'If-None-Match': '*' } })
    expect([status, headers['ETag']]).toEqual([200, undefined])
  })
})

describe('the tag of a body', () => {
  const writeBody = (seconds: number, facts: object = {}) =>
    JSON.stringify({
      status: 'completed',
      download_urls: [`https://storage.example/file?signed=${seconds}`],
      shards: [{ name: 'a.parquet', url: `https://storage.example/file?signed=${seconds}` }],
      expires_at: new Date(Date.UTC(2026, 10, 20) + seconds * 1000).toISOString(),
      ...facts,
    })

  it('differs if the URLs of one body live half an hour longer', () => {
    const day = fc.integer({ min: 0, max: 86_400 })
    fc.assert(
      fc.property(day, day, (one, other) => {
        const isSame = tagBody(writeBody(one)) === tagBody(writeBody(other))
        return !isSame || Math.abs(one - other) * 1000 < 30 * minute
      }),
    )
    expect(tagBody(writeBody(1801))).toBe(tagBody(writeBody(3599)))
  })

  it('differs with any other field', () => {
    const tag = tagBody(writeBody(1))
    expect(tagBody(writeBody(1, { truncated: true }))).not.toBe(tag)
    expect(tagBody(writeBody(1, { status: 'failed' }))).not.toBe(tag)
    expect(tagBody(writeBody(1, { shards: [{ name: 'b.parquet', url: 'https://storage.example/file' }] }))).not.toBe(
      tag,
    )
  })
})
