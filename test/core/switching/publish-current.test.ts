import { describe, expect, it } from 'vitest'
import { cleanWarehouse } from '../../../core/switching/clean-warehouse.ts'
import { removeFeeSchedule } from '../../../core/switching/manage-fee-schedules.ts'
import type { Warehouse } from '../../../core/switching/ports.ts'
import { CurrentNotWritten, publishCurrent } from '../../../core/switching/publish-current.ts'
import { openSwitching, payer } from './open-switching.ts'

/** Gold is loaded once for each of these files. */
async function openLoaded(...files: readonly string[]) {
  const switching = openSwitching()
  const { warehouse } = switching
  const loadFile = (file: string) => switching.load({ plan: 'Gold', files: [file] })
  for (const file of files) await loadFile(file)
  const readFiles = () =>
    warehouse
      .readCurrent()
      .flatMap(({ contentId }) => warehouse.contents.get(contentId)?.sources.map(({ name }) => name))
  return { ...switching, loadFile, readFiles }
}

/** A warehouse that fails to store what is current. */
const failing = (warehouse: Warehouse): Warehouse => ({
  ...warehouse,
  writeCurrent: () => Promise.reject(new Error('Access Denied')),
})

describe('what is written of what searches read now', () => {
  it('says that a change is made if it cannot be written, and clean writes it', async () => {
    const loaded = await openLoaded('a')
    const removing = removeFeeSchedule({ payer, plan: 'Gold' }, { ...loaded, warehouse: failing(loaded.warehouse) })
    await expect(removing).rejects.toThrow(new CurrentNotWritten(new Error('Access Denied')).message)
    expect(await loaded.search()).toEqual([])
    expect(loaded.readFiles()).toEqual(['a'])
    await cleanWarehouse(loaded)
    expect(loaded.readFiles()).toEqual([])
  })

  it('stays as it is if clean cannot write it, and nothing is removed', async () => {
    const loaded = await openLoaded('a', 'b')
    const stored = await loaded.warehouse.list()
    loaded.wait(100 * 365 * 24)
    const cleaning = cleanWarehouse({ ...loaded, warehouse: failing(loaded.warehouse) })
    await expect(cleaning).rejects.toThrow(CurrentNotWritten)
    expect(await loaded.warehouse.list()).toEqual(stored)
  })

  it('comes from the operation that read the catalogue last, whichever is written last', async () => {
    const loaded = await openLoaded('a')
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const { promise: stalled, resolve: stall } = Promise.withResolvers<void>()
    const slow = publishCurrent({
      ...loaded,
      warehouse: {
        ...loaded.warehouse,
        writeCurrent: async (...args) => {
          stall()
          await released
          return loaded.warehouse.writeCurrent(...args)
        },
      },
    })
    await stalled
    await loaded.loadFile('b')
    release()
    await slow
    expect(loaded.readFiles()).toEqual(['b'])
  })

  it('takes the next free version if the catalogue was restored from a backup that is older than the warehouse', async () => {
    const loaded = await openLoaded('a', 'b', 'c')
    let version = 0
    const restored = { ...loaded.contents, nextVersion: async () => ++version }
    await removeFeeSchedule({ payer, plan: 'Gold' }, { ...loaded, contents: restored })
    expect(version).toBe(4)
    expect(loaded.readFiles()).toEqual([])
  })

  it('keeps ten versions, and removes those that a killed operation has left', async () => {
    const loaded = await openLoaded('a')
    const killed = { ...loaded.warehouse, remove: () => Promise.reject(new Error('killed')) }
    for (let time = 0; time < 3; time++)
      await expect(publishCurrent({ ...loaded, warehouse: killed })).rejects.toThrow('killed')
    for (let time = 0; time < 20; time++) await publishCurrent(loaded)
    expect(loaded.warehouse.listVersions()).toHaveLength(10)
    expect(loaded.readFiles()).toEqual(['a'])
  })
})
