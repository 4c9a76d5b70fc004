import { describe, expect, it } from 'vitest'
import {
  FeeSchedulesUnfit,
  planCatalogueChanges,
  readFeeSchedules,
  relationState,
} from '../../../core/own-relation/fee-schedules-relation.ts'
import { newEntry, newRelationEntry } from '../../builders/sample-search.ts'

const allColumns = ['plan_id_type', 'plan', 'last_updated_on', 'payer', 'plan_id']
const read = (rows: readonly Readonly<Record<string, string>>[], columns: readonly string[] = allColumns) =>
  readFeeSchedules({
    columns: columns.map((name) => ({ name, type: 'varchar' })),
    rows: rows.map((row) => columns.map((name) => row[name])),
  })
const gold = { payer: 'Acme Health', plan: 'Gold PPO' }

describe('the relation fee_schedules', () => {
  it('needs only payers and plans', () => {
    expect(read([gold], ['payer', 'plan'])).toStrictEqual({ entries: [{ ...gold, planIds: [] }], unfit: 0 })
    expect(read([gold], ['plan', 'payer'])).toStrictEqual({ entries: [{ ...gold, planIds: [] }], unfit: 0 })
    for (const columns of [['payer'], ['plan'], []])
      expect(() => read([gold], columns)).toThrow(
        new FeeSchedulesUnfit('fee_schedules must have the columns payer and plan'),
      )
  })

  it('merges the rows of a fee schedule: all plan ids, and the latest date', () => {
    const rows = [
      { ...gold, plan_id: '7', plan_id_type: 'ein', last_updated_on: '2026-10-01' },
      { ...gold, plan: ' Gold  PPO ', plan_id: '5', plan_id_type: 'hios', last_updated_on: '2026-11-01' },
      { ...gold, plan_id: '7', plan_id_type: 'ein', last_updated_on: '2026-10-15' },
      gold,
      { payer: '', plan: 'Gold PPO' },
      { payer: 'Acme Health' },
    ]
    const entries = [{ ...gold, planIds: ['ein|000000007', 'hios|5'], lastUpdatedOn: '2026-11-01' }]
    expect(read(rows)).toStrictEqual({ entries, unfit: 2 })
    expect(read(rows.toReversed())).toStrictEqual({ entries, unfit: 2 })
  })

  it.each([
    ['2026-11-01', '2026-11-01'],
    ['2026-11-01 00:00:00', '2026-11-01'],
    ['2026-11-01T00:00:00Z', '2026-11-01'],
    ['x2026-11-01', undefined],
    ['2026-11-011', undefined],
    ['November', undefined],
  ])('takes the date %j as %j', (text, lastUpdatedOn) => {
    expect(read([{ ...gold, last_updated_on: text }]).entries[0]?.lastUpdatedOn).toBe(lastUpdatedOn)
  })
})

describe('the changes of a catalogue', () => {
  const same = { ...gold, planIds: ['ein|1'], lastUpdatedOn: '2026-11-01' }
  const plan = (relation: typeof same, entry: ReturnType<typeof newEntry>) =>
    planCatalogueChanges([{ ...entry, version: 'v7' }], [relation])

  it('leave an equal entry and an entry of a load as they are', () => {
    expect(plan(same, newRelationEntry(relationState(same)))).toEqual({ replacements: [], removals: [] })
    expect(plan(same, newEntry())).toEqual({ replacements: [], removals: [] })
    expect(planCatalogueChanges([newEntry(), newRelationEntry({ plan: 'Old' })], [])).toEqual({
      replacements: [],
      removals: [newRelationEntry({ plan: 'Old' })],
    })
  })

  it.each([
    ['a plan id', { ...same, planIds: ['ein|2'] }],
    ['the number of plan ids', { ...same, planIds: ['ein|1', 'ein|2'] }],
    ['the date', { ...same, lastUpdatedOn: '2026-12-01' }],
  ])('replace an entry if %s differs', (_, changed) => {
    expect(plan(changed, newRelationEntry(relationState(same)))).toEqual({
      replacements: [{ entry: changed, current: { ...newRelationEntry(relationState(same)), version: 'v7' } }],
      removals: [],
    })
  })

  it.each([
    ['number', 0, 41],
    ['values', 1, 40],
  ])('replace an entry if the %s of plan ids that are not shown differ', (_, first, length) => {
    const ids = (from: number, count: number) => Array.from({ length: count }, (__, index) => `ein|${from + index}`)
    const before = newRelationEntry(relationState({ ...same, planIds: ids(0, 40) }))
    expect(plan({ ...same, planIds: ids(0, 40) }, before).replacements).toEqual([])
    expect(plan({ ...same, planIds: ids(first, length) }, before).replacements).toHaveLength(1)
  })

  it('replace what an earlier version wrote without the key of its plan ids', () => {
    const { planIdsKey: _, ...state } = relationState(same)
    expect(plan(same, { ...newRelationEntry(same), state }).replacements).toHaveLength(1)
  })

  it('create a new entry without a version to replace', () => {
    expect(planCatalogueChanges([], [same])).toEqual({
      replacements: [{ entry: same, current: undefined }],
      removals: [],
    })
  })

  it('store no date that is unknown', () => {
    expect(relationState({ ...gold, planIds: [] })).toStrictEqual({
      status: 'relation',
      planIds: [],
      planIdCount: 0,
      planIdsKey: expect.any(String),
      partial: false,
    })
  })
})
