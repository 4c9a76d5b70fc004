import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SummaryRequest } from '../../../contract/summaries.ts'
import { getRows } from '../../../core/calls/get-rows.ts'
import type { ResultRow } from '../../../core/calls/ports.ts'
import { Conflict } from '../../../core/errors.ts'
import { attemptPrefix } from '../../../core/job/attempt.ts'
import type { CompletedJob } from '../../../core/job/job.ts'
import { complete, fail, openSearch, storeProcessing } from '../../builders/open-search.ts'
import { letIn, ownKey } from '../../builders/own-job.ts'
import { openReads, wideLimits } from '../../doubles/memory-usages.ts'
import { readFaults } from './lists/read-faults.ts'

const weight: SummaryRequest = { weight: 'tins', by: [] }

const noFacts: Partial<CompletedJob> = {}

/** Completes a job whose result has rows, of which a call reads at most `readable`. */
async function openRows(
  rows: readonly ResultRow[],
  {
    summary: asked = weight,
    isSummary = true,
    readable = Number.POSITIVE_INFINITY,
    facts = noFacts,
    limits = wideLimits,
  } = {},
) {
  const search = openSearch()
  const summary = isSummary && { summary: asked }
  const run = await storeProcessing(search, { ...summary })
  const shards = [{ key: `${attemptPrefix(run, 1)}a`, bytes: 10, rows: rows.length }]
  await complete(search, run, { shards, ...summary, ...facts })
  const reads: { readonly columns: readonly string[]; readonly limit: number }[] = []
  const deps = {
    ...search.deps,
    ...letIn(search),
    ...openReads(limits),
    resultRows: {
      readFirst: async (_: unknown, columns: readonly string[], limit: number) => {
        reads.push({ columns, limit })
        const read = rows.slice(0, Math.min(limit, readable))
        return read.map((row) => Object.fromEntries(columns.map((name) => [name, row[name] ?? null])))
      },
    },
  }
  return { reads, get: (query: Record<string, string> = {}) => getRows(deps, ownKey, run.jobId, query) }
}

const plansOf = async (plans: readonly (string | null)[], limit = '1000') => {
  const open = await openRows(plans.map((plan) => ({ billing_code: '99213', plan })))
  const { rows, ordered } = await open.get({ columns: 'plan', limit })
  expect(ordered).toBe(true)
  return rows.map(({ plan }) => plan)
}

describe('the rows of a summary', () => {
  it('come in the order of their texts, a name before the longer ones that begin with it, NULL first', async () => {
    expect(await plansOf(['Gold PPO', 'Silver', null, 'Gold', 'Gold!', ''])).toEqual([
      null,
      '',
      'Gold',
      'Gold PPO',
      'Gold!',
      'Silver',
    ])
    const texts = fc.array(fc.option(fc.string({ unit: 'binary-ascii' })), { maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(texts, async (plans) => {
        const byText = (one: string, other: string) => Number(one > other) - Number(one < other)
        const sorted = plans.filter((plan) => plan !== null).toSorted(byText)
        expect(await plansOf(plans)).toEqual([...plans.filter((plan) => plan === null), ...sorted])
      }),
    )
  })

  it('come by their ranks within what is compared, if they have ranks', async () => {
    const row = (plan: string, rank: number, place: string) => ({
      billing_code: 'A',
      plan,
      rank,
      place_of_service: place,
    })
    const rows = [row('Gold', 10, '11'), row('Silver', 1, '22'), row('Gold', 2, '22'), row('Gold', 2, '11')]
    const open = await openRows(rows, { summary: { ...weight, first: { order: 'highest', limit: 9 } } })
    const { rows: sorted } = await open.get({ columns: 'plan,rank,place_of_service' })
    expect(sorted.map((each) => Object.values(each).join(' '))).toEqual([
      'Gold 2 11',
      'Gold 2 22',
      'Gold 10 11',
      'Silver 1 22',
    ])
  })

  it('come by code before plan, and by numbers as numbers, also if the answer has none of these columns', async () => {
    const row = (billing_code: string, npi: number, median: string) => ({ billing_code, npi, median })
    const open = await openRows([row('B', 1, '4'), row('A', 1_000_000_000, '3'), row('A', 999, '2'), row('A', 0, '1')])
    const { rows } = await open.get({ columns: 'median' })
    expect(rows).toEqual([{ median: '1' }, { median: '2' }, { median: '3' }, { median: '4' }])
    expect(open.reads[0]?.columns).toEqual(expect.arrayContaining(['median', 'billing_code', 'plan']))
  })

  it('come by the elements of their lists, a list before the longer ones that begin with it', async () => {
    const modifiers = [['59'], ['25', '59'], ['25'], ['25 x'], ['2', '59'], null, []]
    const open = await openRows(modifiers.map((list) => ({ billing_code_modifier: list })))
    const { rows } = await open.get({ columns: 'billing_code_modifier' })
    expect(rows.map(({ billing_code_modifier: list }) => list)).toEqual([
      null,
      [],
      ['2', '59'],
      ['25'],
      ['25', '59'],
      ['25 x'],
      ['59'],
    ])
  })

  it('lack an order if some of them cannot be read, or if they are more than 10,000', async () => {
    const rows = ['b', 'a', 'c'].map((plan) => ({ plan }))
    const some = await openRows(rows, { readable: 2 })
    expect(await some.get({ columns: 'plan' })).toMatchObject({
      rows: [{ plan: 'b' }, { plan: 'a' }],
      rows_total: 3,
      truncated: true,
      ordered: false,
    })
    const many = await openRows(Array.from({ length: 10_001 }, (_, index) => ({ plan: `plan ${10_001 - index}` })))
    expect(await many.get({ columns: 'plan', limit: '1' })).toMatchObject({
      rows: [{ plan: 'plan 10001' }],
      ordered: false,
    })
    expect(many.reads).toEqual([{ columns: ['plan'], limit: 1 }])
    const allowed = await openRows(Array.from({ length: 10_000 }, (_, index) => ({ plan: `plan ${10_000 - index}` })))
    expect(await allowed.get({ columns: 'plan', limit: '1' })).toMatchObject({
      rows: [{ plan: 'plan 1' }],
      ordered: true,
    })
  })

  it('begin with the first of all rows if the answer has fewer', async () => {
    expect(await plansOf(['c', 'b', 'a'], '2')).toEqual(['a', 'b'])
  })
})

describe('the rows of a result', () => {
  it('come as they are read, as few as the call asks for, and say how many there are', async () => {
    const open = await openRows([{ plan: 'b' }, { plan: 'a' }], { isSummary: false })
    expect(await open.get({ columns: ' plan ,npi,plan' })).toMatchObject({
      columns: [{ name: 'plan' }, { name: 'npi' }],
      rows: [
        { plan: 'b', npi: null },
        { plan: 'a', npi: null },
      ],
      rows_total: 2,
      truncated: false,
      ordered: false,
    })
    expect(await open.get({ limit: '1' })).toMatchObject({ rows: [{ plan: 'b' }], rows_total: 2, truncated: true })
    expect(open.reads.map(({ limit }) => limit)).toEqual([100, 1])
  })

  it('count as truncated if the search itself was', async () => {
    const open = await openRows([{ plan: 'a' }], { isSummary: false, facts: { truncated: true } })
    for (const format of ['json', 'csv'])
      expect(await open.get({ columns: 'plan', format })).toMatchObject({ rows: [{ plan: 'a' }], truncated: true })
  })

  it('never come from the files of another organization', async () => {
    const shards = [{ key: `results/BBBBBBBBBBBB/${'0'.repeat(8)}/a`, bytes: 10, rows: 1 }]
    const open = await openRows([{ plan: 'a' }], { isSummary: false, facts: { shards } })
    await expect(open.get()).rejects.toThrow(/organization/)
    expect(open.reads).toEqual([])
  })

  it('fit into the answer of a function', async () => {
    const plan = 'x'.repeat(1_000_000)
    const open = await openRows(
      Array.from({ length: 6 }, () => ({ plan })),
      { isSummary: false },
    )
    const { rows, truncated } = await open.get({ columns: 'plan' })
    expect([rows.length, truncated]).toEqual([3, true])
  })

  it('get refused, with what to do, if no row fits into an answer', async () => {
    const open = await openRows([{ plan: 'x'.repeat(4_000_001) }], { isSummary: false })
    const [fault] = await readFaults(open.get({ columns: 'plan' }))
    expect(fault).toMatchObject({
      path: 'columns',
      message: expect.stringContaining('more than the 4 MB of an answer'),
    })
    expect(await open.get({ columns: 'npi' })).toMatchObject({ rows: [{ npi: null }], truncated: false })
  })

  it('get refused with every fault of the query', async () => {
    const open = await openRows([], { isSummary: false })
    const query = { limit: '0', columns: 'plna,npi', format: 'xml' }
    expect(await readFaults(open.get(query))).toEqual([
      expect.objectContaining({ path: 'limit' }),
      { path: 'columns', message: 'the result has no column "plna"; did you mean `plan`?' },
      { path: 'format', message: 'must be json or csv; got "xml"' },
    ])
  })

  it('count towards the rate of the organization when they are read, and not when a request is refused', async () => {
    const open = await openRows([{ plan: 'Gold' }], { limits: { searches: 1, perMinute: 1 } })
    for (const _ of Array(6)) await readFaults(open.get({ limit: '0' }))
    for (const _ of Array(5)) expect((await open.get()).rows).toHaveLength(1)
    const refused = open.get()
    await expect(refused).rejects.toThrow(/ limit of lookups of codes and providers and reads of rows a minute is 5: /)
    await expect(refused).rejects.toMatchObject({ counted: 'reads', retryAfter: 12 })
    expect(open.reads).toHaveLength(5)
  })

  it('get refused as long as the search has not completed, and once it has failed', async () => {
    const search = openSearch()
    const job = await storeProcessing(search)
    const deps = { ...search.deps, ...letIn(search), ...openReads(), resultRows: { readFirst: async () => [] } }
    const get = () => getRows(deps, ownKey, job.jobId, {})
    await expect(get()).rejects.toEqual(
      new Conflict('The search has not completed yet: it has no rows. Its status says more.'),
    )
    await fail(search, job)
    await expect(get()).rejects.toEqual(new Conflict('The search has failed: it has no rows. Its status says more.'))
  })
})
