import { describe, expect, it } from 'vitest'
import type { SearchesBody } from '../../../contract/search-api.ts'
import { newJob, request } from '../../builders/new-job.ts'
import { newKey, storeKey } from '../../builders/new-key.ts'
import { access, jobs, openSearchApi, refusal } from '../search-api.ts'

/** An organization with three queued jobs, and its key. */
async function openOrganization() {
  const { orgId, token } = await storeKey(access)
  const expiresAt = new Date(Date.now() + 86_400_000)
  const stored = [3, 2, 1].map((seconds) => newJob({ orgId, createdAt: new Date(Date.now() - seconds * 1000) }))
  for (const job of stored) await jobs.create(job, request, expiresAt)
  return { orgId, token, newestFirst: stored.map(({ jobId }) => jobId).reverse() }
}

const bodyOf = ({ text }: { readonly text: string }): SearchesBody => JSON.parse(text)
const idsOf = (answer: { readonly text: string }) => bodyOf(answer).searches.map(({ job_id }) => job_id)

describe('listing searches', () => {
  it('answers the searches of the organization page by page, the newest first', async () => {
    const { token, newestFirst } = await openOrganization()
    const api = openSearchApi()
    const first = await api.listSearches({ token, query: { limit: '2' } })
    expect(first.status).toBe(200)
    expect(first.headers).toMatchObject({ 'Cache-Control': 'no-store', 'X-Request-Id': first.requestId })
    const second = await api.listSearches({ token, query: { limit: '2', cursor: bodyOf(first).next_cursor ?? '' } })
    expect([...idsOf(first), ...idsOf(second)]).toEqual(newestFirst)
    expect(bodyOf(second).next_cursor).toBeNull()
  })

  it('answers HEAD with the same headers and no body, also if it is refused', async () => {
    const { token } = await openOrganization()
    const api = openSearchApi()
    const head = await api.listSearches({ token, method: 'HEAD' })
    const get = await api.listSearches({ token })
    expect([head.status, head.text, Object.keys(head.headers)]).toEqual([200, '', Object.keys(get.headers)])
    const refused = await api.listSearches({ method: 'HEAD' })
    expect([refused.status, refused.text]).toEqual([401, ''])
    expect(refused.headers).toMatchObject({ 'WWW-Authenticate': 'Bearer' })
  })

  it("refuses another organization's cursor with 400", async () => {
    const [own, other] = [await openOrganization(), await openOrganization()]
    const api = openSearchApi()
    const cursor = bodyOf(await api.listSearches({ token: own.token, query: { limit: '1' } })).next_cursor ?? ''
    expect((await api.listSearches({ token: own.token, query: { cursor } })).status).toBe(200)
    const answer = await api.listSearches({ token: other.token, query: { cursor } })
    expect([answer.status, answer.body]).toEqual([400, refusal('invalid_request', answer.requestId)])
  })

  it('answers 401 before 400', async () => {
    const { orgId } = await openOrganization()
    const answer = await openSearchApi().listSearches({ token: newKey(orgId).token, query: { limit: 'x' } })
    expect([answer.status, answer.body]).toEqual([401, refusal('unauthorized', answer.requestId)])
  })

  it('answers 500 with a fixed sentence if the index cannot be read', async () => {
    const { token } = await openOrganization()
    const answer = await openSearchApi({ jobsTable: 'no-such-table' }).listSearches({ token })
    expect([answer.status, answer.body]).toEqual([500, refusal('internal_error', answer.requestId)])
  })
})
