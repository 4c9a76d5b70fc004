import { describe, expect, it } from 'vitest'
import {
  cleanWarehouse,
  FeeScheduleUnknown,
  removeFeeSchedule,
  rollBackFeeSchedule,
} from '../../loader/manage-fee-schedules.ts'
import { buildFile } from './in-network-builder.ts'
import { createTestWarehouse } from './test-warehouse.ts'

const gold = { payer: 'Blue Harbor Health', plan: 'Harbor PPO Gold' }

async function createLoaded() {
  const warehouse = await createTestWarehouse()
  let month = 0
  const load = async (names: readonly string[], options = {}) => {
    month++
    const files: string[] = []
    for (const name of names) {
      files.push(await warehouse.write(name, buildFile({ last_updated_on: `2026-0${month}-01`, version: name })))
    }
    const { switched } = await warehouse.load({ files, ...options })
    return switched[0]
  }
  const deps = {
    warehouse: warehouse.folder,
    catalogue: warehouse.catalogue,
    newVersion: () => `version ${month++}`,
    now: () => new Date(),
  }
  return { warehouse, load, deps, [Symbol.asyncDispose]: () => warehouse[Symbol.asyncDispose]() }
}

describe('a load of fewer files than count now', () => {
  it('is refused unless it is said to replace', async () => {
    await using loaded = await createLoaded()
    await loaded.load(['a.json', 'b.json'])
    await expect(loaded.load(['a.json'])).rejects.toThrow('has 2 files now and would have 1')
    expect(await loaded.load(['c.json'], { replace: true })).toMatchObject({ files: [{ name: 'c.json' }] })
  })

  it('adds to those present, and replaces the file of the same name', async () => {
    await using loaded = await createLoaded()
    const before = await loaded.load(['a.json', 'b.json'])
    const after = await loaded.load(['b.json'], { add: true })
    expect(after?.files?.map(({ name }) => name)).toEqual(['a.json', 'b.json'])
    expect(after?.sources).toEqual([before?.sources[0], after?.files?.[1]?.sourceId])
    expect(after).toMatchObject({ lastUpdatedOn: '2026-02-01', previous: { sources: before?.sources } })
  })
})

describe('a name that differs from another by case alone', () => {
  it.each([
    [
      'payer',
      { issuer_name: 'BLUE HARBOR HEALTH' },
      'the payer is also spelt "Blue Harbor Health": say which with --payer',
    ],
    ['plan', { plan_name: 'HARBOR PPO Gold' }, 'the plan is also spelt "Harbor PPO Gold": say which with --plan'],
  ])('of a %s is refused unless it is given', async (role, fields, fault) => {
    await using loaded = await createLoaded()
    await loaded.load(['a.json'])
    const files = [await loaded.warehouse.write('b.json', buildFile(fields))]
    await expect(loaded.warehouse.load({ files })).rejects.toThrow(fault)
    const name = Object.values(fields)[0]
    await expect(loaded.warehouse.load({ files, [role]: name })).resolves.toMatchObject({
      switched: [{ [role]: name }],
    })
  })
})

describe('what counted before', () => {
  it('counts again after a rollback, and a second one undoes it', async () => {
    await using loaded = await createLoaded()
    const first = await loaded.load(['a.json'])
    const second = await loaded.load(['b.json'])
    expect(await rollBackFeeSchedule(gold, loaded.deps)).toMatchObject({ sources: first?.sources, files: first?.files })
    expect(await rollBackFeeSchedule(gold, loaded.deps)).toMatchObject({ sources: second?.sources })
  })

  it('stays for a day, then goes with all that no longer counts', async () => {
    await using loaded = await createLoaded()
    const first = await loaded.load(['a.json'])
    await loaded.load(['b.json'])
    const later = (hours: number) => ({ ...loaded.deps, now: () => new Date(Date.now() + hours * 3_600_000) })
    // The test's catalogue has a clock of its own, which says when the load replaced the other.
    const current = [...loaded.warehouse.catalogue.entries.values()][0]
    if (current?.previous === undefined) throw new TypeError('nothing was replaced')
    await loaded.warehouse.catalogue.replace(
      { ...current, previous: { ...current.previous, replacedAt: new Date().toISOString() } },
      current.version,
    )
    expect(await cleanWarehouse(later(23))).toEqual([])
    expect(await cleanWarehouse(later(25))).toEqual(first?.sources)
    await expect(rollBackFeeSchedule(gold, loaded.deps)).rejects.toThrow('has been removed: load its files again')
    expect(await loaded.warehouse.readRates()).toMatchObject([{ source_file: 'b.json' }])
  })

  it('is nothing after the first load', async () => {
    await using loaded = await createLoaded()
    await loaded.load(['a.json'])
    await expect(rollBackFeeSchedule(gold, loaded.deps)).rejects.toThrow(FeeScheduleUnknown)
  })
})

describe('a fee schedule that is removed', () => {
  it('is not found any more, and its files stay for a day', async () => {
    await using loaded = await createLoaded()
    await loaded.load(['a.json'])
    await removeFeeSchedule(gold, loaded.deps)
    expect(loaded.warehouse.catalogue.entries.size).toBe(0)
    expect(await cleanWarehouse(loaded.deps)).toEqual([])
    expect(await loaded.warehouse.readRates()).toHaveLength(1)
    await expect(removeFeeSchedule(gold, loaded.deps)).rejects.toThrow('there is no fee schedule')
  })
})
