import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cleanWarehouse } from '../../../core/switching/clean-warehouse.ts'
import { removeFeeSchedule } from '../../../core/switching/manage-fee-schedules.ts'
import type { SwitchDeps } from '../../../core/switching/plan-changes.ts'
import { CurrentNotWritten, publishCurrent } from '../../../core/switching/publish-current.ts'
import { rollBackFeeSchedule } from '../../../core/switching/roll-back.ts'
import type { WarehouseFolder } from '../../../loader/publish/warehouse/warehouse-folder.ts'
import { currentTable } from '../../../schema/columns/warehouse-tables.ts'
import { buildFile, buildItem } from '../../builders/in-network-builder.ts'
import { createTestWarehouse } from '../../builders/test-warehouse.ts'

const gold = { payer: 'Blue Harbor Health', plan: 'Harbor PPO Gold' }

async function createLoaded() {
  const warehouse = await createTestWarehouse()
  const load = async (billing_code: string) =>
    warehouse.load({
      files: [await warehouse.write('a.json', buildFile({ in_network: [buildItem({ billing_code })] }))],
    })
  let ids = 0
  const deps: SwitchDeps & Pick<typeof warehouse, 'records'> = {
    ...warehouse,
    warehouse: warehouse.folder,
    newId: () => `id${ids++}`,
    now: () => new Date('2026-11-20T10:00:00Z'),
  }
  const readCodes = async () => (await warehouse.readCurrent()).map((row) => row['billing_code'])
  const listVersions = async () =>
    (await readdir(join(warehouse.root, currentTable.name), { recursive: true })).filter((name) => name.includes('.'))
  return { ...warehouse, load, deps, readCodes, listVersions }
}

/** A warehouse that fails to store what is current. */
const failing = (folder: WarehouseFolder): WarehouseFolder => ({
  ...folder,
  writeCurrent: () => Promise.reject(new Error('Access Denied')),
})

describe('the view rates_current', () => {
  it('has the rows that searches find, and none that a load has superseded', async () => {
    await using loaded = await createLoaded()
    await loaded.load('99211')
    await loaded.load('99212')
    // Names and places of providers are joined by searches alone.
    const {
      provider_name: _,
      provider_taxonomy: _1,
      provider_city: _2,
      provider_state: _3,
      provider_zip: _4,
      ...rates
    } = (await loaded.readRates())[0] ?? {}
    expect(await loaded.readCurrent()).toEqual([rates])
    expect(await loaded.readCodes()).toEqual(['99212'])
  })

  it('follows rollbacks and removals, and is empty after the last', async () => {
    await using loaded = await createLoaded()
    await loaded.load('99211')
    await loaded.load('99212')
    await rollBackFeeSchedule(gold, loaded.deps)
    expect(await loaded.readCodes()).toEqual(['99211'])
    await removeFeeSchedule(gold, loaded.deps)
    expect(await loaded.readCodes()).toEqual([])
  })

  it('has a plan whose ids have other files once under each id, as lists have it', async () => {
    await using warehouse = await createTestWarehouse()
    for (const [id, code] of Object.entries({ 111111111: '99211', 222222222: '99212' })) {
      const file = buildFile({ plan_id: id, plan_id_type: 'EIN', in_network: [buildItem({ billing_code: code })] })
      await warehouse.load({ files: [await warehouse.write(`${id}.json`, file)] })
    }
    const rows = await warehouse.readCurrent()
    expect(rows.map((row) => [row['plan'], row['billing_code']]).sort()).toEqual([
      [`${gold.plan} (EIN 111111111)`, '99211'],
      [`${gold.plan} (EIN 222222222)`, '99212'],
    ])
  })

  it('says that a change is made if it cannot be written, and clean writes it', async () => {
    await using loaded = await createLoaded()
    await loaded.load('99211')
    const removing = removeFeeSchedule(gold, { ...loaded.deps, warehouse: failing(loaded.folder) })
    await expect(removing).rejects.toThrow(new CurrentNotWritten(new Error('Access Denied')).message)
    expect(await loaded.readRates()).toEqual([])
    expect(await loaded.readCodes()).toEqual(['99211'])
    await cleanWarehouse(loaded.deps)
    expect(await loaded.readCodes()).toEqual([])
  })

  it('stays as it is if clean cannot write it, and nothing is removed', async () => {
    await using loaded = await createLoaded()
    await loaded.load('99211')
    await loaded.load('99212')
    const [files, later] = [await loaded.listFiles(), () => new Date('2126-11-20T10:00:00Z')]
    const cleaning = cleanWarehouse({ ...loaded.deps, now: later, warehouse: failing(loaded.folder) })
    await expect(cleaning).rejects.toThrow(CurrentNotWritten)
    expect(await loaded.listFiles()).toEqual(files)
  })

  it('is that of the operation that read the catalogue last, whichever is written last', async () => {
    await using loaded = await createLoaded()
    await loaded.load('99211')
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const { promise: stalled, resolve: stall } = Promise.withResolvers<void>()
    const slow = publishCurrent({
      ...loaded.deps,
      warehouse: {
        ...loaded.folder,
        writeCurrent: async (...args) => {
          stall()
          await released
          return loaded.folder.writeCurrent(...args)
        },
      },
    })
    await stalled
    await loaded.load('99212')
    release()
    await slow
    expect(await loaded.readCodes()).toEqual(['99212'])
  })

  it('keeps ten versions, and removes those that a killed operation has left', async () => {
    await using loaded = await createLoaded()
    await loaded.load('99211')
    const killed = { ...loaded.folder, remove: () => Promise.reject(new Error('killed')) }
    for (let time = 0; time < 3; time++)
      await expect(publishCurrent({ ...loaded.deps, warehouse: killed })).rejects.toThrow('killed')
    for (let time = 0; time < 20; time++) await publishCurrent(loaded.deps)
    expect(await loaded.listVersions()).toHaveLength(10)
    expect(await loaded.readCodes()).toEqual(['99211'])
  })
})
