import type { FeeSchedule } from './fee-schedule.ts'

/** A fee schedule that can be searched, and which loaded files count for it. */
export interface CatalogueEntry extends FeeSchedule {
  /** The plan ids published for this plan, sorted; leading zeros kept. */
  readonly planIds: readonly string[]
  /** The loaded files that a search of this fee schedule reads; empty over an operator's own relation. */
  readonly sources: readonly string[]
  /** Date of the newest published snapshot, `YYYY-MM-DD`; absent where no file states one. */
  readonly lastUpdatedOn?: string
  /** Whether files that the payer lists for the plan were missing at the load. */
  readonly partial: boolean
  /** Random, new at each switch: a switch is conditional on the version that it was made from. */
  readonly version: string
}
