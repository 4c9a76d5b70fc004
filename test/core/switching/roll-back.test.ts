import { describe, expect, it } from 'vitest'
import { FeeScheduleUnknown, removeFeeSchedule } from '../../../core/switching/manage-fee-schedules.ts'
import { findUndoable, rollBackFeeSchedule, rollBackLoad } from '../../../core/switching/roll-back.ts'
import { outdate } from '../../doubles/memory-contents.ts'
import { openSwitching, payer } from './open-switching.ts'

const gold = { payer, plan: 'Gold' }

/** Gold is loaded once for each of these files, and has the last. */
async function openLoaded(...files: readonly string[]) {
  const switching = openSwitching()
  const load = async (file: string) => (await switching.load({ plan: 'Gold', files: [file] })).loadId
  const loads: string[] = []
  for (const file of files) loads.push(await load(file))
  return { ...switching, load, loads, readFiles: async () => (await switching.search()).map(({ file }) => file) }
}

describe.each([
  ['its name', gold],
  ['its plan id', { payer, plan: 'Gold (HIOS 0123456789)' }],
])('a plan rolled back by %s', (_, asked) => {
  it('restores the previous content, and a second rollback undoes the first', async () => {
    const loaded = await openLoaded('a', 'b')
    await rollBackFeeSchedule(asked, loaded)
    expect(await loaded.readFiles()).toEqual(['a'])
    await rollBackFeeSchedule(asked, loaded)
    expect(await loaded.readFiles()).toEqual(['b'])
  })

  it('refuses to roll back the only load', async () => {
    const loaded = await openLoaded('a')
    await expect(rollBackFeeSchedule(asked, loaded)).rejects.toThrow(FeeScheduleUnknown)
    expect(await loaded.readFiles()).toEqual(['a'])
  })

  it('refuses to roll back to a content that an earlier version loaded', async () => {
    const loaded = await openLoaded('a')
    outdate(loaded.contents)
    await loaded.load('b')
    await expect(rollBackFeeSchedule(asked, loaded)).rejects.toThrow('an earlier version loaded its previous')
    expect(await loaded.readFiles()).toEqual(['b'])
  })

  it('restores a removed plan, which can be removed again', async () => {
    const loaded = await openLoaded('a')
    await removeFeeSchedule(asked, loaded)
    expect(await loaded.readFiles()).toEqual([])
    await expect(removeFeeSchedule(asked, loaded)).rejects.toThrow('is already removed')
    await rollBackFeeSchedule(asked, loaded)
    expect(await loaded.readFiles()).toEqual(['a'])
    await removeFeeSchedule(asked, loaded)
    expect(await loaded.readFiles()).toEqual([])
  })
})

describe('a plan of two plan ids', () => {
  it('rolls back all plan ids that one load changed, and no other', async () => {
    const switching = openSwitching()
    const load = (planId: string, file: string) => switching.load({ plan: 'PPO', planId, files: [file] })
    await load('111111111', 'a')
    await load('222222222', 'b')
    switching.wait(1)
    await load('222222222', 'c')
    await rollBackFeeSchedule({ payer, plan: 'PPO' }, switching)
    const variants = await switching.catalogue.listVariants({ payer, plan: 'PPO' })
    expect((await switching.search(variants)).map(({ file }) => file)).toEqual(['a', 'b'])
  })
})

describe('a rollback of a plan that was killed before it wrote the name', () => {
  it('gets finished by the next rollback, and undone by the one after it', async () => {
    const loaded = await openLoaded('a', 'b')
    loaded.catalogue.beforeReplace = ({ variantOf }) => {
      if (variantOf === undefined) throw new Error('killed')
    }
    await expect(rollBackFeeSchedule(gold, loaded)).rejects.toThrow('killed')
    loaded.catalogue.beforeReplace = undefined
    expect(await loaded.readFiles()).toEqual(['b'])
    await rollBackFeeSchedule(gold, loaded)
    expect(await loaded.readFiles()).toEqual(['a'])
    await rollBackFeeSchedule(gold, loaded)
    expect(await loaded.readFiles()).toEqual(['b'])
  })
})

describe('a load that cannot be rolled back', () => {
  it('reports the newer load that changed it', async () => {
    const loaded = await openLoaded('a', 'b')
    const [first = '', second] = loaded.loads
    expect(await findUndoable(first, loaded)).toMatchObject({ states: [], changers: [second] })
  })

  it('reports the rollback of a newer load that brought it back', async () => {
    const loaded = await openLoaded('a', 'b')
    const [first = '', second = ''] = loaded.loads
    await rollBackLoad(await findUndoable(second, loaded), loaded)
    const changers = [`undo-${second}`]
    expect(await findUndoable(first, loaded)).toMatchObject({ changers, broughtBack: 1, replaced: 0 })
    expect(await findUndoable(second, loaded)).toMatchObject({ changers, broughtBack: 0, replaced: 0 })
  })

  it('counts what a newer one replaced, and not what the load itself made active', async () => {
    const loaded = await openLoaded('a', 'b')
    const [first = '', second = ''] = loaded.loads
    expect(await findUndoable(second, loaded)).toMatchObject({ broughtBack: 0, replaced: 0 })
    expect(await findUndoable(first, loaded)).toMatchObject({ broughtBack: 0, replaced: 1 })
  })

  it('replaced what version 0.2 loaded, which searches no longer find; nothing changes', async () => {
    const loaded = await openLoaded('a')
    outdate(loaded.contents)
    const loadId = await loaded.load('b')
    const [entries, contents] = [[...loaded.catalogue.entries.values()], [...loaded.contents.contents.values()]]
    const undoing = rollBackLoad(await findUndoable(loadId, loaded), loaded)
    await expect(undoing).rejects.toThrow(/: an earlier version loaded its previous content.*: load its files again$/)
    expect([...loaded.catalogue.entries.values()]).toEqual(entries)
    expect([...loaded.contents.contents.values()]).toEqual(contents)
    expect(await loaded.readFiles()).toEqual(['b'])
  })
})
