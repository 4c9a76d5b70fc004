import { describe, expect, it } from 'vitest'
import type { CatalogueEntry } from '../../../../core/catalogue/catalogue-entry.ts'
import { openNearest } from '../../../../core/catalogue/resolving/missing-fee-schedules.ts'
import { findActiveVariants, readSearchableNames } from '../../../../core/catalogue/resolving/searchable-names.ts'
import { newAmbiguousEntry, newEntry, newRelationEntry } from '../../../builders/sample-search.ts'
import { createMemoryCatalogue } from '../../../doubles/memory-catalogue.ts'

const payer = 'Acme Health'
const removed = (entry: CatalogueEntry): CatalogueEntry => ({ ...entry, state: { status: 'removed' } })
const variant = (plan: string, id: number) => newEntry({ plan: `${plan} (EIN ${id})`, variantOf: plan })
const plansOf = (found: readonly { readonly plan: string }[]) => found.map(({ plan }) => plan)

const entries = [
  newEntry({ plan: 'Basic' }),
  ...[variant('Basic', 1), variant('Basic', 2)],
  ...[newAmbiguousEntry({ plan: 'PPO' }), variant('PPO', 1), removed(variant('PPO', 2)), variant('PPO', 3)],
  removed(newEntry({ plan: 'Silver' })),
  newRelationEntry({ payer: 'Own', plan: 'Gold' }),
]

describe('the names that can be searched', () => {
  it('include plans by their name, and the plan ids of ambiguous names', async () => {
    const catalogue = createMemoryCatalogue(entries)
    expect(plansOf(await readSearchableNames(catalogue))).toEqual(['Basic', 'PPO (EIN 1)', 'PPO (EIN 3)', 'Gold'])
    expect(plansOf(await readSearchableNames(catalogue, payer))).toEqual(['Basic', 'PPO (EIN 1)', 'PPO (EIN 3)'])
  })

  it('include the active variants of a plan, up to the limit', async () => {
    const catalogue = createMemoryCatalogue(entries)
    expect(plansOf(await findActiveVariants(catalogue, { payer, plan: 'PPO' }, 2))).toEqual([
      'PPO (EIN 1)',
      'PPO (EIN 3)',
    ])
    expect(plansOf(await findActiveVariants(catalogue, { payer, plan: 'PPO' }, 1))).toEqual(['PPO (EIN 1)'])
    expect(plansOf(await findActiveVariants(catalogue, { payer, plan: 'Basic' }, 5))).toEqual([
      ...['Basic (EIN 1)', 'Basic (EIN 2)'],
    ])
  })
})

describe('the nearest fee schedules', () => {
  const known = [
    ...entries,
    ...['Gold PPO', 'Gold PPO Extra', 'Gold HMO'].map((plan) => newEntry({ payer: 'Acme Healthcare', plan })),
    newEntry({ payer: 'Acme Healthy', plan: 'Other' }),
  ]
  const nearestIn = (catalogue: ReturnType<typeof createMemoryCatalogue>) => {
    const byKey = new Map(entries.map((entry) => [`${entry.payer}/${entry.plan}`, entry]))
    const find = openNearest(catalogue, byKey)
    return async (asked: string, plan: string) =>
      (await find({ payer: asked, plan }, `${asked}/${plan}`)).map((one) => `${one.payer}/${one.plan}`)
  }

  it('list the plan ids of an ambiguous name', async () => {
    const nearest = nearestIn(createMemoryCatalogue(known))
    expect(await nearest(payer, 'PPO')).toEqual([`${payer}/PPO (EIN 1)`, `${payer}/PPO (EIN 3)`])
  })

  it('list plans of the payer if it has any, and none if no name is similar', async () => {
    const nearest = nearestIn(createMemoryCatalogue(known))
    expect(await nearest(payer, 'Basik')).toEqual([`${payer}/Basic`])
    expect(await nearest(payer, 'Platinum Catastrophic')).toEqual([])
  })

  it('list the same or the nearest plan of payers with a similar name', async () => {
    const nearest = nearestIn(createMemoryCatalogue(known))
    expect(await nearest('Acme Healthcar', 'Gold PPO')).toEqual(['Acme Healthcare/Gold PPO'])
    expect(await nearest('Acme Healthcar', 'Gold HMOS')).toEqual(['Acme Healthcare/Gold HMO'])
    expect(await nearest('Nobody', 'Gold PPO')).toEqual([])
  })

  it('read the names of each payer once', async () => {
    const catalogue = createMemoryCatalogue(known)
    const nearest = nearestIn(catalogue)
    for (let time = 0; time < 3; time++) await nearest('Acme Healthcar', 'Gold PPO')
    // The payer itself, all payers, and the payer of the nearest name.
    expect(catalogue.asked.lists).toBe(3)
  })
})
