import { describe, expect, it } from 'vitest'
import type { CatalogueEntryBody, FeeSchedulesBody } from '../../../contract/search-api.ts'
import { call, completeSearch, listFeeSchedules } from '../client.ts'
import { expectRefusal, faultPaths } from '../refusal.ts'
import { choice, dental, gold, silver } from '../samples.ts'

const newEntry = (
  one: { readonly payer: string; readonly plan: string },
  planId: string,
  last_updated_on: string,
  network: string,
): CatalogueEntryBody => ({
  ...one,
  plan_ids: [planId],
  plan_id_count: 1,
  last_updated_on,
  partial: false,
  plan_sponsor_names: [],
  plan_market_types: ['individual'],
  issuer_names: [one.payer],
  network_names: [network],
  product_types: [],
  changed_on: [expect.stringMatching(/^\d{4}-\d\d-\d\d$/)],
})

const published: readonly CatalogueEntryBody[] = [
  newEntry(silver, 'hios|0412345679', '2026-11-01', 'Harbor Local'),
  newEntry(gold, 'hios|0412345678', '2026-11-01', 'Harbor Preferred'),
  newEntry(choice, 'hios|7098765432', '2026-10-15', 'Ridge Network'),
  newEntry(dental, 'hios|7098765440', '2026-10-15', 'Ridge Smiles'),
]

/** Sorts entries, because the order of payers is up to the service. */
const inOrder = (entries: readonly CatalogueEntryBody[]) =>
  entries.toSorted((a, b) => `${a.payer}|${a.plan}`.localeCompare(`${b.payer}|${b.plan}`))

/** Reads all pages in turn. */
async function readPages(query: string): Promise<readonly FeeSchedulesBody[]> {
  const pages = [await listFeeSchedules(query)]
  for (let cursor = pages[0]?.next_cursor; cursor; cursor = pages.at(-1)?.next_cursor) {
    if (pages.length > 100) throw new Error('the pages do not end')
    pages.push(await listFeeSchedules(`${query}&cursor=${encodeURIComponent(cursor)}`))
  }
  return pages
}

describe('the list of fee schedules', () => {
  it('contains everything that can be searched, with plan ids and dates', async () => {
    const list = await listFeeSchedules()
    expect(inOrder(list.fee_schedules)).toEqual(inOrder(published))
    expect(list.next_cursor).toBeNull()
  })

  it('groups the plans of a payer, in order', async () => {
    const { fee_schedules } = await listFeeSchedules()
    const payers = fee_schedules.map(({ payer }) => payer)
    expect(payers.filter((payer, index) => payer !== payers[index - 1])).toHaveLength(new Set(payers).size)
    for (const name of new Set(payers)) {
      const plans = fee_schedules.filter(({ payer }) => payer === name).map(({ plan }) => plan)
      expect(plans).toEqual(plans.toSorted())
    }
  })

  it.each([1, 2, 3])('is the same when read %i at a time', async (limit) => {
    const [whole, pages] = await Promise.all([listFeeSchedules(), readPages(`?limit=${limit}`)])
    expect(pages.flatMap(({ fee_schedules }) => fee_schedules)).toEqual(whole.fee_schedules)
    for (const { fee_schedules } of pages) expect(fee_schedules.length).toBeLessThanOrEqual(limit)
  })

  it('filters by payer', async () => {
    const { fee_schedules } = await listFeeSchedules(`?payer=${encodeURIComponent(choice.payer)}`)
    expect(fee_schedules.map(({ plan }) => plan)).toEqual([choice.plan, dental.plan])
  })

  it('filters by payer across pages', async () => {
    const pages = await readPages(`?limit=1&payer=${encodeURIComponent(gold.payer)}`)
    expect(pages.flatMap(({ fee_schedules }) => fee_schedules.map(({ plan }) => plan))).toEqual([
      silver.plan,
      gold.plan,
    ])
  })

  it('ignores extra white space in the name of a payer', async () => {
    const { fee_schedules } = await listFeeSchedules(`?payer=${encodeURIComponent(' Summit  Ridge Insurance ')}`)
    expect(fee_schedules).toHaveLength(2)
  })

  it('is empty for an unknown payer', async () => {
    expect(await listFeeSchedules('?payer=Nobody')).toEqual({ fee_schedules: [], next_cursor: null })
  })

  it.each(['harbor ppo', 'HARBOR P', ' harbor  ppo g'])('completes the name of a plan in any case: %j', async (q) => {
    const { fee_schedules } = await listFeeSchedules(`?q=${encodeURIComponent(q)}`)
    expect(fee_schedules.map(({ plan }) => plan)).toEqual([gold.plan])
  })

  it.each([
    ['q=gold%20blue', [gold]],
    ['q=04-12345678', [gold]],
    ['plan_id=0412345678', [gold]],
    ['plan_id=hios%7C04123-45678', [gold]],
    ['plan_id=ein%7C0412345678', []],
    ['plan_id=0412345678&q=silver', []],
    ['market=individual&q=ridge%20dent', [dental]],
    ['market=group', []],
    ['sponsor=harbor', []],
  ])('finds plans with %s', async (query, expected) => {
    const { fee_schedules } = await listFeeSchedules(`?${query}`)
    expect(fee_schedules.map(({ payer, plan }) => ({ payer, plan }))).toEqual(expected)
  })

  it('completes the name of a payer, page by page', async () => {
    const pages = await readPages('?limit=1&q=blue')
    expect(pages.flatMap(({ fee_schedules }) => fee_schedules.map(({ plan }) => plan))).toEqual([
      silver.plan,
      gold.plan,
    ])
  })

  it('completes the plans of one payer only, by their own names', async () => {
    const payer = encodeURIComponent(gold.payer)
    expect((await listFeeSchedules(`?q=harbor&payer=${payer}`)).fee_schedules).toHaveLength(2)
    expect((await listFeeSchedules(`?q=blue&payer=${payer}`)).fee_schedules).toEqual([])
    expect((await listFeeSchedules('?q=nothing')).fee_schedules).toEqual([])
  })

  it('accepts limits up to 1000', async () => {
    expect((await listFeeSchedules('?limit=1000')).fee_schedules).toHaveLength(published.length)
  })

  it('is JSON that must not be cached, with a request id', async () => {
    const { status, headers } = await call('/v1/fee-schedules')
    expect(status).toBe(200)
    expect(headers.get('Content-Type')).toMatch(/^application\/json\b/)
    expect(headers.get('Cache-Control')).toBe('no-store')
    expect(headers.get('X-Request-Id')).toMatch(/\S/)
  })

  it('contains names that a search accepts unchanged', async () => {
    const { fee_schedules } = await listFeeSchedules()
    const pairs = fee_schedules.map(({ payer, plan }) => ({ payer, plan }))
    const search = await completeSearch({ billing_codes: ['99213'], fee_schedules: pairs })
    expect(search.download_urls.length).toBeGreaterThan(0)
  })
})

describe('an invalid query parameter of the list is refused with 400:', () => {
  it.each([
    ['limit=0', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=1001', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=1e2', 'limit'],
    ['limit=ten', 'limit'],
    ['limit=', 'limit'],
    ['limit=%201', 'limit'],
    ['cursor=', 'cursor'],
    ['cursor=garbage', 'cursor'],
    ['cursor=..', 'cursor'],
    ['cursor=%F0%9F%92%89', 'cursor'],
    [`cursor=${'x'.repeat(2000)}`, 'cursor'],
    ['payer=', 'payer'],
    ['payer=%20', 'payer'],
    ['payer=a%0Ab', 'payer'],
    [`payer=${'x'.repeat(201)}`, 'payer'],
    ['q=', 'q'],
    ['q=%20', 'q'],
    ['q=a%0Ab', 'q'],
    ['q=%2B', 'q'],
    ['sponsor=', 'sponsor'],
    ['plan_id=', 'plan_id'],
    ['plan_id=Gold%20(PPO)', 'plan_id'],
    ['market=Group', 'market'],
    ['market=small', 'market'],
    ['page=2', 'page'],
    ['Limit=1', 'Limit'],
    ['plan=x', 'plan'],
  ])('%s', async (query, path) => {
    const refused = expectRefusal(await call(`/v1/fee-schedules?${query}`), [400, 'invalid_request'])
    expect(faultPaths(refused)).toEqual([path])
  })

  it('several at once, naming all of them', async () => {
    const answer = await call('/v1/fee-schedules?limit=0&cursor=x&payer=&page=2')
    const refused = expectRefusal(answer, [400, 'invalid_request'])
    expect(faultPaths(refused)).toEqual(['cursor', 'limit', 'page', 'payer'])
  })

  it('the cursor of another list', async () => {
    const { next_cursor } = await listFeeSchedules('?limit=1')
    const query = `?limit=1&cursor=${encodeURIComponent(next_cursor ?? '')}`
    expect((await call(`/v1/fee-schedules${query}`)).status).toBe(200)
    const other = await call(`/v1/fee-schedules${query}&payer=${encodeURIComponent(gold.payer)}`)
    expect(faultPaths(expectRefusal(other, [400, 'invalid_request']))).toEqual(['cursor'])
  })

  it('a cursor with an extra character', async () => {
    const { next_cursor } = await listFeeSchedules('?limit=1')
    const changed = `${next_cursor}x`
    const answer = await call(`/v1/fee-schedules?limit=1&cursor=${encodeURIComponent(changed)}`)
    expect(faultPaths(expectRefusal(answer, [400, 'invalid_request']))).toEqual(['cursor'])
  })
})
