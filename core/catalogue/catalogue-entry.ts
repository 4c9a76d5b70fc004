import type { FeeSchedule } from './fee-schedule.ts'
import type { PlanFacts } from './plan-facts.ts'

/**
 * A name that searches can use, and its active content. A plan has an entry for each of its plan ids (its variants:
 * `PPO (EIN 222222222)`) and one for its name (`PPO`), which is derived from the variants.
 */
export interface CatalogueEntry extends FeeSchedule {
  /** Random, new at each write. A write is conditional on the version that the change is based on. */
  readonly version: string
  /** The published name that this is a variant of; absent for the name itself. */
  readonly variantOf?: string
  readonly state: EntryState
  /** The state of a variant before its last change, for rollbacks; absent for the plan's name. */
  readonly previous?: PreviousState
  /** See `extendHistory`; absent if an earlier version wrote the entry last, or over an own relation. */
  readonly history?: string
  /** The load or command that changed it last. Changes of one operation are rolled back together. */
  readonly changedBy?: string
}

export type EntryState = ActiveState | RelationState | AmbiguousState | RemovedState

/** The fee schedule is loaded; searches read this content. */
export interface ActiveState extends EntryContent {
  readonly status: 'active'
}

/** The fee schedule is in an operator's own relation, which has no contents. */
export interface RelationState extends ShownContent {
  readonly status: 'relation'
  /** As `EntryContent.planIdsKey`; absent if an earlier version wrote it. */
  readonly planIdsKey?: string
}

/** A plan's name whose variants have different contents: only the variants can be searched. */
export interface AmbiguousState {
  readonly status: 'ambiguous'
  readonly variants: number
}

/** Searches do not find it. The entry is kept, so that the removal can be undone. */
export interface RemovedState {
  readonly status: 'removed'
}

/** The fields of an entry that lists show. */
export interface ShownContent {
  /** Formatted by `formatPlanId`, sorted; empty if there are none or more than `maxShownPlanIds`. */
  readonly planIds: readonly string[]
  readonly planIdCount: number
  /** Date of the newest published snapshot, `YYYY-MM-DD`; absent if no file states one. */
  readonly lastUpdatedOn?: string | undefined
  /** True if files that the payer lists for the plan were missing at the load. */
  readonly partial: boolean
  /** Absent if the entry was loaded before facts were stored. */
  readonly facts?: PlanFacts
}

/**
 * The fields of its content that an entry holds, enough to start a search and to see whether a load changes anything.
 */
export interface EntryContent extends ShownContent {
  readonly contentId: string
  /** Equal for equal sources, filter and `partial`, in any content. */
  readonly sourcesKey: string
  /** As `keyOfPlanIds` returns it. */
  readonly planIdsKey: string
  readonly sourceCount: number
  /** A day that one of its files states and that cannot be read; absent if there is none. */
  readonly unreadableDay?: string | undefined
  /** Hash of the filter that the sources were loaded with; absent if everything was loaded. */
  readonly filterId?: string | undefined
  /** As `formatTimestamp` writes it. */
  readonly loadedAt: string
  /** The table of contents that listed it, as the loader identifies it across months; absent if none did. */
  readonly origin?: string | undefined
  /** The host that published it; absent if none is known. */
  readonly publisher?: string | undefined
}

export interface PreviousState {
  readonly state: ActiveState | RemovedState
  /** As `formatTimestamp` writes it. */
  readonly replacedAt: string
}
