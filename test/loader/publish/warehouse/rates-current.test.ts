import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { removeFeeSchedule } from '../../../../core/switching/manage-fee-schedules.ts'
import { rollBackFeeSchedule } from '../../../../core/switching/roll-back.ts'
import { buildFile, buildItem } from '../../../builders/in-network-builder.ts'
import { createTestWarehouse } from '../../../builders/test-warehouse.ts'

const gold = { payer: 'Blue Harbor Health', plan: 'Harbor PPO Gold' }

async function createLoaded() {
  const warehouse = await createTestWarehouse()
  const load = async (billing_code: string) =>
    warehouse.load({
      files: [await warehouse.write('a.json', buildFile({ in_network: [buildItem({ billing_code })] }))],
    })
  const readCodes = async () => (await warehouse.readCurrent()).map((row) => row['billing_code'])
  return { ...warehouse, load, readCodes }
}

describe('the view rates_current', () => {
  it('returns the rows that searches find, and none that a load has superseded', async () => {
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
    const deps = { ...loaded, warehouse: loaded.folder, newId: () => randomUUID(), now: () => new Date() }
    await rollBackFeeSchedule(gold, deps)
    expect(await loaded.readCodes()).toEqual(['99211'])
    await removeFeeSchedule(gold, deps)
    expect(await loaded.readCodes()).toEqual([])
  })

  it('returns a plan whose ids have different files once under each id', async () => {
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
})
