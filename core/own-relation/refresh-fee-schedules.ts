import type { CatalogueEntry } from '../catalogue/catalogue-entry.ts'
import { listAll } from '../catalogue/list-catalogue.ts'
import type { CatalogueAdmin } from '../catalogue/ports.ts'
import { ensureIndexed, indexAll } from '../catalogue/word-index/word-index.ts'
import { mapAtOnce } from '../work-at-once.ts'
import type { WriteOutcome } from '../write-outcome.ts'
import {
  FeeSchedulesUnfit,
  feeSchedulesStatement,
  hasSameIds,
  planCatalogueChanges,
  type RelationEntry,
  readFeeSchedules,
  relationState,
} from './fee-schedules-relation.ts'
import { type ReadRelation, readRelation } from './read-relation.ts'

export interface RefreshFeeSchedules extends ReadRelation {
  readonly catalogue: CatalogueAdmin
  readonly newVersion: () => string
}

const writesAtOnce = 25

/**
 * Updates the catalogue from an operator's own relation `fee_schedules`. Nothing is written before the relation has
 * been read completely. The catalogue is read before the relation, so of two concurrent refreshes the one with older
 * data loses: the other's writes have changed the versions.
 *
 * @returns numbers of entries; `superseded` writes lost to another refresh or a load, and the next refresh tries again;
 *   `unfit` rows of the relation have no usable payer or plan
 * @throws RelationUnread, FeeSchedulesUnfit; nothing has changed then
 */
export async function refreshFeeSchedules(deps: RefreshFeeSchedules) {
  const catalogue = await listAll(deps.catalogue)
  const { entries, unfit } = readFeeSchedules(await readRelation(deps, feeSchedulesStatement))
  // A table that is being rewritten is temporarily empty, and removing its entries would fail every search.
  if (entries.length === 0) throw new FeeSchedulesUnfit(`fee_schedules has no fee schedule (${unfit} rows are unfit)`)
  const { replacements, removals } = planCatalogueChanges(catalogue, entries)
  const indexing = { catalogue: deps.catalogue, newId: deps.newVersion, now: deps.now }
  await ensureIndexed(indexing)
  await indexAll(
    replacements.flatMap(({ entry, current }) => (hasSameIds(current?.state, entry) ? [] : entry)),
    indexing,
  )
  const written = await writeAll(replacements, ({ entry, current }) =>
    deps.catalogue.replace(describeEntry(entry, deps.newVersion()), current?.version),
  )
  const removed = await writeAll(removals, (entry) => deps.catalogue.remove(entry, entry.version))
  return { written, removed, superseded: replacements.length + removals.length - written - removed, unfit }
}

function describeEntry(entry: RelationEntry, version: string): CatalogueEntry {
  return { payer: entry.payer, plan: entry.plan, version, state: relationState(entry) }
}

/** @returns the number of writes that won */
async function writeAll<Item>(items: readonly Item[], write: (item: Item) => Promise<WriteOutcome>): Promise<number> {
  const outcomes = await mapAtOnce(items, writesAtOnce, write)
  return outcomes.filter((outcome) => outcome === 'written').length
}
