import type { CatalogueEntry } from '../../../core/catalogue/catalogue-entry.ts'
import type { Source } from '../../../core/catalogue/content.ts'
import type { PlanFacts } from '../../../core/catalogue/plan-facts.ts'
import { readPlanId } from '../../../core/catalogue/plan-id.ts'
import { switchFeeSchedules } from '../../../core/switching/switch-fee-schedules.ts'
import { createMemoryCatalogue } from '../../doubles/memory-catalogue.ts'
import { createMemoryContents } from '../../doubles/memory-contents.ts'
import { createMemoryLoadRecords } from '../../doubles/memory-load-records.ts'
import { createMemoryWarehouse } from './memory-warehouse.ts'

export const payer = 'Blue Harbor Health'

/** A source of which only the place in the warehouse matters. */
export const newSource = (sourceId: string, name = sourceId): Source => ({
  loadId: 'load-1',
  sourceId,
  identity: name,
  name,
  contentHash: sourceId,
  bytes: 1,
  tableBytes: 1000,
  tableFiles: [1, 1],
  loaderVersion: '1',
  references: [],
  reportingEntityName: payer,
  names: {},
  partial: false,
  prices: 1,
  skipped: 0,
  rates: 1,
  codes: 1,
  npis: 1,
  findings: {},
})

interface Loaded {
  readonly plan: string
  readonly planId?: string
  /** Their names; files of the same name are the same. */
  readonly files: readonly string[]
  readonly publisher?: string
  readonly facts?: PlanFacts
}

/** Makes the dependencies of switching, in memory, with a clock that only the test advances. */
export function openSwitching(catalogue = createMemoryCatalogue()) {
  const clock = { now: new Date('2026-11-20T09:30:00Z') }
  const now = () => clock.now
  let ids = 0
  const newId = () => `id${ids++}`
  const warehouse = createMemoryWarehouse(now)
  const contents = createMemoryContents()
  const deps = { warehouse, catalogue, contents, records: createMemoryLoadRecords(), newId, now }
  const listNames = () => [...catalogue.entries.values()].filter(({ variantOf }) => variantOf === undefined)
  return {
    ...deps,
    listNames,
    wait(hours: number) {
      clock.now = new Date(clock.now.getTime() + hours * 3_600_000)
    },
    /** Switches plans to files, as a load does that has read them. */
    async load(...loaded: readonly Loaded[]) {
      const sources = new Map(loaded.flatMap(({ files }) => files).map((name) => [name, newSource(name)]))
      await contents.putSources([...sources.values()], now())
      for (const source of sources.values()) warehouse.store(source)
      const loadId = newId()
      const plans = loaded.map(({ planId = '0123456789', files, ...plan }) => ({
        ...plan,
        payer,
        planId: readPlanId(planId, undefined),
        sources: files.flatMap((name) => sources.get(name) ?? []),
        partial: false,
      }))
      return { loadId, ...(await switchFeeSchedules({ loadId, plans }, deps)) }
    },
    /**
     * The files that a search for fee schedules reads, and the plan ids of their rows; by default, for all plans by
     * their names. An entry is searched as it was read.
     */
    async search(entries: readonly CatalogueEntry[] = listNames()) {
      const stored = new Set((await warehouse.list()).map(({ id }) => id))
      const rows = entries.flatMap(({ plan, state }) => {
        if (state.status !== 'active') return []
        const { names = [], sources = [] } = warehouse.contents.get(state.contentId) ?? {}
        const read = sources.filter(({ sourceId }) => stored.has(sourceId))
        const [name] = names.filter((each) => each.plan === plan)
        return name === undefined ? [] : read.map(({ name: file }) => ({ plan, planIds: name.planIds, file }))
      })
      return rows.sort((a, b) => (a.file < b.file ? -1 : 1))
    },
  }
}
