import { describe, expect, it } from 'vitest'
import type { CatalogueEntry } from '../../../../core/catalogue/catalogue-entry.ts'
import { describeReadFeeSchedules, maxPlanIds } from '../../../../core/catalogue/resolving/read-fee-schedules.ts'
import { newAmbiguousEntry, newContent, newEntry, newRelationEntry } from '../../../builders/sample-search.ts'
import { createMemoryCatalogue } from '../../../doubles/memory-catalogue.ts'
import { createMemoryContents } from '../../../doubles/memory-contents.ts'

const payer = 'Acme Health'

interface World {
  readonly entries: readonly CatalogueEntry[]
  /** Ids of the contents that exist. */
  readonly contents?: readonly string[]
}

function describeIn(
  { entries, contents = ['content-1'] }: World,
  plans: readonly string[],
  contentIds?: readonly string[],
) {
  const stored = createMemoryContents()
  for (const contentId of contents) stored.contents.set(contentId, newContent(contentId))
  const names = plans.map((plan) => ({ payer, plan }))
  return describeReadFeeSchedules(
    { catalogue: createMemoryCatalogue(entries), contents: stored, now: () => new Date('2026-11-23T09:00:00Z') },
    names,
    contentIds,
  )
}

/** A plan's name with too many ids to show, so that only its variants show them. */
function newPlan(plan: string, ids: readonly string[], contentId = 'content-1'): readonly CatalogueEntry[] {
  const sourcesKey = `sources of ${contentId}`
  return [
    newEntry({ plan, contentId, planIds: [], planIdCount: ids.length }),
    ...ids.map((id) =>
      newEntry({ plan: `${plan} (EIN ${id})`, variantOf: plan, contentId: id, sourcesKey, planIds: [`ein|${id}`] }),
    ),
  ]
}

const idsOf = (count: number) => Array.from({ length: count }, (_, index) => String(100_000_000 + index))

describe('the fee schedules that a job reads', () => {
  it('lists none until the job has chosen its contents', async () => {
    expect(await describeIn({ entries: [newEntry()] }, ['Gold PPO'], undefined)).toEqual([])
  })

  it('follow the order of the request, each with its own content', async () => {
    const entries = [
      newEntry({ plan: 'A', contentId: 'one', planIds: ['ein|1'] }),
      newEntry({ plan: 'B', contentId: 'two', planIds: [] }),
    ]
    const described = await describeIn({ entries, contents: ['one', 'two'] }, ['B', 'A'], ['two', 'one'])
    expect(described).toMatchObject([
      { payer, plan: 'B', file_count: 1, plan_id_count: 0, plan_ids: [] },
      { payer, plan: 'A', file_count: 1, plan_id_count: 1, plan_ids: ['ein|1'] },
    ])
  })

  it('leave dates, files and ids unknown over an own relation', async () => {
    const [described] = await describeIn({ entries: [newRelationEntry()] }, ['Gold PPO'], [])
    expect(described).toEqual({
      payer,
      plan: 'Gold PPO',
      loaded_at: null,
      last_updated_on: null,
      partial: null,
      without_descriptions: null,
      superseded: null,
      file_count: null,
      plan_id_count: null,
      plan_ids: null,
    })
  })

  it('leave the date and number of files unknown once their content was removed', async () => {
    const entries = [newEntry({ contentId: 'content-2' })]
    const [described] = await describeIn({ entries, contents: [] }, ['Gold PPO'], ['content-1'])
    expect(described).toMatchObject({ loaded_at: null, file_count: null, plan_id_count: null, plan_ids: null })
    expect(described).toMatchObject({ last_updated_on: null, partial: null, superseded: true })
  })

  it('show the date and the gaps of the content that the job read, not of a later one', async () => {
    const stored = createMemoryContents()
    const lost = { partial: true, withoutDescriptions: true }
    stored.contents.set('content-1', { ...newContent('content-1'), lastUpdatedOn: '2026-08-01', ...lost })
    stored.contents.set('content-2', { ...newContent('content-2'), lastUpdatedOn: '2026-09-01' })
    const catalogue = createMemoryCatalogue([newEntry({ contentId: 'content-2', lastUpdatedOn: '2026-09-01' })])
    const names = [{ payer, plan: 'Gold PPO' }]
    const read = (id: string) =>
      describeReadFeeSchedules({ catalogue, contents: stored, now: () => new Date('2026-11-23T09:00:00Z') }, names, [
        id,
      ])
    expect(await read('content-1')).toMatchObject([
      { last_updated_on: '2026-08-01', partial: true, without_descriptions: true, superseded: true },
    ])
    expect(await read('content-2')).toMatchObject([
      { last_updated_on: '2026-09-01', partial: false, without_descriptions: false, superseded: false },
    ])
  })
})

describe('a fee schedule that a job read is superseded', () => {
  const supersededBy = async (...entries: readonly CatalogueEntry[]) =>
    (await describeIn({ entries }, ['Gold PPO'], ['content-1']))[0]?.superseded

  it('once it reads another content, is ambiguous, removed, or of an own relation', async () => {
    expect(await supersededBy(newEntry({ contentId: 'content-2' }))).toBe(true)
    expect(await supersededBy(newAmbiguousEntry({}))).toBe(true)
    expect(await supersededBy({ ...newEntry(), state: { status: 'removed' } })).toBe(true)
    expect(await supersededBy(newRelationEntry())).toBe(true)
    expect(await supersededBy()).toBe(true)
  })

  it('stays current while it reads the same content, or another of the same rates', async () => {
    expect(await supersededBy(newEntry())).toBe(false)
    expect(await supersededBy(newEntry({ contentId: 'content-2', sourcesKey: 'sources of content-1' }))).toBe(false)
  })
})

describe('the plan ids of a fee schedule', () => {
  it('come from its variants if there are more than an entry shows', async () => {
    const ids = idsOf(40)
    const [described] = await describeIn({ entries: newPlan('PPO', ids) }, ['PPO'], ['content-1'])
    expect(described).toMatchObject({ plan_id_count: 40, plan_ids: ids.map((id) => `ein|${id}`) })
  })

  it('stay unlisted if the variants changed since the name was written', async () => {
    const removed = newPlan('PPO', idsOf(40)).map((entry, index) =>
      index === 7 ? { ...entry, state: { status: 'removed' } as const } : entry,
    )
    const [described] = await describeIn({ entries: removed }, ['PPO'], ['content-1'])
    expect(described).toMatchObject({ plan_id_count: 40, plan_ids: null })
  })

  it('exclude those of variants with other sources', async () => {
    const entries = [
      ...newPlan('PPO', idsOf(40)),
      newEntry({ plan: 'PPO (EIN 1)', variantOf: 'PPO', contentId: 'other' }),
    ]
    const [described] = await describeIn({ entries }, ['PPO'], ['content-1'])
    expect(described?.plan_ids).toHaveLength(40)
  })

  it('stay unknown if the fee schedule has since been removed or become ambiguous', async () => {
    for (const state of [{ status: 'removed' } as const, { status: 'ambiguous', variants: 2 } as const]) {
      const [described] = await describeIn({ entries: [{ ...newEntry(), state }] }, ['Gold PPO'], ['content-1'])
      expect(described).toMatchObject({ file_count: 1, plan_id_count: null, plan_ids: null })
    }
    const [unlisted] = await describeIn({ entries: [] }, ['Gold PPO'], ['content-1'])
    expect(unlisted).toMatchObject({ file_count: 1, plan_id_count: null, plan_ids: null })
  })

  it('come from the active variants of the plan, in order', async () => {
    const [name, ...variants] = newPlan('PPO', idsOf(40))
    const sourcesKey = 'sources of content-1'
    const others = [
      newEntry({ plan: 'PPO (EIN 1)', variantOf: 'PPO (EIN', sourcesKey, planIds: ['ein|1'] }),
      { ...newEntry({ plan: 'PPO (EIN 2)', variantOf: 'PPO' }), state: { status: 'removed' } as const },
    ]
    const entries = [...(name ? [name] : []), ...variants.toReversed(), ...others]
    const [described] = await describeIn({ entries }, ['PPO'], ['content-1'])
    expect(described?.plan_ids).toEqual(idsOf(40).map((id) => `ein|${id}`))
  })

  it('stop at the limit of all fee schedules together', async () => {
    const entries = [
      newEntry({ plan: 'A', planIds: idsOf(maxPlanIds - 2) }),
      newEntry({ plan: 'B', planIds: ['ein|1', 'ein|2'] }),
      newEntry({ plan: 'C', planIds: ['ein|3'] }),
      newEntry({ plan: 'D', planIds: [] }),
    ]
    const described = await describeIn({ entries }, ['A', 'B', 'C', 'D'], Array(4).fill('content-1'))
    expect(described.map(({ plan_ids }) => plan_ids?.length)).toEqual([maxPlanIds - 2, 2, undefined, 0])
  })

  it('appear only as a count for a plan that would exceed the limit', async () => {
    const entries = [
      newEntry({ plan: 'A', planIds: ['ein|1'] }),
      newEntry({ plan: 'B', planIds: [], planIdCount: maxPlanIds }),
      newEntry({ plan: 'C', planIds: ['ein|3'] }),
    ]
    const contentIds = ['content-1', 'content-1', 'content-1']
    const described = await describeIn({ entries }, ['A', 'B', 'C'], contentIds)
    expect(described.map(({ plan_id_count, plan_ids }) => [plan_id_count, plan_ids])).toEqual([
      [1, ['ein|1']],
      [maxPlanIds, null],
      [1, ['ein|3']],
    ])
  })
})
