import { describe, expect, it } from 'vitest'
import type { CatalogueEntryBody, FeeSchedulesBody } from '../../../contract/search-api.ts'
import { call, completeSearch, listFeeSchedules } from '../client.ts'
import { expectRefusal, faultPaths } from '../refusal.ts'
import { choice, choicePlus, dental, gold, openAccess, silver } from '../samples.ts'

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

/** A plan of the employer, whose two plans share its EIN; it was loaded in October, and again. */
const newEmployerEntry = (one: { readonly payer: string; readonly plan: string }, network: string) => ({
  ...newEntry(one, 'ein|001234567', '2026-11-01', network),
  plan_sponsor_names: ['Harbor Foods Cooperative'],
  plan_market_types: ['group'],
  changed_on: ['2026-10-05', expect.stringMatching(/^\d{4}-\d\d-\d\d$/)],
})

const published: readonly CatalogueEntryBody[] = [
  newEmployerEntry(choicePlus, 'Harbor Choice'),
  newEmployerEntry(openAccess, 'Ridge Open'),
  newEntry(silver, 'hios|0412345679', '2026-11-01', 'Harbor Local'),
  {
    ...newEntry(gold, 'hios|0412345678', '2026-11-01', 'Harbor Preferred'),
    changed_on: ['2026-10-05', expect.stringMatching(/^\d{4}-\d\d-\d\d$/)],
  },
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

  it.each([1, 2, 3])('lists the same in pages of %i', async (limit) => {
    const [list, pages] = await Promise.all([listFeeSchedules(), readPages(`?limit=${limit}`)])
    expect(pages.flatMap(({ fee_schedules }) => fee_schedules)).toEqual(list.fee_schedules)
    for (const { fee_schedules } of pages) expect(fee_schedules.length).toBeLessThanOrEqual(limit)
  })

  it('filters by payer', async () => {
    const { fee_schedules } = await listFeeSchedules(`?payer=${encodeURIComponent(choice.payer)}`)
    expect(fee_schedules.map(({ plan }) => plan)).toEqual([choice.plan, openAccess.plan, dental.plan])
  })

  it.each([
    ['q=%20GOLD%20%20blue', [gold]],
    ['q=04-12345678', [gold]],
    ['plan_id=0412345678', [gold]],
    ['plan_id=hios%7C04123-45678', [gold]],
    ['plan_id=ein%7C0412345678', []],
    ['plan_id=0412345678&q=silver', []],
    ['market=individual&q=ridge%20dent', [dental]],
    ['market=group', [choicePlus, openAccess]],
    ['plan_id=00-1234567', [choicePlus, openAccess]],
    ['sponsor=food%20harb', [choicePlus, openAccess]],
    ['sponsor=harbor&market=individual', []],
    ['q=cooperative%20open', [openAccess]],
  ])('finds plans with %s', async (query, expected) => {
    const { fee_schedules } = await listFeeSchedules(`?${query}`)
    expect(fee_schedules.map(({ payer, plan }) => ({ payer, plan }))).toEqual(expected)
  })

  it('contains names that a search accepts unchanged', async () => {
    const { fee_schedules } = await listFeeSchedules()
    const pairs = fee_schedules.map(({ payer, plan }) => ({ payer, plan }))
    const search = await completeSearch({ billing_codes: ['99213'], fee_schedules: pairs })
    expect(search.download_urls.length).toBeGreaterThan(0)
  })
})

describe('an invalid query parameter of the list of fee schedules', () => {
  it.each([
    ['limit=%201', 'limit'],
    ['cursor=%F0%9F%92%89', 'cursor'],
    ['payer=a%07b', 'payer'],
    ['q=%2B', 'q'],
    ['sponsor=', 'sponsor'],
    ['plan_id=Gold%20(PPO)', 'plan_id'],
    ['market=small', 'market'],
    ['Limit=1', 'Limit'],
    ['limit=0&cursor=x&payer=', 'cursor', 'limit', 'payer'],
    ['limit=0&page=2&plan=x', 'page', 'plan'],
  ])('gets 400 with every fault: %s', async (query, ...paths) => {
    const refused = expectRefusal(await call(`/v1/fee-schedules?${query}`), [400, 'invalid_request'])
    expect(faultPaths(refused)).toEqual(paths)
  })
})
