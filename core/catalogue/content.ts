import type { SourceRef } from '../../schema/columns/warehouse-tables.ts'
import type { PlanFacts } from './plan-facts.ts'

/**
 * The data that searches read. A content is an immutable set of sources with the names that read it, and a source is
 * one loaded file. Content ids determine the result of a search; load and source ids only say which files to open.
 */

/** One immutable set of sources. */
export interface Content extends Omit<ContentSummary, 'loadIds' | 'sourceCount' | 'retiredAt' | 'isOutdated'> {
  /** At least one, sorted by source id. */
  readonly sources: readonly ContentSource[]
}

/** A source of a content. */
export interface ContentSource extends SourceRef {
  /** Size of its files in the warehouse; absent if it was written before sizes were noted. */
  readonly bytes?: number | undefined
  /** Numbers of its files in the tables of `sourceTables`, in their order. @default - one in each */
  readonly files?: readonly number[] | undefined
}

/** A content without its list of sources, which may be long. */
export interface ContentSummary {
  readonly contentId: string
  /** The load or command that made it. */
  readonly loadId: string
  /** See `EntryContent.sourcesKey`. */
  readonly sourcesKey: string
  /** The loads that wrote its sources, sorted. */
  readonly loadIds: readonly string[]
  readonly sourceCount: number
  /** True if an earlier version wrote it where searches no longer look. */
  readonly isOutdated?: boolean
  readonly figures: ContentFigures
  readonly partial: boolean
  readonly filterId?: string | undefined
  /** True if names and descriptions of items were left out of any of its sources; absent if not. */
  readonly withoutDescriptions?: boolean | undefined
  readonly lastUpdatedOn?: string | undefined
  /** A day that one of its sources states and that cannot be read; absent if there is none. */
  readonly unreadableDay?: string | undefined
  /** Size of its file in the warehouse; absent if it was written before sizes were noted. */
  readonly tableBytes?: number | undefined
  readonly createdAt: Date
  /** When an entry last stopped pointing to it; absent if none ever did. */
  readonly retiredAt?: Date
}

/** Sums over the sources of a content. */
export interface ContentFigures extends Partial<JoinFigures> {
  /** Number of rows in `rates` per plan. */
  readonly rates: number
  /** Number of distinct billing codes over all sources. */
  readonly codes: number
  /** Number of distinct NPIs over all sources. */
  readonly npis: number
}

/**
 * Numbers of rows by which a search chooses the side of its join that the engine builds in memory. Absent if an earlier
 * version wrote a source.
 */
export interface JoinFigures {
  /** Published prices. */
  readonly prices: number
  /** Pairs of a price and one of its provider groups. */
  readonly pairs: number
  /** Rows of `provider_groups`. */
  readonly groupRows: number
}

/** One loaded file, with the facts that a later load needs to reuse it without reading it. */
export interface Source extends SourceRef {
  /** Identifies the published file: its address without signature parameters, or the path of a local file. */
  readonly identity: string
  /** Base name without a query string: the column `source_file`. */
  readonly name: string
  /** SHA-256 of the JSON text, in hex. */
  readonly contentHash: string
  /** Size of the file as published, which may be compressed. */
  readonly bytes: number
  /** Size of its files in the warehouse; absent if it was written before sizes were noted. */
  readonly tableBytes?: number
  /** Numbers of its files in the tables of `sourceTables`; absent if an earlier version wrote it elsewhere. */
  readonly tableFiles?: readonly number[]
  /** SHA-256 of the file as published, in hex; absent if not all of its references are recorded. */
  readonly etag?: string | undefined
  /** Strong entity tag of its server; absent if there was none, or it was a local file. */
  readonly publishedEtag?: string | undefined
  /** Version of the loader's rules that the tables were written with. */
  readonly loaderVersion: string
  readonly filterId?: string | undefined
  /** True if names and descriptions of its items were left out; absent if not. */
  readonly withoutDescriptions?: boolean | undefined
  /** Identity and hash of each file that it refers to for its provider groups. */
  readonly references: readonly { readonly identity: string; readonly contentHash: string }[]
  readonly reportingEntityName: string
  readonly names: PublishedNames
  /** Published facts about its plan, and its networks. */
  readonly facts?: PlanFacts
  /** `YYYY-MM-DD`; absent if the file states none that can be read. */
  readonly lastUpdatedOn?: string | undefined
  /** The day that the file states, as published; only if it cannot be read. */
  readonly unreadableDay?: string | undefined
  /** True if files that it refers to were missing. */
  readonly partial: boolean
  /** Numbers of published prices with rows, and without. */
  readonly prices: number
  readonly skipped: number
  /** Number of the file's rows in `rates` per plan. */
  readonly rates: number
  readonly codes: number
  readonly npis: number
  /** Pairs of a price and one of its provider groups; absent if an earlier version wrote it. */
  readonly pairs?: number
  /** Number of its rows in `provider_groups`; absent if an earlier version wrote it. */
  readonly groupRows?: number
  /** Number of findings by the name of the loader's rule. */
  readonly findings: Readonly<Record<string, number>>
}

/** True if an earlier version wrote the source where searches no longer look. */
export const isOutdated = ({ tableFiles }: Pick<Source, 'tableFiles'>): boolean => tableFiles === undefined

/**
 * Makes a key that finds the latest source with the same bytes, as an identity finds the latest source of a file.
 *
 * @param hash SHA-256 of the bytes, in hex
 */
export const identifyBytes = (hash: string): string => `sha256:${hash}`

/** The names of a file's plan, as published. Source: CMS schema of in-network files, fields of these names. */
export interface PublishedNames {
  readonly issuer?: string
  readonly plan?: string
  readonly planId?: string
  readonly planIdType?: string
}
