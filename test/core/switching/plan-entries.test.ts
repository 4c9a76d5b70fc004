import { describe, expect, it } from 'vitest'
import type { ActiveState } from '../../../core/catalogue/catalogue-entry.ts'
import { readPlanEntries } from '../../../core/switching/plan-entries.ts'
import { deriveName } from '../../../core/switching/settle-names.ts'
import { newEntry } from '../../builders/sample-search.ts'
import { openSwitching, payer } from './open-switching.ts'

describe('the entries of plans', () => {
  it.each([
    [100, 0],
    [101, 1],
  ])('equal those read one by one, for %i plans with %i lists of their payer', async (count, lists) => {
    const switching = openSwitching()
    const names = Array.from({ length: 103 }, (_, index) => `Plan ${index}`)
    await switching.load(...names.map((plan) => ({ plan, files: [plan] })))
    const plans = names.slice(0, count).map((plan) => ({ payer, plan }))
    switching.catalogue.asked.lists = 0
    const entriesOf = await readPlanEntries(plans, switching.catalogue)
    expect(switching.catalogue.asked.lists).toBe(lists)
    for (const plan of plans) {
      const alone = await readPlanEntries([plan], switching.catalogue)
      expect(entriesOf(plan)).toEqual(alone(plan))
      expect(entriesOf(plan)).toMatchObject({ name: plan, variants: [{ variantOf: plan.plan }] })
    }
    expect(entriesOf({ payer, plan: 'Plan 102' })).toEqual({ variants: [] })
  })
})

describe('the name of a plan', () => {
  const variant = (planIds: readonly string[], loadedAt: string, facts: Partial<ActiveState> = {}) => {
    const { state } = newEntry()
    if (state.status !== 'active') throw new TypeError('the entry is not active')
    return { state: { ...state, planIds, loadedAt, sourcesKey: 'one', ...facts } }
  }

  it('takes the state of its latest variant, and the plan ids of all, sorted', () => {
    const [early, late] = ['2026-11-01T00:00:00.000Z', '2026-11-02T00:00:00.000Z']
    const one = variant(['EIN 2'], early, { contentId: 'early' })
    const other = variant(['EIN 1'], late, { contentId: 'late' })
    for (const variants of [
      [one, other],
      [other, one],
    ])
      expect(deriveName(variants)).toMatchObject({
        planIds: ['EIN 1', 'EIN 2'],
        state: { contentId: 'late', planIds: ['EIN 1', 'EIN 2'] },
      })
  })

  it('takes the facts of all variants that have any', () => {
    const at = '2026-11-01T00:00:00.000Z'
    const networks = { facts: { networks: ['North'] } }
    expect(deriveName([variant(['EIN 1'], at), variant(['EIN 2'], at)]).state).not.toHaveProperty('facts')
    expect(deriveName([variant(['EIN 1'], at), variant(['EIN 2'], at, networks)]).state).toMatchObject(networks)
  })
})
