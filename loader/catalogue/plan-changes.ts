import type { ActiveState, CatalogueEntry, RemovedState } from '../../core/catalogue/catalogue-entry.ts'
import type { ContentFigures, Source } from '../../core/catalogue/content.ts'
import type { FeeSchedule } from '../../core/catalogue/fee-schedule.ts'
import type { PlanId } from '../../core/catalogue/plan-id.ts'
import type { CatalogueAdmin, ContentsAdmin } from '../../core/catalogue/ports.ts'
import type { Clock } from '../../core/ports.ts'
import type { WarehouseFolder } from '../warehouse/warehouse-folder.ts'

/** What a load found for one plan id of a plan. */
export interface LoadedPlan extends FeeSchedule {
  /** Absent if the plan was published without an id. */
  readonly planId: PlanId | undefined
  /** Its sources: keys of `PlanChanges.sources`. */
  readonly sourceIds: readonly string[]
  /** Whether listed files are missing. */
  readonly partial: boolean
  readonly figures: ContentFigures
  /** See `EntryContent.origin`. */
  readonly origin?: string
}

/** What is to change in the catalogue. */
export interface PlanChanges {
  /** The load or command that makes the changes. */
  readonly loadId: string
  readonly plans: readonly LoadedPlan[]
  readonly sources: ReadonlyMap<string, Source>
  /** The filter that all of `plans` were loaded with. */
  readonly filterId?: string
  /** Whether a plan keeps the sources that it has, but for those of the same file. */
  readonly add?: boolean
  /** Variants that are to be what they say: removed, or a former content. */
  readonly states?: readonly VariantState[]
}

export interface VariantState {
  /** The entry as it was read. */
  readonly entry: CatalogueEntry
  readonly state: ActiveState | RemovedState
}

export interface SwitchDeps {
  readonly warehouse: WarehouseFolder
  readonly catalogue: CatalogueAdmin
  readonly contents: ContentsAdmin
  /** Makes a random id: a content's, or the version of an entry. */
  readonly newId: () => string
  readonly now: Clock
}

export interface SwitchReport {
  /** The entries that changed, variants and names, as they are now. */
  readonly switched: readonly CatalogueEntry[]
  /** How many variants were at their target already. */
  readonly unchanged: number
  /** Variants that others kept changing meanwhile: they are as those left them. */
  readonly contended: readonly FeeSchedule[]
  /** Variants whose sources were removed meanwhile: they are as before. */
  readonly lost: readonly FeeSchedule[]
}
