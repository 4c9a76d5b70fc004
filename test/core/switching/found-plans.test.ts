import { describe, expect, it } from 'vitest'
import type { PlanFacts } from '../../../core/catalogue/plan-facts.ts'
import { findFeeSchedules } from '../../../core/catalogue/word-index/find-fee-schedules.ts'
import type { FeeScheduleFilters } from '../../../core/catalogue/word-index/look-up-words.ts'
import { loadedRates } from '../../../core/rates/loaded-rates.ts'
import { namePlansOfIds } from '../../../core/search/plans-of-ids.ts'
import { cleanWarehouse } from '../../../core/switching/clean-warehouse.ts'
import { removeFeeSchedule } from '../../../core/switching/manage-fee-schedules.ts'
import { findUndoable, rollBackFeeSchedule, rollBackLoad } from '../../../core/switching/roll-back.ts'
import { createMemoryCatalogue } from '../../doubles/memory-catalogue.ts'
import { openSwitching, payer } from './open-switching.ts'

function openMonths(catalogue = createMemoryCatalogue()) {
  const find = async (filters: FeeScheduleFilters) =>
    (await findFeeSchedules(catalogue, { ...filters, limit: 100 })).items.map(({ plan }) => plan)
  return { ...openSwitching(catalogue), find }
}

const gold = (sponsor: string, facts: PlanFacts = {}) => ({
  plan: 'Gold',
  planId: '123456789',
  files: ['a'],
  facts: { sponsors: [sponsor], ...facts },
})

describe('a loaded plan', () => {
  it('keeps each sponsor of a name whose plan ids have the same files', async () => {
    const months = openMonths()
    await months.load(gold('Harbor Foods'), { ...gold('Summit Motors'), planId: '222222222' })
    expect(await months.find({ sponsor: 'summit' })).toEqual(['Gold'])
    expect(await months.find({ planId: '222222222', sponsor: 'harbor' })).toEqual([])
    const [name] = await months.catalogue.find([{ payer, plan: 'Gold' }])
    expect(name?.state).toMatchObject({ facts: { sponsors: ['Harbor Foods', 'Summit Motors'] } })
  })
})

describe('finding plans', () => {
  it('by plan id never leads to the rates of another plan id, while a load switches or after it was killed', async () => {
    const months = openMonths()
    const { catalogue } = months
    await months.load(gold('Harbor Foods'))
    const next = [gold('Harbor Foods'), { ...gold('Summit Motors'), planId: '222222222', files: ['b'] }]
    catalogue.beforeReplace = ({ variantOf }) => {
      if (variantOf === undefined) throw new Error('killed')
    }
    await expect(months.load(...next)).rejects.toThrow('killed')
    catalogue.beforeReplace = undefined
    const read = async (planId: string) => {
      const asked = { feeSchedules: [], planIds: [planId] }
      return (await namePlansOfIds(months, asked, loadedRates)).request.feeSchedules
    }
    expect(await read('222222222')).toEqual([{ payer, plan: 'Gold (EIN 222222222)' }])
    expect(await read('123456789')).toEqual([{ payer, plan: 'Gold' }])
    await months.load(...next)
    expect(await read('123456789')).toEqual([{ payer, plan: 'Gold (EIN 123456789)' }])
  })

  it('follows a load that changes only a sponsor, its rollback, a removal and its rollback', async () => {
    const months = openMonths()
    await months.load(gold('Harbor Foods'))
    const second = await months.load(gold('Summit Motors'))
    expect(second.switched).toHaveLength(2)
    expect([await months.find({ q: 'foods' }), await months.find({ q: 'motors' })]).toEqual([[], ['Gold']])
    await rollBackLoad(await findUndoable(second.loadId, months), months)
    expect([await months.find({ q: 'foods' }), await months.find({ q: 'motors' })]).toEqual([['Gold'], []])
    await removeFeeSchedule({ payer, plan: 'Gold' }, months)
    expect(await months.find({ planId: '123456789' })).toEqual([])
    await rollBackFeeSchedule({ payer, plan: 'Gold' }, months)
    expect(await months.find({ planId: '123456789', q: 'foods' })).toEqual(['Gold'])
  })

  it('writes nothing to the index in a month without other names, ids, sponsors or market types', async () => {
    const months = openMonths()
    await months.load(gold('Harbor Foods', { productTypes: ['PPO'] }))
    const before = await months.catalogue.listSegments()
    const facts = { productTypes: ['EPO'], networks: ['Other Net'] }
    const { switched } = await months.load({ ...gold('Harbor Foods', facts), files: ['b'] })
    expect(switched[0]).toBeDefined()
    expect(await months.catalogue.listSegments()).toEqual(before)
    await months.load(gold('Summit Motors', { productTypes: ['EPO'] }))
    expect(await months.catalogue.listSegments()).not.toEqual(before)
  })

  it('works on after clean has written the index anew, without what is gone for good', async () => {
    const months = openMonths()
    await months.load(gold('Harbor Foods'), { plan: 'Silver', files: ['a'] })
    await months.load(gold('Summit Motors'), { plan: 'Silver', files: ['a'] })
    await removeFeeSchedule({ payer, plan: 'Silver' }, months)
    months.wait(1)
    const { catalogue } = months
    const segments = await catalogue.listSegments()
    await cleanWarehouse(months)
    expect(await catalogue.listSegments()).toEqual(segments)
    months.wait(29)
    await cleanWarehouse(months)
    expect(await catalogue.listSegments()).toHaveLength(1)
    expect(await months.find({ q: 'motors' })).toEqual(['Gold'])
    expect(await catalogue.findPostings('silver')).toEqual([])
    // A rollback is still possible, and what it brings back is found.
    await rollBackFeeSchedule({ payer, plan: 'Gold' }, months).catch(() => undefined)
    await months.load(gold('Harbor Foods'))
    expect(await months.find({ q: 'foods' })).toEqual(['Gold'])
  })

  it('indexes what an earlier version loaded at the next load', async () => {
    const months = openMonths()
    await months.load(gold('Harbor Foods'))
    const former = createMemoryCatalogue([...months.catalogue.entries.values()])
    const next = openMonths(former)
    expect([await former.isIndexed(), await next.find({ planId: '123456789' })]).toEqual([false, ['Gold']])
    await next.load({ plan: 'Other', files: ['b'] })
    expect([await former.isIndexed(), await next.find({ planId: '123456789' })]).toEqual([true, ['Gold']])
  })
})
