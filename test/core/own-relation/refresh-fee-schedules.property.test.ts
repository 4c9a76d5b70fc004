import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { normaliseName } from '../../../contract/texts/names.ts'
import type { CatalogueEntry } from '../../../core/catalogue/catalogue-entry.ts'
import { feeScheduleKey } from '../../../core/catalogue/fee-schedule.ts'
import type { ResultTable } from '../../../core/own-relation/ports.ts'
import { refreshFeeSchedules } from '../../../core/own-relation/refresh-fee-schedules.ts'
import type { Queries } from '../../../core/search/ports.ts'
import { newEntry, newRelationEntry } from '../../builders/sample-search.ts'
import { createMemoryCatalogue, type MemoryCatalogue } from '../../doubles/memory-catalogue.ts'
import { createMemoryQueries } from '../../doubles/memory-ports.ts'

type Cells = readonly (string | undefined)[]

const columns = ['payer', 'plan', 'plan_id', 'last_updated_on'].map((name) => ({ name, type: 'varchar' }))

/** Few names, in several spellings, so that rows often match each other and the catalogue. */
const name = fc.constantFrom('Acme', ' Acme ', 'Café  Health', 'Cafe\u0301 Health', 'Zenith')
const unfitName = fc.constantFrom(undefined, '', '  ', 'a\tb\u0000', '\ud800', 'x'.repeat(201))
const fitRow = fc.tuple(
  name,
  name,
  fc.constantFrom(undefined, '007', '7'),
  fc.constantFrom(undefined, '2026-10-01', '2026-11-01'),
)
const unfitRow = fc.oneof(fc.tuple(unfitName, name), fc.tuple(name, unfitName))
const anyEntry = fc
  .record({
    names: fc.record({ payer: name.map(normaliseName), plan: name.map(normaliseName) }),
    planIds: fc.constantFrom([], ['hios|7']),
    isLoaded: fc.boolean(),
    version: fc.uuid(),
  })
  .map(({ names, planIds, isLoaded, version }) => ({
    ...(isLoaded
      ? newEntry({ ...names, planIds })
      : newRelationEntry({ ...names, planIds, planIdCount: planIds.length })),
    version,
  }))

const succeeds: Queries['look'] = async () => ({ state: 'succeeded', manifest: undefined })

let versions = 0

function refresh(catalogue: MemoryCatalogue, table: ResultTable, queries: Partial<Queries> = {}) {
  const clock = { time: 0 }
  return refreshFeeSchedules({
    catalogue,
    queries: { ...createMemoryQueries(), look: succeeds, ...queries },
    rows: { readAll: async () => table },
    sleep: async (milliseconds) => {
      clock.time += milliseconds
    },
    newToken: () => 'token',
    newVersion: () => `version-${versions++}`,
    now: () => new Date(clock.time),
  })
}

const fill = (entries: readonly CatalogueEntry[]) => createMemoryCatalogue(entries)

const isLoaded = ({ state }: CatalogueEntry) => state.status !== 'relation'

const namesOf = (rows: readonly Cells[]) =>
  new Set(
    rows.map(([payer = '', plan = '']) => feeScheduleKey({ payer: normaliseName(payer), plan: normaliseName(plan) })),
  )

describe('a refresh', () => {
  const fitRows = fc.array(fitRow, { minLength: 1, maxLength: 12 })
  const entries = fc.array(anyEntry, { maxLength: 8 })

  it('stores each fee schedule of the relation once, and leaves those of loads unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(fitRows, fc.array(unfitRow, { maxLength: 3 }), entries, async (rows, unfit, before) => {
        const catalogue = fill(before)
        const loaded = [...catalogue.entries].filter(([, entry]) => isLoaded(entry))
        const report = await refresh(catalogue, { columns, rows: [...unfit, ...rows] })
        expect(report).toMatchObject({ unfit: unfit.length, superseded: 0 })
        const wanted = namesOf(rows).union(new Set(loaded.map(([key]) => key)))
        expect(new Set(catalogue.entries.keys())).toEqual(wanted)
        for (const [key, entry] of loaded) expect(catalogue.entries.get(key)).toBe(entry)
      }),
    )
  })

  it('merges the spellings of a fee schedule, with every plan id and the latest date', async () => {
    const catalogue = fill([])
    const rows = [
      ['Café Health', 'Gold', '9', '2026-10-01'],
      [' Cafe\u0301  Health', 'Gold ', '007', '2026-11-01 00:00:00.000'],
      ['Café Health', 'Gold', '9', undefined],
    ]
    await refresh(catalogue, { columns, rows })
    const shown = { planIds: ['hios|007', 'hios|9'], planIdCount: 2, lastUpdatedOn: '2026-11-01' }
    const entry = newRelationEntry({ payer: 'Café Health', plan: 'Gold', ...shown })
    expect([...catalogue.entries.values()]).toEqual([{ ...entry, version: expect.any(String) }])
  })

  it('writes nothing if nothing has changed', async () => {
    await fc.assert(
      fc.asyncProperty(fitRows, entries, fc.nat(), async (rows, before, turn) => {
        const catalogue = fill(before)
        await refresh(catalogue, { columns, rows })
        const after = new Map(catalogue.entries)
        const turned = [...rows.slice(turn % rows.length), ...rows.slice(0, turn % rows.length)]
        expect(await refresh(catalogue, { columns, rows: turned })).toMatchObject({ written: 0, removed: 0 })
        expect(catalogue.entries).toEqual(after)
      }),
    )
  })

  it('keeps the writes of a concurrent refresh', async () => {
    await fc.assert(
      fc.asyncProperty(fitRows, entries, async (rows, before) => {
        const [catalogue, alone] = [fill(before), fill(before)]
        await refresh(alone, { columns, rows })
        const reports = await Promise.all([1, 2].map(() => refresh(catalogue, { columns, rows })))
        expect(new Set(catalogue.entries.keys())).toEqual(new Set(alone.entries.keys()))
        expect(reports.reduce((sum, { written, removed }) => sum + written + removed, 0)).toBe(
          Math.max(...reports.map(({ written, removed, superseded }) => written + removed + superseded)),
        )
      }),
    )
  })

  it('does not undo the writes of a refresh that read more rows meanwhile', async () => {
    const catalogue = fill([])
    const row = (plan: string) => ['Acme', plan]
    await refresh(catalogue, { columns, rows: [row('Gold')] })
    const look: Queries['look'] = async () => {
      await refresh(catalogue, { columns, rows: [[...row('Gold'), '007'], row('New')] })
      return { state: 'succeeded', manifest: undefined }
    }
    const late = await refresh(catalogue, { columns, rows: [[...row('Gold'), '1']] }, { look })
    expect(late).toEqual({ written: 0, removed: 0, superseded: 1, unfit: 0 })
    expect(
      [...catalogue.entries.values()].map(({ plan, state }) => [plan, 'planIds' in state && state.planIds]),
    ).toEqual([
      ['Gold', ['hios|007']],
      ['New', []],
    ])
  })
})

describe('a refresh that fails', () => {
  const stopped: string[] = []
  const start: Queries['start'] = async () => ({ outcome: 'throttled' })
  const fails: Queries['look'] = async () => ({ state: 'failed', fault: 'permanent', reason: 'TABLE_NOT_FOUND' })
  const lasts: Queries['look'] = async () => ({ state: 'running' })
  const table = { columns, rows: [['Acme', 'Gold']] }
  it.each([
    ['because Athena has no room', table, { start }, 'RelationUnread'],
    ['because its query fails', table, { look: fails }, 'RelationUnread'],
    [
      'because its query does not end',
      table,
      { look: lasts, stop: async (queryId: string) => void stopped.push(queryId) },
      'RelationUnread',
    ],
    ['because the relation is empty', { columns, rows: [] }, {}, 'FeeSchedulesUnfit'],
    ['because no row has a usable name', { columns, rows: [[undefined, 'Gold']] }, {}, 'FeeSchedulesUnfit'],
    ['because a column is missing', { columns: columns.slice(1), rows: [['Gold']] }, {}, 'FeeSchedulesUnfit'],
  ])('%s changes nothing', async (_, found, queries, error) => {
    const catalogue = fill([newRelationEntry({ payer: 'Acme', plan: 'Old' })])
    const before = new Map(catalogue.entries)
    await expect(refresh(catalogue, found, queries)).rejects.toMatchObject({ name: error })
    expect(catalogue.entries).toEqual(before)
  })

  it('stops the query when it gives up waiting', () => {
    expect(stopped).toEqual(['query-1'])
  })
})
