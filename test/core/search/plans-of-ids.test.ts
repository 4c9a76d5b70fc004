import { describe, expect, it } from 'vitest'
import { readSearchedPlanId } from '../../../core/catalogue/plan-id.ts'
import { ensureIndexed } from '../../../core/catalogue/word-index/word-index.ts'
import { ownRates } from '../../../core/own-relation/own-rates.ts'
import { loadedRates } from '../../../core/rates/loaded-rates.ts'
import { namePlansOfIds } from '../../../core/search/plans-of-ids.ts'
import { newEntry, newRelationEntry } from '../../builders/sample-search.ts'
import { createMemoryCatalogue } from '../../doubles/memory-catalogue.ts'

/** Plans, each with its plan ids; counts the names that are read. */
async function openCatalogue(plans: Readonly<Record<string, readonly string[]>>) {
  const entries = Object.entries(plans).flatMap(([plan, ids]) => {
    const planIds = ids.map((id) => `ein|${id}`)
    const facts = { payer: 'Acme', planIds, planIdCount: ids.length }
    const variants = planIds.map((id, index) =>
      newEntry({ ...facts, plan: `${plan} (EIN ${ids[index]})`, variantOf: plan, planIds: [id], planIdCount: 1 }),
    )
    return [newEntry({ ...facts, plan }), ...variants]
  })
  const catalogue = createMemoryCatalogue(entries)
  await ensureIndexed({ catalogue, newId: () => 'segment', now: () => new Date(0) })
  const read = { names: 0 }
  const { find } = catalogue
  catalogue.find = (names) => {
    read.names += names.length
    return find(names)
  }
  return { catalogue, read }
}

const now = () => new Date('2026-11-23T09:00:00Z')

const idOf = (index: number) => String(100_000_000 + index)

describe('the plans of plan ids', () => {
  it('count once each, however many of the ids a plan has, and beside those that the search names', async () => {
    const { catalogue } = await openCatalogue({ Gold: [idOf(1), idOf(2)], Silver: [idOf(2)] })
    const gold = { payer: 'Acme', plan: 'Gold' }
    const asked = { feeSchedules: [gold], planIds: [idOf(1), idOf(2)] }
    expect(await namePlansOfIds({ catalogue, now }, asked, loadedRates)).toEqual({
      request: { feeSchedules: [gold, { payer: 'Acme', plan: 'Silver' }] },
    })
  })

  it('number at most 200, each counted once', async () => {
    const plans = Array.from({ length: 200 }, (_, index) => [`Plan ${index}`, [idOf(1), idOf(2)]])
    const { catalogue } = await openCatalogue(Object.fromEntries(plans))
    const { request, failure } = await namePlansOfIds(
      { catalogue, now },
      { feeSchedules: [], planIds: [idOf(1), idOf(2)] },
      loadedRates,
    )
    expect(request.feeSchedules).toHaveLength(200)
    expect(failure).toBeUndefined()
    const more = { feeSchedules: [{ payer: 'Other', plan: 'Gold' }], planIds: [idOf(1)] }
    expect((await namePlansOfIds({ catalogue, now }, more, loadedRates)).failure).toMatchObject({
      word: 'too_broad',
      sentence: expect.stringContaining('more than 200 fee schedules'),
    })
  })

  it('stop being looked up once there are too many', async () => {
    const planIds = Array.from({ length: 20 }, (_, index) => idOf(index))
    const plans = Array.from({ length: 4020 }, (_, index) => [`Plan ${index}`, [planIds[index % 20]]])
    const { catalogue, read } = await openCatalogue(Object.fromEntries(plans))
    const { request, failure } = await namePlansOfIds({ catalogue, now }, { feeSchedules: [], planIds }, loadedRates)
    expect(failure?.word).toBe('too_broad')
    expect(request.feeSchedules).toHaveLength(201)
    // Names and their variants, of a few ids at once.
    expect(read.names).toBeLessThan(2100)
  })

  it('need few reads of the index, however many of the ids nobody has', async () => {
    const { catalogue } = await openCatalogue({ Gold: [idOf(1)] })
    const reads = { starts: 0, together: 0 }
    const { findPostings, findPostingsOf } = catalogue
    catalogue.findPostings = (...sought) => {
      reads.starts += 1
      return findPostings(...sought)
    }
    catalogue.findPostingsOf = (keys) => {
      reads.together += 1
      return findPostingsOf(keys)
    }
    const planIds = Array.from({ length: 200 }, (_, index) => idOf(index + 1))
    const { request } = await namePlansOfIds({ catalogue, now }, { feeSchedules: [], planIds }, loadedRates)
    expect(request.feeSchedules).toEqual([{ payer: 'Acme', plan: 'Gold' }])
    expect(reads).toEqual({ starts: 0, together: 4 })
  })

  it('come from an EIN without its leading zeros', async () => {
    const { catalogue } = await openCatalogue({ Gold: ['004567890'] })
    const asked = { feeSchedules: [], planIds: [readSearchedPlanId('4567890')] }
    const { request } = await namePlansOfIds({ catalogue, now }, asked, loadedRates)
    expect(request.feeSchedules).toEqual([{ payer: 'Acme', plan: 'Gold' }])
  })

  it('come from today over an own relation, so that the search fails because it has no history', async () => {
    const gold = { payer: 'Acme', plan: 'Gold' }
    const catalogue = createMemoryCatalogue([newRelationEntry({ ...gold, planIds: [`ein|${idOf(1)}`] })])
    const asked = { feeSchedules: [], planIds: [idOf(1)], asOf: '2026-11-01' }
    expect(await namePlansOfIds({ catalogue, now }, asked, ownRates)).toEqual({
      request: { feeSchedules: [gold], asOf: '2026-11-01' },
    })
  })

  it('cause a failure if no fee schedule has their id', async () => {
    const { catalogue } = await openCatalogue({ Gold: [idOf(1)] })
    const asked = { feeSchedules: [], planIds: [idOf(1), idOf(2), '000'] }
    expect((await namePlansOfIds({ catalogue, now }, asked, loadedRates)).failure).toEqual({
      word: 'unsupported_fee_schedule',
      sentence: `No fee schedule has these plan ids: ${idOf(2)}, 000. Look for the plan by its name or sponsor with GET /v1/fee-schedules?q=.`,
    })
  })
})
