import { describe, expect, it } from 'vitest'
import { findFeeSchedules } from '../../../core/catalogue/word-index/find-fee-schedules.ts'
import type { FeeScheduleFilters } from '../../../core/catalogue/word-index/look-up-words.ts'
import { compactIndex } from '../../../core/catalogue/word-index/word-index.ts'
import { refreshFeeSchedules } from '../../../core/own-relation/refresh-fee-schedules.ts'
import { createMemoryCatalogue } from '../../doubles/memory-catalogue.ts'
import { createMemoryQueries } from '../../doubles/memory-ports.ts'

const columns = ['payer', 'plan', 'plan_id', 'last_updated_on'].map((name) => ({ name, type: 'varchar' }))

const clock = { now: new Date('2026-11-20T09:30:00Z') }

/** An own relation with one fee schedule, which a refresh reads. */
function openRelation() {
  const catalogue = createMemoryCatalogue()
  let ids = 0
  const deps = { catalogue, newId: () => `id-${ids++}`, now: () => clock.now }
  const refresh = (planIds: readonly number[], updatedOn = '2026-11-01') =>
    refreshFeeSchedules({
      ...deps,
      queries: { ...createMemoryQueries(), look: async () => ({ state: 'succeeded', manifest: undefined }) },
      rows: {
        readAll: async () => ({ columns, rows: planIds.map((id) => ['Own', 'Gold PPO', String(id), updatedOn]) }),
      },
      sleep: async () => undefined,
      newToken: () => 'token',
      newVersion: deps.newId,
    })
  const find = async (filters: FeeScheduleFilters) =>
    (await findFeeSchedules(catalogue, { ...filters, limit: 10 })).items.map(({ plan }) => plan)
  return { catalogue, deps, refresh, find }
}

const idsFrom = (first: number, count = 40) => Array.from({ length: count }, (_, index) => first + index)

describe('a fee schedule of an own relation with more plan ids than it shows', () => {
  it.each<readonly [string, (id: string) => FeeScheduleFilters]>([
    ['plan id', (planId) => ({ planId })],
    ['a word', (q) => ({ q })],
    ['words of its name beside it', (id) => ({ q: `${id} gold PPO own go` })],
    ['both', (planId) => ({ planId, q: 'gold' })],
  ])('can be found by each of its ids as %s, and by none that it has lost', async (_, wanted) => {
    const { refresh, find } = openRelation()
    const found = async (id: number) => (await find(wanted(String(id)))).length === 1
    await refresh(idsFrom(100_000_000))
    expect([await found(100_000_000), await found(100_000_039), await found(100_000_040)]).toEqual([true, true, false])
    await refresh(idsFrom(100_000_001))
    expect([await found(100_000_000), await found(100_000_039), await found(100_000_040)]).toEqual([false, true, true])
    await refresh(idsFrom(100_000_001, 2))
    expect([await found(100_000_002), await found(100_000_039)]).toEqual([true, false])
    await refresh(idsFrom(100_000_002))
    expect([await found(100_000_001), await found(100_000_039)]).toEqual([false, true])
  })

  it('can be searched by its ids after the index would have been compacted', async () => {
    const { catalogue, deps, refresh, find } = openRelation()
    await refresh(idsFrom(100_000_000))
    await refresh(idsFrom(100_000_001))
    const later = new Date(clock.now.getTime() + 1)
    await compactIndex([...catalogue.entries.values()], await catalogue.listSegments(), later, deps)
    expect(await find({ planId: '100000040' })).toEqual(['Gold PPO'])
  })

  it('gets indexed anew only if its ids changed', async () => {
    const { catalogue, refresh } = openRelation()
    await refresh(idsFrom(100_000_000))
    const before = await catalogue.listSegments()
    expect(await refresh(idsFrom(100_000_000), '2026-12-01')).toMatchObject({ written: 1 })
    expect(await catalogue.listSegments()).toEqual(before)
  })
})
