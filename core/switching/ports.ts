/** The port of switching: what it stores in the warehouse, beside the files of sources. */

import type { WarehouseUnit } from '../../schema/columns/warehouse-tables.ts'
import type { Source } from '../catalogue/content.ts'
import type { FeeSchedule } from '../catalogue/fee-schedule.ts'
import type { WriteOutcome } from '../write-outcome.ts'

/** A name as in its rows. */
export interface ContentName extends FeeSchedule {
  /** All of its plan ids, sorted. */
  readonly planIds: readonly string[]
}

/** A fee schedule that can be searched, and what it reads. */
export interface CurrentContent extends FeeSchedule {
  readonly contentId: string
}

/** A part that has files in the warehouse; those of sources have a `loadId`. */
export interface StoredUnit extends Omit<WarehouseUnit, 'tables'> {
  /** Of its files in all tables. */
  readonly bytes: number
  /** When it was written. */
  readonly touchedAt: Date
}

export interface Warehouse {
  /**
   * Stores the rows of a content: each of its names with each of its sources.
   *
   * @returns the bytes of its file, which every search of it reads
   */
  writeContent(contentId: string, names: readonly ContentName[], sources: readonly Source[]): Promise<number>
  /**
   * Stores a version of what searches read now, for the view `rates_current`. Superseded if the version has other rows:
   * the catalogue may have been restored from a backup that is older than the warehouse.
   */
  writeCurrent(version: number, current: readonly CurrentContent[]): Promise<WriteOutcome>
  /** Removes the parts from the warehouse. Idempotent. */
  remove(parts: readonly WarehouseUnit[]): Promise<void>
  /** Lists the sources and contents in the warehouse, including incomplete ones of killed loads; oldest first. */
  list(): Promise<readonly StoredUnit[]>
  /** Removes what loads killed before this time left in workspaces. */
  cleanWorkspaces(before: Date): Promise<void>
}
