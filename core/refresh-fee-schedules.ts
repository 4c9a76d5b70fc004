import type { CatalogueEntry } from './catalogue/catalogue-entry.ts'
import { listAll } from './catalogue/list-catalogue.ts'
import type { CatalogueAdmin } from './catalogue/ports.ts'
import type { RelationEntry } from './own-relation/fee-schedules-relation.ts'
import {
  FeeSchedulesUnfit,
  feeSchedulesStatement,
  planCatalogueChanges,
  readFeeSchedules,
  relationState,
} from './own-relation/fee-schedules-relation.ts'
import type { ReadRelation } from './own-relation/read-relation.ts'
import { readRelation } from './own-relation/read-relation.ts'
import type { WriteOutcome } from './ports.ts'

export interface RefreshFeeSchedules extends ReadRelation {
  readonly catalogue: CatalogueAdmin
  /** Makes the version of an entry: random. */
  readonly newVersion: () => string
}

/** What a refresh did, in entries. */
export interface RefreshReport {
  readonly written: number
  readonly removed: number
  /** Writes that another refresh or a load came before: the next refresh looks again. */
  readonly superseded: number
  /** Rows of the relation that no request could name. */
  readonly unfit: number
}

const writesAtOnce = 25

/**
 * Makes the catalogue say what an operator's own relation `fee_schedules` says. Nothing is written before the relation
 * was read to its end. The catalogue is read before the relation, so of two refreshes at once the one that knows less
 * loses: what the other has written meanwhile has another version.
 *
 * @throws RelationUnread, FeeSchedulesUnfit; then nothing has changed
 */
export async function refreshFeeSchedules(deps: RefreshFeeSchedules): Promise<RefreshReport> {
  const catalogue = await listAll(deps.catalogue)
  const { entries, unfit } = readFeeSchedules(await readRelation(deps, feeSchedulesStatement))
  // A table that is being written anew is empty for a while; every search would fail meanwhile.
  if (entries.length === 0) throw new FeeSchedulesUnfit(`fee_schedules has no fee schedule (${unfit} rows are unfit)`)
  const { replacements, removals } = planCatalogueChanges(catalogue, entries)
  const written = await writeAll(replacements, ({ entry, replacedVersion }) =>
    deps.catalogue.replace(describeEntry(entry, deps.newVersion()), replacedVersion),
  )
  const removed = await writeAll(removals, (entry) => deps.catalogue.remove(entry, entry.version))
  return {
    written,
    removed,
    superseded: replacements.length + removals.length - written - removed,
    unfit,
  }
}

function describeEntry(entry: RelationEntry, version: string): CatalogueEntry {
  return { payer: entry.payer, plan: entry.plan, version, state: relationState(entry) }
}

/** @returns how many were written */
async function writeAll<Item>(items: readonly Item[], write: (item: Item) => Promise<WriteOutcome>): Promise<number> {
  let written = 0
  for (let start = 0; start < items.length; start += writesAtOnce) {
    const outcomes = await Promise.all(items.slice(start, start + writesAtOnce).map(write))
    written += outcomes.filter((outcome) => outcome === 'written').length
  }
  return written
}
