/** The ports of the catalogue: the fee schedules that exist, and the contents that they read. */

import type { SourceRef } from '../../schema/columns/warehouse-tables.ts'
import type { NppesMonths } from '../nppes/nppes-months.ts'
import type { WriteOutcome } from '../write-outcome.ts'
import type { CatalogueEntry } from './catalogue-entry.ts'
import type { Content, ContentSource, ContentSummary, Source } from './content.ts'
import type { FeeSchedule } from './fee-schedule.ts'
import type { LoadFilter } from './load-filter.ts'
import type { Posting, Segment } from './posting.ts'

export interface Page<Item> {
  readonly items: readonly Item[]
  /** Where the next page starts; absent on the last one. */
  readonly next?: FeeSchedule
}

export interface Catalogue {
  /** The entries of these names, including removed and ambiguous ones. */
  find(feeSchedules: readonly FeeSchedule[]): Promise<readonly CatalogueEntry[]>
  /** Entries of one payer by name, or of all payers, with a payer's entries together and in order. */
  list(query: {
    readonly payer?: string
    readonly limit: number
    readonly after?: FeeSchedule
  }): Promise<Page<CatalogueEntry>>
  /**
   * The entries of a plan's name and of its variants, ordered by name.
   *
   * @param limit maximum number of variants. @default - all
   * @param after the variant that the list starts after
   */
  listVariants(plan: FeeSchedule, limit?: number, after?: string): Promise<readonly CatalogueEntry[]>
  /** The days that searches can name; undefined if they can name all. */
  readKeptDays(): Promise<KeptDays | undefined>
  /** True if `findPostings` finds everything that can be searched, including what an earlier version loaded. */
  isIndexed(): Promise<boolean>
  /** The postings whose key begins with a text, in no particular order; some may come twice. */
  findPostings(start: string, filter?: PostingFilter): Promise<readonly Posting[]>
  /**
   * Returns the postings with exactly one of these keys, in no particular order; some may come twice. Each item of the
   * index is read once, however many of the keys it may have.
   */
  findPostingsOf(keys: readonly string[]): Promise<readonly Posting[]>
}

/** Says which postings are returned. */
export interface PostingFilter {
  /** True for a key whose postings are returned. @default - all */
  readonly isKey?: (key: string) => boolean
  /** True for a posting that is returned. @default - all */
  readonly isKept?: (posting: Posting) => boolean
  /** Maximum number of postings. @default - all */
  readonly limit?: number | undefined
}

/** The days that searches can name: those of the last months, but none before the first one of the former setting. */
export interface KeptDays {
  readonly months: number
  /** `YYYY-MM-DD`; empty if all days were kept. */
  readonly formerFirst: string
  readonly changedAt: Date
}

/** Changes the catalogue; for the loader, and for the timer that reads an operator's own relation. */
export interface CatalogueAdmin extends Catalogue {
  /** Replaces this version of the entry, or creates the entry if `replacedVersion` is undefined. */
  replace(entry: CatalogueEntry, replacedVersion: string | undefined): Promise<WriteOutcome>
  /** Deletes the entry if it has this version. */
  remove(feeSchedule: FeeSchedule, version: string): Promise<WriteOutcome>
  writeKeptDays(days: KeptDays): Promise<void>
  /** Adds a segment to the index. A `whole` segment leads to everything that can be searched. */
  addPostings(segment: Segment, postings: readonly Posting[], whole?: 'whole'): Promise<void>
  listSegments(): Promise<readonly Segment[]>
  removeSegment(segmentId: string): Promise<void>
}

/** The contents and filters that entries point to. Contents never change. */
export interface Contents {
  /** Returns contents without their sources; missing ones are omitted. */
  readContents(contentIds: readonly string[]): Promise<readonly ContentSummary[]>
  /** The sources of a content, sorted by source id. */
  readSourceRefs(contentId: string): Promise<readonly ContentSource[]>
  readFilter(filterId: string): Promise<LoadFilter | undefined>
  /** Undefined if NPPES was never loaded. */
  readNppesMonths(): Promise<NppesMonths | undefined>
}

/** Changes contents; for the loader and the commands that manage fee schedules. */
export interface ContentsAdmin extends Contents {
  putContent(content: Content): Promise<void>
  /** Records that an entry stops pointing to the content. Superseded if the content does not exist. */
  retireContent(contentId: string, at: Date): Promise<WriteOutcome>
  /** Deletes a content that was last retired, or created, before `before`; superseded if it was retired since. */
  removeContent(contentId: string, before: Date): Promise<WriteOutcome>
  listContents(): AsyncIterable<ContentSummary>

  putSources(sources: readonly Source[], at: Date): Promise<void>
  /** Missing sources are omitted. */
  readSources(sourceIds: readonly string[]): Promise<readonly Source[]>
  /** The latest source of each file, by its identity or by `identifyBytes`; files without one are omitted. */
  findSources(identities: readonly string[]): Promise<readonly Source[]>
  /** Records that a content is about to use the sources. Returns those that do not exist. */
  touchSources(sourceIds: readonly string[], at: Date): Promise<readonly string[]>
  /** Deletes a source that was last touched before `before`; superseded if it was touched since. */
  removeSource(sourceId: string, before: Date): Promise<WriteOutcome>
  listSources(): AsyncIterable<SourceRef & { readonly touchedAt: Date }>

  putFilter(filter: LoadFilter): Promise<void>

  /** Numbers the states of the catalogue that are written down for `rates_current`: 1, 2, and so on. */
  nextVersion(): Promise<number>
  /** Replaces this version, or writes the first if `replacedVersion` is undefined. */
  replaceNppesMonths(months: NppesMonths, replacedVersion: string | undefined): Promise<WriteOutcome>
}
