import { describe, expect, it } from 'vitest'
import type { CatalogueEntry } from '../../../core/catalogue/catalogue-entry.ts'
import { findActive } from '../../../loader/plans/load-guards.ts'
import { variantOf } from '../../../loader/plans/plan-names.ts'
import { findPublishers, findSuccession } from '../../../loader/plans/publishers.ts'

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
  const listed = [...plans].map((plan) => ({ ...planOf(plan), files: [], faults: [] }))
  const request = { toc: 'toc.json', files: [], ...options }
  const publishers = findPublishers(request, findActive(catalogue))
  const toc = { plans: listed, quarantined: [] }
  const { origin, vanished } = findSuccession(toc, request, { catalogue, publishers }, () => 'new')
  return { origin, vanished: vanished.map((entry) => entry.variantOf) }
}

describe('a table of contents', () => {
  it.each([
    ['continues the earlier one if it lists all its plans', 'ABCD', { origin: 'first', vanished: [] }],
    [
      'continues the earlier one if it lists most of its plans, and reports the rest as vanished',
      'ABCE',
      { origin: 'first', vanished: ['D'] },
    ],
    [
      'continues the earlier one if it lists exactly half of its plans',
      'AB',
      { origin: 'first', vanished: ['C', 'D'] },
    ],
    ['continues none if it shares no plan with any', 'HI', { origin: 'new', vanished: [] }],
  ])('%s', (_title, plans, succession) => {
    expect(follow(plans)).toEqual(succession)
  })

  it('refuses a table of contents that lists less than half of the plans, with both counts, unless --replace is given', () => {
    expect(() => follow('A')).toThrow('toc.json: lists 1 of the 4 plans that it listed before')
    expect(follow('A', { replace: true })).toEqual({ origin: 'first', vanished: ['B', 'C', 'D'] })
    expect(follow('A', { maxShrink: 0.75 })).toEqual({ origin: 'first', vanished: ['B', 'C', 'D'] })
    expect(() => follow('ABC', { maxShrink: 0.2 })).toThrow('lists 3 of the 4 plans')
  })

  it('removes nothing with --keep-missing, and starts a new origin if it lists less than half', () => {
    expect(follow('ABC', { keepMissing: true })).toEqual({ origin: 'first', vanished: [] })
    expect(follow('A', { keepMissing: true })).toEqual({ origin: 'new', vanished: [] })
  })
})
