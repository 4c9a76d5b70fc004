import type { SourceRef } from '../../schema/warehouse-tables.ts'

/**
 * What searches read: a content is one set of sources with the names that read it, and never changes. A source is one
 * loaded file. Whatever a search finds follows from its content ids; load and source ids only leave out partitions.
 */

/** One immutable set of sources. */
export interface Content extends Omit<ContentSummary, 'loadIds' | 'sourceCount' | 'retiredAt'> {
  /** At least one, sorted by source id. */
  readonly sources: readonly ContentSource[]
}

/** A source of a content. */
export interface ContentSource extends SourceRef {
  /** Size of its files in the warehouse; absent if it was written before sizes were noted. */
  readonly bytes?: number
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
  readonly figures: ContentFigures
  readonly partial: boolean
  readonly filterId?: string
  readonly lastUpdatedOn?: string
  readonly createdAt: Date
  /** When an entry last stopped to point to it; absent while none ever did. */
  readonly retiredAt?: Date
}

/** What a load is compared by with the load before. */
export interface ContentFigures {
  /** Rows of `rates` that one plan has. */
  readonly rates: number
  /** Distinct billing codes of all sources together. */
  readonly codes: number
  /** Distinct NPIs of all sources together. */
  readonly npis: number
}

/** One loaded file: what the loader knows of it, and what a later load needs to take it over unread. */
export interface Source extends SourceRef {
  /** What tells published files apart: the address without signature parameters, or the path of a local file. */
  readonly identity: string
  /** Base name without a query string: the column `source_file`. */
  readonly name: string
  /** SHA-256 of the JSON text, in hex. */
  readonly contentHash: string
  /** Size as it is packed. */
  readonly bytes: number
  /** Size of its files in the warehouse; absent if it was written before sizes were noted. */
  readonly tableBytes?: number
  /** Strong entity tag of the file where it was read; absent if there was none. */
  readonly etag?: string
  /** Version of the loader's rules that made the tables. */
  readonly loaderVersion: string
  readonly filterId?: string
  /** Identity and hash of each file that it refers to for its provider groups. */
  readonly references: readonly { readonly identity: string; readonly contentHash: string }[]
  readonly reportingEntityName: string
  readonly names: PublishedNames
  /** What its root says in columns that the loader reads by their names. */
  readonly published?: Readonly<Record<string, string | readonly string[]>>
  /** `YYYY-MM-DD`; absent if the file states none that can be read. */
  readonly lastUpdatedOn?: string
  /** Whether files that it refers to were missing. */
  readonly partial: boolean
  /** Published prices that became rows, and those that became none. */
  readonly prices: number
  readonly skipped: number
  /** Rows that the file has in `rates`, for each plan. */
  readonly rates: number
  readonly codes: number
  readonly npis: number
  /** How often each rule of the loader found a fault, by the rule's name. */
  readonly findings: Readonly<Record<string, number>>
}

/** What a file says of its plan, as published. Source: CMS schema of in-network files, fields of these names. */
export interface PublishedNames {
  readonly issuer?: string
  readonly plan?: string
  readonly planId?: string
  readonly planIdType?: string
}

/** A load that has begun and not ended: what it makes and what it takes over stays until it ends. */
export interface OpenLoad {
  readonly loadId: string
  readonly touchedAt: Date
  /** Sources of earlier loads that it takes over. */
  readonly pinned: readonly string[]
}
