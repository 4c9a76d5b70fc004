import { hash } from 'node:crypto'
import { type Column, type ColumnHome, contentIdColumn, loadIdColumn, sourceIdColumn } from './column.ts'
import { prefixLength } from './prefixed-id.ts'
import { ratesColumns } from './rates.ts'

/**
 * The tables below the view `rates`. Two hold what payers publish, in files of one source (one loaded file); the third
 * maps fee schedules to sources, in a file for each content. One file serves many plans and refers to groups of
 * thousands of NPIs, so storing every row of `rates` would repeat the same prices. No path contains the name of a
 * payer or plan.
 */

const idColumn = (name: string, meaning: string): Column => ({
  name,
  type: 'varchar',
  nullable: false,
  required: false,
  home: 'fee_schedule_sources',
  meaning,
  sourceField: 'computed',
})

/** Names a provider group within one source. Compared as published text, never as a number. */
export const providerGroupKey: Column = {
  ...idColumn('provider_group_key', 'the provider group within its source'),
  home: 'provider_groups',
  sourceField: 'provider_references[].provider_group_id',
}

/** Joins prices to provider groups. A list, because payers agree one price with thousands of groups (docs/adr/0039). */
export const providerGroupKeys: Column = {
  ...idColumn('provider_group_keys', 'the provider groups that the price is agreed with, within its source'),
  type: 'varchar ARRAY',
  home: 'negotiated_rates',
  sourceField: 'in_network[].negotiated_rates[].provider_references[]',
}

/** Makes the column `price_id` with its source's `priceIdPrefix`. A number, because ids are known at the file's end. */
export const priceOrdinal: Column = {
  ...idColumn('price_ordinal', 'place of the price among the published prices of its file, from 1'),
  type: 'bigint',
  home: 'negotiated_rates',
}

/** The part of the column `flags` that depends on other prices of the file, which the loader sees all at once. */
export const amountFlags: Column = {
  ...idColumn('amount_flags', 'what is odd about the amount among those of its file'),
  type: 'varchar ARRAY',
  nullable: true,
  home: 'negotiated_rates',
}

/** Prefix of the ids of a source's prices. */
export const priceIdPrefix: Column = idColumn(
  'price_id_prefix',
  'start of the SHA-256 of the JSON text of the file, in hex',
)

/** @param contentHash SHA-256 of the source's JSON text, in hex */
export const priceIdPrefixOf = (contentHash: string): string => contentHash.slice(0, 16)

/** Where a source's rows are. */
export interface SourceRef {
  readonly loadId: string
  readonly sourceId: string
}

const sourceId = idColumn(sourceIdColumn, 'one loaded file')
const contentId = idColumn(contentIdColumn, 'one set of sources and the fee schedules that read it')

/** The hidden column with the address of a row's file. Source: Athena user guide and Trino's Hive connector. */
export const pathColumn = '$path'

/** The partition column of every table: a number that follows from the id of a source or content. */
export const bucketColumn = idColumn('bucket', 'the folder of a file, a number that its source or content determines')

/** The columns with the bucket of a content and of a source. */
export const contentBucketColumn = 'content_bucket'
export const sourceBucketColumn = 'source_bucket'

export interface WarehouseTable {
  readonly name: ColumnHome | 'current_contents' | 'provider_directory'
  /** The meaning of one row. */
  readonly grain: string
  /** The columns in the files. New ones come last, so that diffs of tables and documents stay small. */
  readonly columns: readonly Column[]
  /**
   * Number of partitions, which does not depend on the data: Athena derives them from it (docs/adr/0030). A new number
   * moves every file: contents that are stored must then be outdated (adapters/dynamodb/catalogue/content-items.ts).
   */
  readonly buckets: number
  /** Number of characters at the start of an id that decide its partition (`makePrefixedId`). @default - all */
  readonly prefixLength?: number
  /** The sort order of each file, so that row groups can be skipped by their statistics. */
  readonly sortedBy: readonly string[]
}

/** A table with columns of a result. */
type RatesTable = WarehouseTable & { readonly name: ColumnHome }

const storedIn = (home: ColumnHome) => ratesColumns.filter((column) => column.home === home)

/** Both tables have a source's files in the same bucket, which the view joins by and searches name. */
const sourcePositions = { buckets: 4096, prefixLength }

export const priceTable: RatesTable = {
  name: 'negotiated_rates',
  grain: 'one published price, and those of its provider groups for which it has the same flags',
  columns: [providerGroupKeys, ...storedIn('negotiated_rates'), priceOrdinal, amountFlags, sourceId],
  ...sourcePositions,
  sortedBy: ['billing_code', 'billing_code_type'],
}

export const groupTable: RatesTable = {
  name: 'provider_groups',
  grain: 'one NPI of one TIN of one provider reference',
  columns: [providerGroupKey, ...storedIn('provider_groups'), sourceId],
  ...sourcePositions,
  sortedBy: ['npi'],
}

/** The tables with the rows of a source. */
export const sourceTables: readonly RatesTable[] = [priceTable, groupTable]

/** The table with the rows of a content. */
export const contentTable: RatesTable = {
  name: 'fee_schedule_sources',
  grain: 'one fee schedule and one of its sources',
  columns: [
    ...storedIn('fee_schedule_sources'),
    idColumn(loadIdColumn, 'the load that wrote the source'),
    sourceId,
    priceIdPrefix,
    contentId,
    idColumn(sourceBucketColumn, "the bucket of the source's files"),
  ],
  buckets: 256,
  prefixLength,
  sortedBy: ['payer', 'plan'],
}

export const warehouseTables: readonly RatesTable[] = [...sourceTables, contentTable]

/** Numbers the files of `currentTable`; only the one with the largest number counts (docs/adr/0032). */
export const versionColumn: Column = {
  ...idColumn('version', "number of the catalogue's state; only the rows with the largest count"),
  type: 'bigint',
}

/** The contents that searches read now, for people who query the warehouse themselves; searches never read it. */
export const currentTable: WarehouseTable = {
  name: 'current_contents',
  grain: 'one fee schedule that can be searched, and the content that it reads',
  columns: [
    ...ratesColumns.filter(({ name }) => name === 'payer' || name === 'plan'),
    contentId,
    idColumn(contentBucketColumn, "the bucket of the content's file"),
    versionColumn,
  ],
  buckets: 1,
  sortedBy: ['payer', 'plan'],
}

/** All of rates. */
export const deployedTables: readonly WarehouseTable[] = [...warehouseTables, currentTable]

/**
 * Changes with the form of the tables' files and folders, so that a command recognizes a stage of another version.
 * Stored files that can no longer be read must also become outdated (adapters/dynamodb/catalogue/content-items.ts).
 */
export const layoutVersion = hash(
  'sha256',
  JSON.stringify(
    deployedTables.map((table) => [
      table.columns.map(({ name, type }) => [name, type]),
      table.buckets,
      table.prefixLength ?? 'whole id',
    ]),
  ),
).slice(0, 8)

/** The files of a source or a content, in every table of `tables`. */
export interface WarehouseUnit {
  readonly tables: readonly WarehouseTable[]
  /** The source's or content's. */
  readonly id: string
  /** The load of a source. */
  readonly loadId?: string
}

export const sourceUnit = ({ loadId, sourceId: id }: SourceRef): WarehouseUnit => ({ tables: sourceTables, id, loadId })

export const contentUnit = (id: string): WarehouseUnit => ({ tables: [contentTable], id })

export const currentUnit = (version: number): WarehouseUnit => ({ tables: [currentTable], id: `v${version}` })

/** The bucket of a source or a content in a table: the FNV-1a hash of its id, or of the id's first characters. */
export function bucketOf(table: Pick<WarehouseTable, 'buckets' | 'prefixLength'>, id: string): string {
  let sum = 0x811c9dc5
  for (let index = 0; index < Math.min(id.length, table.prefixLength ?? id.length); index++)
    sum = Math.imul(sum ^ id.charCodeAt(index), 0x01000193)
  return String((sum >>> 0) % table.buckets)
}

export const sourceBucketOf = (sourceId: string): string => bucketOf(sourcePositions, sourceId)

/** The folder of a part's files in a table, below the warehouse's root. Ends in `/`. */
export const folderPath = (table: WarehouseTable, { id }: Pick<WarehouseUnit, 'id'>): string =>
  `${table.name}/${bucketColumn.name}=${bucketOf(table, id)}/`

/** The names of a part's files begin so. */
export const filePrefix = ({ id }: Pick<WarehouseUnit, 'id'>): string => `${id}.`

/** The name of one of a part's files in a table, from 0. */
export const fileName = ({ id, loadId }: FileIds, file = 0): string =>
  numberFile([id, ...(loadId === undefined ? [] : [loadId]), '0.parquet'].join('.'), file)

/** The path of another file of the same part and table. */
export const numberFile = (path: string, file: number): string =>
  path.replace(/\d+(?=\.parquet$)/, String(file).padStart(5, '0'))

type FileIds = Omit<WarehouseUnit, 'tables'>

/** The ids in the path of a file, staged or not; undefined if the file is not the loader's. */
export function readFileName(path: string): FileIds | undefined {
  const [, id, loadId] = /([^/\\.]+)(?:\.([^/\\.]+))?\.\d+\.parquet$/.exec(path) ?? []
  return id === undefined ? undefined : { id, ...(loadId !== undefined && { loadId }) }
}
