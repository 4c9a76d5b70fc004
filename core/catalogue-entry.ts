import type { FeeSchedule } from './fee-schedule.ts'

/** What counts for a fee schedule at one time. */
export interface CatalogueContent {
  /** The plan ids published for this plan, sorted; leading zeros kept. */
  readonly planIds: readonly string[]
  /** The loaded files that a search of this fee schedule reads; empty over an operator's own relation. */
  readonly sources: readonly string[]
  /** Date of the newest published snapshot, `YYYY-MM-DD`; absent where no file states one. */
  readonly lastUpdatedOn?: string
  /** Whether files that the payer lists for the plan were missing at the load. */
  readonly partial: boolean
  /** What was loaded, one for each of the sources; absent over an operator's own relation. */
  readonly files?: readonly LoadedFile[]
  /** When it was loaded, as `formatTimestamp` writes it. */
  readonly loadedAt?: string
}

/** A fee schedule that can be searched, and which loaded files count for it. */
export interface CatalogueEntry extends FeeSchedule, CatalogueContent {
  /** Random, new at each switch: a switch is conditional on the version that it was made from. */
  readonly version: string
  /** What counted before, to roll back to while its files stay; absent at the first load. */
  readonly previous?: ReplacedContent
}

export interface ReplacedContent extends CatalogueContent {
  readonly replacedAt: string
}

/** The counts of one loaded file. */
export interface LoadedFile {
  readonly sourceId: string
  /** Base name without a query string: a file of the same name takes its place. */
  readonly name: string
  /** Published prices that became rows, and those that became none. */
  readonly prices: number
  readonly skipped: number
  /** Rows that the file has in `rates`. */
  readonly rates: number
  /** How often each rule of the loader found a fault, by the rule's name. */
  readonly findings: Readonly<Record<string, number>>
}
