import { describe, expect, it } from 'vitest'
import { findFeeSchedules } from '../../../core/catalogue/finding/find-fee-schedules.ts'
import type { Wanted } from '../../../core/catalogue/finding/look-up-words.ts'
import { namePlansOfIds } from '../../../core/search/plans-of-ids.ts'
import { cleanWarehouse } from '../../../core/switching/clean-warehouse.ts'
import { removeFeeSchedule } from '../../../core/switching/manage-fee-schedules.ts'
import { findUndoable, rollBackFeeSchedule, rollBackLoad } from '../../../core/switching/roll-back.ts'
import { buildFile, buildReference } from '../../builders/in-network-builder.ts'
import { buildPlan, buildTableOfContents } from '../../builders/table-of-contents-builder.ts'
import { createTestWarehouse } from '../../builders/test-warehouse.ts'
import { createMemoryCatalogue } from '../../doubles/memory-catalogue.ts'

const payer = 'Blue Harbor Health'
const address = 'https://rates.example/a.json'

/** A warehouse into which tables of contents with one file are loaded. */
async function openMonths() {
  const start = Date.parse('2026-11-01T00:00:00Z')
  const clock = { hours: 0 }
  const now = () => new Date(start + clock.hours * 3_600_000)
  const warehouse = await createTestWarehouse(undefined, now)
  const { plan_name: _, ...file } = buildFile({ provider_references: [buildReference({ network_name: ['PPO Net'] })] })
  await warehouse.write('a.json', file)
  let ids = 0
  const deps = { ...warehouse, warehouse: warehouse.folder, newId: () => `own${ids++}`, now }
  const find = async (wanted: Wanted) =>
    (await findFeeSchedules(warehouse.catalogue, { ...wanted, limit: 100 })).items.map(({ plan }) => plan)
  const load = async (...plans: readonly object[]) => {
    const toc = await warehouse.write('toc.json', buildTableOfContents({ plans, files: [address] }))
    return warehouse.load({ files: [], toc })
  }
  return { warehouse, deps, clock, find, load, [Symbol.asyncDispose]: () => warehouse[Symbol.asyncDispose]() }
}

const gold = (plan_sponsor_name: unknown, fields: object = {}) =>
  buildPlan('Gold', { plan_id: '12-3456789', plan_id_type: 'EIN', plan_sponsor_name, ...fields })

describe('a loaded plan', () => {
  it('has each sponsor of a name whose plan ids have the same files', async () => {
    await using months = await openMonths()
    await months.load(gold('Harbor Foods'), gold('Summit Motors', { plan_id: '22-2222222' }))
    expect(await months.find({ sponsor: 'summit' })).toEqual(['Gold'])
    expect(await months.find({ planId: '222222222', sponsor: 'harbor' })).toEqual([])
    const [name] = await months.warehouse.catalogue.find([{ payer, plan: 'Gold' }])
    expect(name?.state).toMatchObject({ facts: { sponsors: ['Harbor Foods', 'Summit Motors'] } })
  })
})

describe('finding plans', () => {
  it('by plan id never leads to the rates of another plan id, while a load switches or after it was killed', async () => {
    await using months = await openMonths()
    const { warehouse } = months
    await months.load(gold('Harbor Foods'))
    const { plan_name: _, ...other } = buildFile({ last_updated_on: '2026-12-01' })
    await warehouse.write('b.json', other)
    const contents = buildTableOfContents(
      { plans: [gold('Harbor Foods')], files: [address] },
      { plans: [gold('Summit Motors', { plan_id: '22-2222222' })], files: ['https://rates.example/b.json'] },
    )
    const toc = await warehouse.write('toc.json', contents)
    warehouse.catalogue.beforeReplace = ({ variantOf }) => {
      if (variantOf === undefined) throw new Error('killed')
    }
    await expect(warehouse.load({ files: [], toc })).rejects.toThrow('killed')
    warehouse.catalogue.beforeReplace = undefined
    const read = async (planId: string) => {
      const asked = { feeSchedules: [], planIds: [planId] }
      return (await namePlansOfIds({ ...warehouse, now: () => new Date() }, asked, false)).request.feeSchedules
    }
    expect(await read('222222222')).toEqual([{ payer, plan: 'Gold (EIN 222222222)' }])
    expect(await read('123456789')).toEqual([{ payer, plan: 'Gold' }])
    await warehouse.load({ files: [], toc })
    expect(await read('123456789')).toEqual([{ payer, plan: 'Gold (EIN 123456789)' }])
  })

  it('follows a load that changes only a sponsor, its rollback, a removal and its rollback', async () => {
    await using months = await openMonths()
    await months.load(gold('Harbor Foods'))
    const second = await months.load(gold('Summit Motors'))
    expect(second.switched).toHaveLength(2)
    expect([await months.find({ q: 'foods' }), await months.find({ q: 'motors' })]).toEqual([[], ['Gold']])
    await rollBackLoad(await findUndoable(second.loadId, months.deps), months.deps)
    expect([await months.find({ q: 'foods' }), await months.find({ q: 'motors' })]).toEqual([['Gold'], []])
    await removeFeeSchedule({ payer, plan: 'Gold' }, months.deps)
    expect(await months.find({ planId: '123456789' })).toEqual([])
    await rollBackFeeSchedule({ payer, plan: 'Gold' }, months.deps)
    expect(await months.find({ planId: '123456789', q: 'foods' })).toEqual(['Gold'])
  })

  it('writes nothing to the index in a month without other names, ids, sponsors or market types', async () => {
    await using months = await openMonths()
    await months.load(gold('Harbor Foods', { product_type: 'PPO' }))
    const before = await months.warehouse.catalogue.listSegments()
    const { plan_name: _, ...file } = buildFile({ last_updated_on: '2026-12-01' })
    const provider_references = [buildReference({ network_name: ['Other Net'] })]
    await months.warehouse.write('a.json', { ...file, provider_references })
    const { switched } = await months.load(gold('Harbor Foods', { product_type: 'EPO' }))
    expect(switched[0]).toBeDefined()
    expect(await months.warehouse.catalogue.listSegments()).toEqual(before)
    await months.load(gold('Summit Motors', { product_type: 'EPO' }))
    expect(await months.warehouse.catalogue.listSegments()).not.toEqual(before)
  })

  it('works on after clean has written the index anew, without what is gone for good', async () => {
    await using months = await openMonths()
    await months.load(gold('Harbor Foods'), buildPlan('Silver'))
    await months.load(gold('Summit Motors'), buildPlan('Silver'))
    await removeFeeSchedule({ payer, plan: 'Silver' }, months.deps)
    months.clock.hours = 1
    const { catalogue } = months.warehouse
    const segments = await catalogue.listSegments()
    await cleanWarehouse(months.deps)
    expect(await catalogue.listSegments()).toEqual(segments)
    months.clock.hours = 30
    await cleanWarehouse(months.deps)
    expect(await catalogue.listSegments()).toHaveLength(1)
    expect(await months.find({ q: 'motors' })).toEqual(['Gold'])
    expect(await catalogue.findPostings('silver')).toEqual([])
    // A rollback is still possible, and what it brings back is found.
    await rollBackFeeSchedule({ payer, plan: 'Gold' }, months.deps).catch(() => undefined)
    await months.load(gold('Harbor Foods'))
    expect(await months.find({ q: 'foods' })).toEqual(['Gold'])
  })

  it('indexes what an earlier version loaded at the next load', async () => {
    await using months = await openMonths()
    await months.load(gold('Harbor Foods'))
    const former = createMemoryCatalogue([...months.warehouse.catalogue.entries.values()])
    await using next = await createTestWarehouse(former)
    const find = async () =>
      (await findFeeSchedules(former, { planId: '123456789', limit: 10 })).items.map(({ plan }) => plan)
    expect([await former.isIndexed(), await find()]).toEqual([false, ['Gold']])
    await next.load({ files: [await next.write('b.json', buildFile({ plan_name: 'Other' }))] })
    expect([await former.isIndexed(), await find()]).toEqual([true, ['Gold']])
  })
})
