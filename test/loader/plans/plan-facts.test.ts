import { describe, expect, it } from 'vitest'
import { findFeeSchedules } from '../../../core/catalogue/word-index/find-fee-schedules.ts'
import { buildFile, buildReference } from '../../builders/in-network-builder.ts'
import { buildPlan, buildTableOfContents } from '../../builders/table-of-contents-builder.ts'
import { createTestWarehouse, type TestWarehouse } from '../../builders/test-warehouse.ts'

const payer = 'Blue Harbor Health'

const gold = (plan_sponsor_name: unknown, fields: object = {}) =>
  buildPlan('Gold', { plan_id: '12-3456789', plan_id_type: 'EIN', plan_sponsor_name, ...fields })

/** Loads a table of contents that lists a plan with one file. */
async function loadPlan(warehouse: TestWarehouse, plan: object) {
  const { plan_name: _, ...file } = buildFile({ provider_references: [buildReference({ network_name: ['PPO Net'] })] })
  await warehouse.write('a.json', file)
  const contents = buildTableOfContents({ plans: [plan], files: ['https://rates.example/a.json'] })
  return warehouse.load({ files: [], toc: await warehouse.write('toc.json', contents) })
}

describe('a loaded plan', () => {
  it('takes its facts from its table of contents, and its networks from its files', async () => {
    await using warehouse = await createTestWarehouse()
    await loadPlan(warehouse, gold('  Harbor  Foods Inc. ', { plan_market_type: 'Group', product_type: 'PPO' }))
    const facts = {
      sponsors: ['Harbor Foods Inc.'],
      markets: ['group'],
      issuers: [payer],
      networks: ['PPO Net'],
      productTypes: ['PPO'],
    }
    const names = ['Gold', 'Gold (EIN 123456789)'].map((plan) => ({ payer, plan }))
    const states = (await warehouse.catalogue.find(names)).map(({ state }) => state)
    expect(states).toMatchObject([{ facts }, { facts }])
  })

  it('takes its facts from its file if there is no table of contents', async () => {
    await using warehouse = await createTestWarehouse()
    const fields = { plan_id: '123456789', plan_id_type: 'ein', plan_sponsor_name: 'Acme', plan_market_type: 'group' }
    await warehouse.load({ files: [await warehouse.write('a.json', buildFile(fields))] })
    const { items } = await findFeeSchedules(warehouse.catalogue, { sponsor: 'acme', planId: '123456789', limit: 10 })
    expect(items).toMatchObject([{ state: { facts: { sponsors: ['Acme'], markets: ['group'] } } }])
  })

  it.each([[7], [null], [['Acme']], ['a\u0007b'], ['x'.repeat(300)], ['x'.repeat(5_000_000)]])(
    'loses a sponsor that nobody could ask for, and is loaded',
    async (sponsor) => {
      await using warehouse = await createTestWarehouse()
      const { leftOut } = await loadPlan(warehouse, gold(sponsor))
      expect(leftOut).toEqual([])
      const [name] = await warehouse.catalogue.find([{ payer, plan: 'Gold' }])
      expect(name?.state).toMatchObject({ facts: { issuers: [payer] } })
      expect(name?.state).not.toHaveProperty('facts.sponsors')
    },
  )
})
