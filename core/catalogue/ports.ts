/** The ports of the catalogue: which fee schedules exist, and the contents that they read. */

import type { SourceRef, WarehouseTable } from '../../schema/warehouse-tables.ts'
import type { WriteOutcome } from '../ports.ts'
import type { CatalogueEntry } from './catalogue-entry.ts'
import type { Content, ContentSource, ContentSummary, OpenLoad, Source } from './content.ts'
import type { FeeSchedule } from './fee-schedule.ts'
import type { LoadFilter } from './load-filter.ts'

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[]
  /** Where the next page starts; absent on the last one. */
  readonly next?: FeeSchedule
}

/** Which fee schedules exist. */
export interface Catalogue {
  /** The entries of these names, removed and ambiguous ones included. */
  find(feeSchedules: readonly FeeSchedule[]): Promise<readonly CatalogueEntry[]>
  /** Entries of one payer by name, or of all payers: a payer's entries come together and in order. */
  list(query: {
    readonly payer?: string
    readonly limit: number
    readonly after?: FeeSchedule
  }): Promise<Page<CatalogueEntry>>
  /** The entries of a plan's name and of its variants, in order of their names; at most `limit` (absent: all). */
  listVariants(plan: FeeSchedule, limit?: number): Promise<readonly CatalogueEntry[]>
}

/** Changes the catalogue; for the loader, and for the timer that reads an operator's own relation. */
export interface CatalogueAdmin extends Catalogue {
  /** Puts the entry in place of the version that it was made from (absent: of none). */
  replace(entry: CatalogueEntry, replacedVersion: string | undefined): Promise<WriteOutcome>
  /** Deletes the entry if it has this version. */
  remove(feeSchedule: FeeSchedule, version: string): Promise<WriteOutcome>
}

/** What the entries point to: contents and filters. Contents never change. */
export interface Contents {
  /** Without their sources; contents that are not there are left out. */
  readContents(contentIds: readonly string[]): Promise<readonly ContentSummary[]>
  /** The sources of a content, sorted by source id. */
  readSourceRefs(contentId: string): Promise<readonly ContentSource[]>
  readFilter(filterId: string): Promise<LoadFilter | undefined>
}

/** Changes contents; for the loader and the commands that manage fee schedules. */
export interface ContentsAdmin extends Contents {
  putContent(content: Content): Promise<void>
  /** Notes that an entry stops to point to the content. Superseded if the content is not there. */
  retireContent(contentId: string, at: Date): Promise<WriteOutcome>
  /** Deletes a content that was last retired, or made, before `before`; superseded if it was retired since. */
  removeContent(contentId: string, before: Date): Promise<WriteOutcome>
  listContents(): AsyncIterable<ContentSummary>

  putSources(sources: readonly Source[], at: Date): Promise<void>
  /** Sources that are not there are left out. */
  readSources(sourceIds: readonly string[]): Promise<readonly Source[]>
  /** The latest source of each file; files that have none are left out. */
  findSources(identities: readonly string[]): Promise<readonly Source[]>
  /** Notes that a content is about to use the sources. Returns those that are not there. */
  touchSources(sourceIds: readonly string[], at: Date): Promise<readonly string[]>
  /** Deletes a source that was last touched before `before`; superseded if it was touched since. */
  removeSource(sourceId: string, before: Date): Promise<WriteOutcome>
  listSources(): AsyncIterable<SourceRef & { readonly touchedAt: Date }>

  putFilter(filter: LoadFilter): Promise<void>

  openLoad(loadId: string, at: Date): Promise<void>
  pinSources(loadId: string, sourceIds: readonly string[], at: Date): Promise<void>
  touchLoad(loadId: string, at: Date): Promise<void>
  closeLoad(loadId: string): Promise<void>
  listOpenLoads(): Promise<readonly OpenLoad[]>
}

/** Says which partitions the warehouse's tables have: a table in Glue knows nothing of files whose partition it lacks. */
export interface Partitions {
  /** Registers partitions, each by the values of the table's partition columns; doing so again changes nothing. */
  add(table: WarehouseTable, values: readonly (readonly string[])[]): Promise<void>
  /** Takes partitions out of the table, those that are in it. */
  drop(table: WarehouseTable, values: readonly (readonly string[])[]): Promise<void>
}
