import type { FeeSchedule } from './fee-schedule.ts'

/**
 * A name that searches can use, and the content that it stands for now. A plan has an entry for each of its plan ids
 * (its variants: `PPO (EIN 222222222)`) and one for its name (`PPO`), which follows from the variants.
 */
export interface CatalogueEntry extends FeeSchedule {
  /** Random, new at each write: a write is conditional on the version that it was made from. */
  readonly version: string
  /** The published name of which this is a variant; absent for the name itself. */
  readonly variantOf?: string
  readonly state: EntryState
  /** What a variant was before its last change, to roll back to; absent for the plan's name. */
  readonly previous?: PreviousState
  /** The load or command that changed it last: changes of one operation are rolled back together. */
  readonly changedBy?: string
}

export type EntryState = ActiveState | RelationState | AmbiguousState | RemovedState

/** It was loaded: a search reads this content. */
export interface ActiveState extends EntryContent {
  readonly status: 'active'
}

/** It is in an operator's own relation, which has no contents. */
export interface RelationState extends ShownContent {
  readonly status: 'relation'
}

/** The name of a plan whose variants have different contents: only the variants can be searched. */
export interface AmbiguousState {
  readonly status: 'ambiguous'
  readonly variants: number
}

/** No search finds it. The entry stays, so that the removal can be undone. */
export interface RemovedState {
  readonly status: 'removed'
}

/** What lists show of an entry. */
export interface ShownContent {
  /** Formatted by `formatPlanId`, sorted; empty if there are none or more than `maxShownPlanIds`. */
  readonly planIds: readonly string[]
  readonly planIdCount: number
  /** Date of the newest published snapshot, `YYYY-MM-DD`; absent if no file states one. */
  readonly lastUpdatedOn?: string
  /** Whether files that the payer lists for the plan were missing at the load. */
  readonly partial: boolean
}

/** What an entry holds of its content: enough to start a search, and to see whether a load changes anything. */
export interface EntryContent extends ShownContent {
  readonly contentId: string
  /** Equal for equal sources, filter and `partial`, whichever contents they are in. */
  readonly sourcesKey: string
  /** Equal for equal lists of plan ids. */
  readonly planIdsKey: string
  readonly sourceCount: number
  /** Hash of the filter that the sources were loaded with; absent: they are whole. */
  readonly filterId?: string
  /** As `formatTimestamp` writes it. */
  readonly loadedAt: string
  /** Which list of plans named it, as the loader identifies it across months; absent if none did. */
  readonly origin?: string
}

export interface PreviousState {
  readonly state: ActiveState | RemovedState
  /** As `formatTimestamp` writes it. */
  readonly replacedAt: string
}
