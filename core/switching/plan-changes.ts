import type { ActiveState, CatalogueEntry, RemovedState } from '../catalogue/catalogue-entry.ts'
import type { Content, Source } from '../catalogue/content.ts'
import type { FeeSchedule } from '../catalogue/fee-schedule.ts'
import type { PlanFacts } from '../catalogue/plan-facts.ts'
import type { PlanId } from '../catalogue/plan-id.ts'
import type { CatalogueAdmin, ContentsAdmin } from '../catalogue/ports.ts'
import type { Clock } from '../time.ts'
import type { Warehouse } from './ports.ts'

/** Maximum number of concurrent writes. */
export const writesAtOnce = 25

/** The sources and facts that a load has for one plan id of a plan. */
export interface LoadedPlan extends FeeSchedule {
  /** Absent if the plan was published without an id. */
  readonly planId: PlanId | undefined
  /** Plans with the same sources should share one array, because `gatherSources` handles each array once. */
  readonly sources: readonly Source[]
  /** True if files that the payer lists for it were missing or refused. */
  readonly partial: boolean
  /** See `EntryContent.origin`. */
  readonly origin?: string | undefined
  /** See `EntryContent.publisher`, and `Publishers`. */
  readonly publisher?: string | undefined
  readonly facts?: PlanFacts
}

/**
 * Finds the reason why a plan must not replace its active state; undefined if there is none.
 *
 * @param after the content that the plan would have
 * @param active undefined if nothing is active for it
 */
export type PlanJudge = (
  plan: LoadedPlan,
  after: Pick<Content, 'figures' | 'lastUpdatedOn' | 'unreadableDay'>,
  active: ActiveState | undefined,
) => Promise<string | undefined>

/** The changes to make in the catalogue. */
export interface PlanChanges {
  /** The load or command that makes the changes. */
  readonly loadId: string
  readonly plans?: readonly LoadedPlan[]
  /**
   * Called before each write of one of `plans` with the state that the write replaces, which other loads may have
   * changed.
   */
  readonly judge?: PlanJudge | undefined
  /** The filter that all of `plans` were loaded with. */
  readonly filterId?: string | undefined
  /** True if a plan keeps its current sources, except those of the files in this load. */
  readonly add?: boolean | undefined
  /** Variants to set to a given state: removed, or a previous content. */
  readonly states?: readonly VariantState[]
  /** Names to derive from their variants, beside those of the variants that change. */
  readonly unsettled?: readonly FeeSchedule[]
}

export interface VariantState {
  /** The entry as it was read. */
  readonly entry: CatalogueEntry
  readonly state: ActiveState | RemovedState
}

export interface SwitchDeps {
  readonly warehouse: Warehouse
  readonly catalogue: CatalogueAdmin
  readonly contents: ContentsAdmin
  /** Makes a new opaque id, of lower-case letters and digits. */
  readonly newId: () => string
  readonly now: Clock
}

export interface SwitchReport {
  /** The changed entries, variants and names, after the change. */
  readonly switched: readonly CatalogueEntry[]
  /** Number of variants that were already in their target state. */
  readonly unchanged: number
  /** Variants that other loads kept changing, so they are left as those loads set them. */
  readonly contended: readonly FeeSchedule[]
  /** Variants whose sources were removed meanwhile; they are unchanged. */
  readonly lost: readonly FeeSchedule[]
  /** Variants that `judge` refused to change, with its reasons. */
  readonly refused: readonly RefusedPlan[]
}

export interface RefusedPlan extends FeeSchedule {
  readonly reason: string
}
