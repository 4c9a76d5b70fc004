import { describe, expect, it } from 'vitest'
import { findUndoable, rollBackLoad } from '../../../core/switching/roll-back.ts'
import { buildFile, buildItem } from '../../builders/in-network-builder.ts'
import { createTestWarehouse } from '../../builders/test-warehouse.ts'
import { outdate } from '../../doubles/memory-contents.ts'

async function createLoadedTwice() {
  const warehouse = await createTestWarehouse()
  const load = async (billing_code: string) => {
    const file = buildFile({ in_network: [buildItem({ billing_code })] })
    return (await warehouse.load({ files: [await warehouse.write('a.json', file)] })).loadId
  }
  let ids = 0
  const deps = { ...warehouse, warehouse: warehouse.folder, newId: () => `id${ids++}`, now: () => new Date() }
  return { ...warehouse, first: await load('99211'), second: await load('99212'), deps }
}

describe('a load that cannot be rolled back', () => {
  it('was changed by a newer load, which is named', async () => {
    await using loaded = await createLoadedTwice()
    expect(await findUndoable(loaded.first, loaded.deps)).toMatchObject({ states: [], changers: [loaded.second] })
  })

  it('was brought back by the rollback of a newer one, which is named', async () => {
    await using loaded = await createLoadedTwice()
    await rollBackLoad(await findUndoable(loaded.second, loaded.deps), loaded.deps)
    const changers = [`undo-${loaded.second}`]
    expect(await findUndoable(loaded.first, loaded.deps)).toMatchObject({ changers, broughtBack: 1, replaced: 0 })
    expect(await findUndoable(loaded.second, loaded.deps)).toMatchObject({ changers, broughtBack: 0, replaced: 0 })
  })

  it('counts what a newer one replaced, and not what the load itself made active', async () => {
    await using loaded = await createLoadedTwice()
    expect(await findUndoable(loaded.second, loaded.deps)).toMatchObject({ broughtBack: 0, replaced: 0 })
    expect(await findUndoable(loaded.first, loaded.deps)).toMatchObject({ broughtBack: 0, replaced: 1 })
  })

  it('replaced what version 0.2 loaded, which searches no longer find; nothing changes', async () => {
    await using loaded = await createLoadedTwice()
    outdate(loaded.contents)
    const file = buildFile({ in_network: [buildItem({ billing_code: '99213' })] })
    const { loadId } = await loaded.load({ files: [await loaded.write('a.json', file)] })
    const [entries, contents] = [[...loaded.catalogue.entries.values()], [...loaded.contents.contents.values()]]
    const undoing = rollBackLoad(await findUndoable(loadId, loaded.deps), loaded.deps)
    await expect(undoing).rejects.toThrow(/: an earlier version loaded its previous content.*: load its files again$/)
    expect([...loaded.catalogue.entries.values()]).toEqual(entries)
    expect([...loaded.contents.contents.values()]).toEqual(contents)
    expect(await loaded.readRates()).toMatchObject([{ billing_code: '99213' }])
  })
})
