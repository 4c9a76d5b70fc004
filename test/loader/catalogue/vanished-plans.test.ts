import { describe, expect, it } from 'vitest'
import type { CatalogueEntry } from '../../../core/catalogue/catalogue-entry.ts'
import { variantOf } from '../../../loader/plan-names.ts'
import { findSuccession } from '../../../loader/vanished-plans.ts'

const planOf = (plan: string) => ({ payer: 'Blue Harbor Health', plan, planId: undefined })

function entryOf(plan: string, origin: string | undefined): CatalogueEntry {
  const content = { contentId: 'c', sourcesKey: 's', planIdsKey: 'p', planIds: [], planIdCount: 0, sourceCount: 1 }
  const state = { ...content, status: 'active', partial: false, loadedAt: '', ...(origin && { origin }) } as const
  return { ...variantOf(planOf(plan)), version: 'v', variantOf: plan, state }
}

const catalogue = [
  ...['A', 'B', 'C', 'D'].map((plan) => entryOf(plan, 'first')),
  ...['E', 'F', 'G'].map((plan) => entryOf(plan, 'second')),
  entryOf('H', undefined),
]

const follow = (plans: string, options = {}) => {
  const listed = [...plans].map(planOf)
  const { origin, vanished } = findSuccession({ toc: 'toc.json', listed, ...options }, catalogue, () => 'new')
  return { origin, vanished: vanished.map((entry) => entry.variantOf) }
}

describe('a table of contents', () => {
  it.each([
    ['continues the one of which it lists all plans', 'ABCD', { origin: 'first', vanished: [] }],
    [
      'continues the one of which it lists most, without those that vanished',
      'ABCE',
      { origin: 'first', vanished: ['D'] },
    ],
    ['continues one of which it lists just half', 'AB', { origin: 'first', vanished: ['C', 'D'] }],
    ['continues none if it lists no plan of any', 'HI', { origin: 'new', vanished: [] }],
  ])('%s', (_title, plans, succession) => {
    expect(follow(plans)).toEqual(succession)
  })

  it('that lists less than half is refused with both figures, unless that is meant', () => {
    expect(() => follow('A')).toThrow('toc.json: lists 1 of the 4 plans that it listed before')
    expect(follow('A', { replace: true })).toEqual({ origin: 'first', vanished: ['B', 'C', 'D'] })
    expect(follow('A', { maxShrink: 0.75 })).toEqual({ origin: 'first', vanished: ['B', 'C', 'D'] })
    expect(() => follow('ABC', { maxShrink: 0.2 })).toThrow('lists 3 of the 4 plans')
  })

  it('takes nothing away if missing plans are kept, and is another one if it lists less than half', () => {
    expect(follow('ABC', { keepMissing: true })).toEqual({ origin: 'first', vanished: [] })
    expect(follow('A', { keepMissing: true })).toEqual({ origin: 'new', vanished: [] })
  })
})
