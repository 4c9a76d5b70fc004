import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { FeeSchedulesBody, SearchesBody } from '../../../contract/search-api.ts'
import { writeCursor } from '../../../core/paging/cursor.ts'
import { newJob, request } from '../../builders/new-job.ts'
import { storeKey } from '../../builders/new-key.ts'
import { newEntry } from '../../builders/sample-search.ts'
import { access, catalogue, jobs, openSearchApi, refusal } from '../search-api.ts'

/** Stores plans of a payer that no other test uses. */
async function storePayer(plans: readonly string[]): Promise<string> {
  const payer = `Payer ${randomUUID()}`
  for (const plan of plans) await catalogue.replace(newEntry({ payer, plan }), undefined)
  return payer
}

/** An organization with three queued jobs, and its key. */
async function openOrganization() {
  const { orgId, token } = await storeKey(access)
  const expiresAt = new Date(Date.now() + 86_400_000)
  const stored = [3, 2, 1].map((seconds) => newJob({ orgId, createdAt: new Date(Date.now() - seconds * 1000) }))
  for (const job of stored) await jobs.create(job, request, expiresAt)
  return { token, newestFirst: stored.map(({ jobId }) => jobId).reverse() }
}

describe('listing searches', () => {
  it('answers the searches of the organization page by page, by the parameters of the query', async () => {
    const { token, newestFirst } = await openOrganization()
    const api = openSearchApi()
    const first = await api.listSearches({ token, query: { limit: '2' } })
    expect([first.status, first.headers]).toMatchObject([200, { 'Cache-Control': 'no-store' }])
    const page: SearchesBody = JSON.parse(first.text)
    const second = await api.listSearches({ token, query: { limit: '2', cursor: page.next_cursor ?? '' } })
    const last: SearchesBody = JSON.parse(second.text)
    expect([...page.searches, ...last.searches].map(({ job_id }) => job_id)).toEqual(newestFirst)
    expect(last.next_cursor).toBeNull()
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
})

describe('listing fee schedules', () => {
  it('answers them by the parameters of the query', async () => {
    const payer = await storePayer(['Bronze', 'Gold', 'Silver'])
    const { token } = await storeKey(access)
    const api = openSearchApi()
    const first = await api.listFeeSchedules({ token, query: { payer, limit: '2' } })
    expect([first.status, first.headers]).toMatchObject([200, { 'Cache-Control': 'no-store' }])
    const page: FeeSchedulesBody = JSON.parse(first.text)
    const second = await api.listFeeSchedules({ token, query: { payer, limit: '2', cursor: page.next_cursor ?? '' } })
    const last: FeeSchedulesBody = JSON.parse(second.text)
    expect([...page.fee_schedules, ...last.fee_schedules].map(({ plan }) => plan)).toEqual(['Bronze', 'Gold', 'Silver'])
    expect((await api.listFeeSchedules({ token })).status).toBe(200)
  })

  it('answers 400 with every fault of the query', async () => {
    const { token } = await storeKey(access)
    const query = { payer: '', limit: '1001', cursor: 'nonsense', page: '2' }
    const answer = await openSearchApi().listFeeSchedules({ token, query })
    expect([answer.status, answer.body]).toEqual([400, refusal('invalid_request', answer.requestId)])
    const details = ['page', 'payer', 'limit', 'cursor'].map((path) => expect.objectContaining({ path }))
    expect(answer.body).toMatchObject({ error: { details } })
  })

  // The rule is the core's; that DynamoDB takes every position which the rule admits shows only here.
  it('refuses every handmade cursor that is not in the list, and fails at none', async () => {
    const payer = await storePayer(['Gold', 'Gold (EIN 1)', 'Silver'])
    const { token } = await storeKey(access)
    const api = openSearchApi()
    const q = payer.slice(0, -3).toLowerCase()
    const queries = [{ q }, { q: 'gold' }, { payer, q: 'go' }, { payer }, { plan_id: '0123' }, {}]
    const places = [payer, 'Zenith', 'A'].flatMap((of) =>
      ['Gold', 'Silver', 'Aardvark'].flatMap((plan) =>
        ['', `${plan} (EIN 1)`, 'Other (EIN 1)'].map((variant) => [of, plan, variant]),
      ),
    )
    for (const query of queries) {
      const scope = ['fee-schedules', query.payer ?? null, query.q ?? null, null, query.plan_id ?? null, null]
      for (const place of places) {
        const cursor = writeCursor(scope, place)
        const { status } = await api.listFeeSchedules({ token, query: { ...query, cursor } })
        const [of, plan = '', variant = ''] = place
        const isListed = query.payer === undefined || of === payer
        const isVariant = variant === '' || variant.startsWith(`${plan} (`)
        expect([query, place, status]).toEqual([query, place, isListed && isVariant ? 200 : 400])
      }
    }
  })
})
