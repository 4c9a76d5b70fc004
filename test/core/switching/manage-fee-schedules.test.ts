import { describe, expect, it } from 'vitest'
import { resolveFeeSchedules } from '../../../core/catalogue/resolve-fee-schedules.ts'
import { namePlansOfIds } from '../../../core/search/plans-of-ids.ts'
import { cleanWarehouse } from '../../../core/switching/clean-warehouse.ts'
import { FeeScheduleUnknown, removeFeeSchedule } from '../../../core/switching/manage-fee-schedules.ts'
import { rollBackFeeSchedule } from '../../../core/switching/roll-back.ts'
import { buildFile } from '../../builders/in-network-builder.ts'
import { createTestWarehouse } from '../../builders/test-warehouse.ts'
import { outdate } from '../../doubles/memory-contents.ts'

const gold = { payer: 'Blue Harbor Health', plan: 'Harbor PPO Gold' }
const variant = { ...gold, plan: `${gold.plan} (HIOS 0123456789)` }
const hour = 3_600_000

/** A warehouse whose loads and commands share a clock that only the test advances. */
async function createLoaded() {
  const clock = { now: new Date('2026-11-20T09:30:00Z') }
  const now = () => clock.now
  const warehouse = await createTestWarehouse(undefined, now)
  let ids = 0
  const deps = {
    warehouse: warehouse.folder,
    catalogue: warehouse.catalogue,
    contents: warehouse.contents,
    records: warehouse.records,
    newId: () => `id${ids++}`,
    now,
  }
  return {
    warehouse,
    deps,
    wait: (hours: number) => {
      clock.now = new Date(clock.now.getTime() + hours * hour)
    },
    /** Loads files with these names and one rate each. */
    load: async (names: readonly string[], options = {}) => {
      const files: string[] = []
      for (const name of names) files.push(await warehouse.write(name, buildFile({ version: name })))
      return warehouse.load({ files, ...options })
    },
    /** The files that a search for the plan reads. */
    readFiles: async () => (await warehouse.readRates()).map((row) => row['source_file']).sort(),
    [Symbol.asyncDispose]: () => warehouse[Symbol.asyncDispose](),
  }
}

describe.each([
  ['its name', gold],
  ['its plan id', variant],
])('a plan rolled back by %s', (_, asked) => {
  it('has its previous content again, and a second rollback undoes the first', async () => {
    await using loaded = await createLoaded()
    await loaded.load(['a.json'])
    await loaded.load(['b.json'])
    await rollBackFeeSchedule(asked, loaded.deps)
    expect(await loaded.readFiles()).toEqual(['a.json'])
    await rollBackFeeSchedule(asked, loaded.deps)
    expect(await loaded.readFiles()).toEqual(['b.json'])
  })

  it('is refused if there was only one load', async () => {
    await using loaded = await createLoaded()
    await loaded.load(['a.json'])
    await expect(rollBackFeeSchedule(asked, loaded.deps)).rejects.toThrow(FeeScheduleUnknown)
    expect(await loaded.readFiles()).toEqual(['a.json'])
  })

  it('is refused if an earlier version loaded its previous content', async () => {
    await using loaded = await createLoaded()
    await loaded.load(['a.json'])
    outdate(loaded.warehouse.contents)
    await loaded.load(['b.json'], { replace: true })
    await expect(rollBackFeeSchedule(asked, loaded.deps)).rejects.toThrow('an earlier version loaded its previous')
    expect(await loaded.readFiles()).toEqual(['b.json'])
  })

  it('is restored after its removal, and can be removed again', async () => {
    await using loaded = await createLoaded()
    await loaded.load(['a.json'])
    await removeFeeSchedule(asked, loaded.deps)
    expect(await loaded.readFiles()).toEqual([])
    await expect(removeFeeSchedule(asked, loaded.deps)).rejects.toThrow('is already removed')
    await rollBackFeeSchedule(asked, loaded.deps)
    expect(await loaded.readFiles()).toEqual(['a.json'])
    await removeFeeSchedule(asked, loaded.deps)
    expect(await loaded.readFiles()).toEqual([])
  })
})

describe('a plan of two plan ids', () => {
  const ofEmployer = (planId: string, version: string) =>
    buildFile({ plan_id_type: 'ein', plan_id: planId, version, plan_name: 'PPO' })
  const ppo = { ...gold, plan: 'PPO' }

  it('can be searched by its name again once the plan id with other files is removed', async () => {
    await using loaded = await createLoaded()
    const files = [
      await loaded.warehouse.write('a.json', ofEmployer('11-1111111', '2.0.0')),
      await loaded.warehouse.write('b.json', ofEmployer('222222222', '2.0.1')),
    ]
    await loaded.warehouse.load({ files })
    expect(loaded.warehouse.listNames()).toMatchObject([{ plan: 'PPO', state: { status: 'ambiguous', variants: 2 } }])
    await removeFeeSchedule({ ...ppo, plan: 'PPO (EIN 111111111)' }, loaded.deps)
    expect(await loaded.warehouse.readRates()).toMatchObject([
      { plan: 'PPO', plan_ids: ['ein|222222222'], plan_id_count: 1, source_file: 'b.json' },
    ])
  })

  it('must be loaded again if an earlier version loaded the plan id that is left', async () => {
    await using loaded = await createLoaded()
    const files = [
      await loaded.warehouse.write('a.json', ofEmployer('11-1111111', '2.0.0')),
      await loaded.warehouse.write('b.json', ofEmployer('222222222', '2.0.1')),
    ]
    await loaded.warehouse.load({ files })
    outdate(loaded.warehouse.contents)
    await removeFeeSchedule({ ...ppo, plan: 'PPO (EIN 111111111)' }, loaded.deps)
    const [state] = loaded.warehouse.listNames().flatMap((name) => (name.state.status === 'active' ? name.state : []))
    expect(await loaded.deps.contents.readContents([state?.contentId ?? ''])).toMatchObject([{ isOutdated: true }])
  })

  it('rolls back all plan ids that one load changed, and no other', async () => {
    await using loaded = await createLoaded()
    const load = async (name: string, planId: string, version: string) =>
      loaded.warehouse.load({ files: [await loaded.warehouse.write(name, ofEmployer(planId, version))] })
    await load('a.json', '111111111', '2.0.0')
    await load('b.json', '222222222', '2.0.1')
    loaded.wait(1)
    await load('c.json', '222222222', '2.0.2')
    await rollBackFeeSchedule(ppo, loaded.deps)
    const variants = await loaded.warehouse.catalogue.listVariants(ppo)
    const rows = await loaded.warehouse.readRates(...variants.filter(({ variantOf }) => variantOf !== undefined))
    expect(rows.map((row) => row['source_file']).sort()).toEqual(['a.json', 'b.json'])
  })
})

describe('a superseded or removed content', () => {
  it('is kept for a day, then deleted', async () => {
    await using loaded = await createLoaded()
    await loaded.load(['a.json'])
    loaded.wait(48)
    await loaded.load(['b.json'])
    loaded.wait(23)
    expect(await cleanWarehouse(loaded.deps)).toEqual({ sources: 0, contents: 0, bytes: 0 })
    // Until the first clean, searches could name any day.
    loaded.wait(25)
    const before = await loaded.warehouse.listFiles()
    const planned = await cleanWarehouse(loaded.deps, true)
    expect(await loaded.warehouse.listFiles()).toEqual(before)
    const removed = await cleanWarehouse(loaded.deps)
    expect(removed).toEqual({ sources: 1, contents: 1, bytes: expect.any(Number) })
    expect(removed.bytes).toBeGreaterThan(1000)
    expect(planned).toEqual(removed)
    await expect(rollBackFeeSchedule(gold, loaded.deps)).rejects.toThrow('has been deleted: load its files again')
    expect(await loaded.readFiles()).toEqual(['b.json'])
    expect((await loaded.warehouse.listFiles()).filter((path) => path.endsWith('.parquet'))).toHaveLength(3)
  })

  it('is kept for the searches that started with it, however often it has been superseded since', async () => {
    await using loaded = await createLoaded()
    await loaded.load(['a.json'])
    const [old] = loaded.warehouse.listNames()
    loaded.wait(48)
    for (const name of ['b.json', 'c.json', 'd.json']) await loaded.load([name])
    await cleanWarehouse(loaded.deps)
    expect(old && (await loaded.warehouse.readRates(old))).toMatchObject([{ source_file: 'a.json' }])
  })

  it('keeps its sources if a rollback begins to use it while others are removed', async () => {
    await using loaded = await createLoaded()
    const load = async (name: string, plan_id: string) =>
      loaded.warehouse.load({ files: [await loaded.warehouse.write(name, buildFile({ plan_id, version: name }))] })
    await load('other.json', '1111111111')
    await load('a.json', '2222222222')
    await load('b.json', '2222222222')
    const ofTwo = { ...gold, plan: `${gold.plan} (HIOS 2222222222)` }
    await cleanWarehouse(loaded.deps)
    loaded.wait(48)
    const removeContent: typeof loaded.deps.contents.removeContent = async (...args) => {
      await rollBackFeeSchedule(ofTwo, loaded.deps)
      return loaded.deps.contents.removeContent(...args)
    }
    await cleanWarehouse({ ...loaded.deps, contents: { ...loaded.deps.contents, removeContent } })
    const [active] = await loaded.warehouse.catalogue.find([ofTwo])
    expect(active && (await loaded.warehouse.readRates(active))).toMatchObject([{ source_file: 'a.json' }])
  })

  it('leaves a tombstone only for a day', async () => {
    await using loaded = await createLoaded()
    await loaded.load(['a.json'])
    await removeFeeSchedule(gold, loaded.deps)
    loaded.wait(25)
    await cleanWarehouse(loaded.deps)
    await cleanWarehouse(loaded.deps)
    expect(loaded.warehouse.catalogue.entries.size).toBe(0)
    expect((await loaded.warehouse.listFiles()).filter((path) => path.endsWith('.parquet'))).toEqual([])
  })

  it('is kept for the months of the last clean, which can be changed again only a day later', async () => {
    await using loaded = await createLoaded()
    await loaded.load(['a.json'])
    loaded.wait(48)
    await loaded.load(['b.json'])
    await cleanWarehouse(loaded.deps)
    loaded.wait(23)
    for (const isDry of [true, false])
      await expect(cleanWarehouse(loaded.deps, isDry, 12)).rejects.toThrow(
        'the months to keep were set to 0 less than a day ago; change them after 2026-11-23T09:30:00.000+00:00',
      )
    await cleanWarehouse(loaded.deps, false, 0)
    loaded.wait(2)
    await cleanWarehouse(loaded.deps, false, 12)
    expect(await loaded.warehouse.catalogue.readKeptDays()).toMatchObject({ months: 12, formerFirst: '2026-11-23' })
  })

  it('leaves a tombstone for as long as searches can name a day on which an earlier version had it', async () => {
    await using loaded = await createLoaded()
    const { catalogue } = loaded.warehouse
    await loaded.load(['a.json'])
    for (const [key, { history: _, ...entry }] of catalogue.entries) catalogue.entries.set(key, entry)
    loaded.wait(48)
    await removeFeeSchedule(gold, loaded.deps)
    await cleanWarehouse(loaded.deps, false, 1)
    loaded.wait(48)
    await cleanWarehouse(loaded.deps)
    const search = { feeSchedules: [], planIds: ['0123456789'], asOf: '2026-11-21' }
    const named = await namePlansOfIds(loaded.deps, search, false)
    expect(named.request.feeSchedules).toEqual([gold])
    expect(await resolveFeeSchedules(loaded.deps, named.request, false)).toMatchObject({
      failure: { word: 'not_kept' },
    })
    loaded.wait(31 * 24)
    await cleanWarehouse(loaded.deps)
    expect(catalogue.entries.size).toBe(0)
  })

  it('is kept while a running load relies on it', async () => {
    await using loaded = await createLoaded()
    await loaded.load(['a.json'])
    const [source] = loaded.warehouse.contents.sources.keys()
    await removeFeeSchedule(gold, loaded.deps)
    loaded.wait(25)
    await loaded.deps.records.begin({ loadId: 'load', from: 'a.json', startedAt: loaded.deps.now() })
    await loaded.deps.records.pin('load', [source ?? ''])
    expect(await cleanWarehouse(loaded.deps)).toMatchObject({ sources: 0, contents: 1 })
    await loaded.deps.records.end('load', { state: 'failed', endedAt: loaded.deps.now() })
    expect(await cleanWarehouse(loaded.deps)).toMatchObject({ sources: 1, contents: 0 })
  })
})
