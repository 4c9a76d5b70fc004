import { describe, expect, it } from 'vitest'
import { checkWarehouse } from '../../../core/own-relation/check-warehouse.ts'
import type { ResultTable } from '../../../core/own-relation/ports.ts'
import { RelationUnread } from '../../../core/own-relation/read-relation.ts'
import { createClock } from '../../builders/sample-search.ts'
import { createMemoryQueries } from '../../doubles/memory-ports.ts'
import { goodRow, relationColumns, sampleRelation } from './sample-relation.ts'

const ratesOf = (...plans: readonly string[]) => sampleRelation(plans.map((plan) => ({ ...goodRow, plan })))
const without = (...names: readonly string[]) =>
  sampleRelation(
    [goodRow],
    relationColumns.filter(({ name }) => !names.includes(name)),
  )
const feeSchedulesOf = (...rows: ResultTable['rows']): ResultTable => ({
  columns: ['payer', 'plan'].map((name) => ({ name, type: 'varchar' })),
  rows,
})
const gold = ['Acme Health', 'Gold PPO']

interface Warehouse {
  readonly rates: ResultTable
  readonly feeSchedules: ResultTable | { readonly fails: string }
  /** Why a search fails. */
  readonly searchFails?: string
}

/** Checks a warehouse by Athena's answers, and returns what concerns searches and fee schedules. */
async function check({ rates, feeSchedules, searchFails }: Warehouse, needsFeeSchedules = false, columns?: string[]) {
  const queries = createMemoryQueries()
  const clock = createClock()
  const answers = new Map<string, ResultTable>()
  const start: typeof queries.start = async (query) => {
    const started = await queries.start(query)
    if (started.outcome !== 'started') return started
    const { statement } = query
    const isSearch = !statement.startsWith('SELECT *')
    const answer = statement === 'SELECT * FROM fee_schedules' ? feeSchedules : rates
    const readFails = 'fails' in answer ? answer.fails : undefined
    const reason = isSearch ? searchFails : readFails
    queries.states.set(
      started.queryId,
      reason === undefined
        ? { state: 'succeeded', manifest: undefined }
        : { state: 'failed', fault: 'permanent', reason },
    )
    if (!('fails' in answer)) answers.set(started.queryId, answer)
    return started
  }
  let tokens = 0
  const differences = await checkWarehouse(
    {
      queries: { ...queries, start },
      rows: {
        readAll: async (queryId) => {
          const answer = answers.get(queryId)
          if (answer === undefined) throw new Error(`no answer to ${queryId}`)
          return answer
        },
      },
      sleep: clock.sleep,
      newToken: () => `token ${tokens++}`,
      now: clock.now,
    },
    { needsFeeSchedules, columns },
  )
  return { statements: [...queries.statements.values()], differences }
}

const noRows = { weight: 'different', text: 'rates has no rows: no values were checked' }

describe('the check of a warehouse', () => {
  it('reads 10,000 rows of rates, searches for the first one in its columns, and reads the fee schedules', async () => {
    const rates = without('negotiated_rate', 'rate_unit')
    const { statements, differences } = await check({ rates, feeSchedules: feeSchedulesOf(gold) })
    expect(statements[0]).toMatch(/^SELECT \* FROM .*rates.* LIMIT 10000$/)
    expect(statements[1]).toMatch(/1003000126/)
    expect(statements[1]).toMatch(/'Gold PPO'/)
    expect(statements[1]).toContain('CAST(plan AS varchar) AS plan,')
    expect(statements[1]).toContain('CAST(NULL AS varchar) AS rate_unit,')
    expect(statements[2]).toBe('SELECT * FROM fee_schedules')
    expect(differences).toEqual(
      ['negotiated_rate', 'rate_unit'].map((name) => ({ weight: 'wrong', text: `${name} is missing and required` })),
    )
  })

  it('says why a search for the first row fails, in one line', async () => {
    const { differences } = await check({
      rates: ratesOf('Gold PPO'),
      feeSchedules: feeSchedulesOf(gold),
      searchFails: 'INVALID_CAST_ARGUMENT: x\nat line 1',
    })
    expect(differences).toEqual([
      { weight: 'wrong', text: 'a search for the first row fails: INVALID_CAST_ARGUMENT: x' },
    ])
  })

  it('does not search if there is no row to search for', async () => {
    const { statements, differences } = await check({
      rates: ratesOf(),
      feeSchedules: feeSchedulesOf(gold),
      searchFails: 'x',
    })
    expect(statements).toHaveLength(2)
    expect(differences).toEqual([noRows])
  })

  it('compares the columns with those that a stage names', async () => {
    const named = relationColumns.map(({ name }) => name).filter((name) => name !== 'plan')
    const { differences } = await check(
      { rates: without('tin_value'), feeSchedules: feeSchedulesOf(gold) },
      false,
      named,
    )
    expect(differences).toEqual([
      { weight: 'wrong', text: 'tin_value is missing and required' },
      { weight: 'different', text: 'plan exists, but the stage does not name it: NULL in results' },
      { weight: 'wrong', text: 'tin_value is a column that the stage names but the relation lacks: searches fail' },
    ])
  })

  it.each([
    [true, 'wrong'],
    [false, 'different'],
  ])('finds fee schedules that cannot be read; if searches need them (%j), that is %s', async (isNeeded, weight) => {
    const rates = ratesOf('Gold PPO')
    const unread = await check({ rates, feeSchedules: { fails: 'TABLE_NOT_FOUND: x\nat line 1' } }, isNeeded)
    expect(unread.differences).toEqual([{ weight, text: 'fee_schedules cannot be read: TABLE_NOT_FOUND: x' }])
    const unfit = await check(
      { rates, feeSchedules: { columns: [{ name: 'payer', type: 'varchar' }], rows: [] } },
      isNeeded,
    )
    expect(unfit.differences).toEqual([
      { weight, text: 'fee_schedules cannot be read: fee_schedules must have the columns payer and plan' },
    ])
  })

  it('names up to five fee schedules that have rates and are not in fee_schedules, each once', async () => {
    const plans = ['Gold PPO', ' Silver', 'Silver', 'P2', 'P3', 'P4', 'P5', 'P6']
    const { differences } = await check({ rates: ratesOf(...plans), feeSchedules: feeSchedulesOf(gold) })
    expect(differences.map(({ text }) => text)).toContain(
      'fee_schedules lacks 6 that rates has, no search finds them: ' +
        'Acme Health / Silver, Acme Health / P2, Acme Health / P3, Acme Health / P4, Acme Health / P5',
    )
  })

  it('counts rows of fee_schedules without a payer or plan', async () => {
    const { differences } = await check({
      rates: ratesOf('Gold PPO'),
      feeSchedules: feeSchedulesOf(gold, [undefined, 'Gold PPO'], ['Acme Health', undefined]),
    })
    expect(differences).toEqual([
      { weight: 'different', text: 'fee_schedules names no payer or plan in 2 rows: they are skipped' },
    ])
  })

  it('calls an empty fee_schedules wrong', async () => {
    const { differences } = await check({ rates: ratesOf(), feeSchedules: feeSchedulesOf() })
    expect(differences).toEqual([
      noRows,
      { weight: 'wrong', text: 'fee_schedules has no fee schedules: the catalogue is not changed' },
    ])
  })

  it('fails if rates cannot be read, and on faults that are not of the warehouse', async () => {
    const unreadable = { columns: [], rows: [] }
    const failing = createMemoryQueries()
    failing.full = true
    const { sleep, now } = createClock()
    const deps = { queries: failing, rows: { readAll: async () => unreadable }, sleep, newToken: () => 't', now }
    await expect(checkWarehouse(deps, { needsFeeSchedules: false })).rejects.toThrow(RelationUnread)
    const broken = new TypeError('broken')
    const queries = createMemoryQueries()
    const start: typeof queries.start = async (query) => {
      if (query.statement.includes('fee_schedules')) throw broken
      const started = await queries.start(query)
      if (started.outcome === 'started')
        queries.states.set(started.queryId, { state: 'succeeded', manifest: undefined })
      return started
    }
    const checked = checkWarehouse({ ...deps, queries: { ...queries, start } }, { needsFeeSchedules: false })
    await expect(checked).rejects.toBe(broken)
  })
})
