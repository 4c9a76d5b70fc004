import { contentIdColumn, sourceIdColumn } from '../../schema/columns/column.ts'
import {
  bucketColumn,
  bucketOf,
  contentTable,
  contentUnit,
  fileName,
  folderPath,
  pathColumn,
  sourceBucketOf,
  sourceUnit,
  type WarehouseTable,
  type WarehouseUnit,
} from '../../schema/columns/warehouse-tables.ts'
import type { ContentSource } from '../catalogue/content.ts'
import { distinct, isIn, literal } from './sql.ts'

/** Maximum number of sources that a statement names, if they fit, so that other files are skipped. */
export const maxNamedSources = 10_000

/**
 * Maximum number of files of a table that a statement names. Of more, Trino keeps only the first and the last in order,
 * and opens all between them in the buckets (measured: docs/measured/).
 */
const maxNamedFiles = 500

/** Where the rows of contents are, so that other files are skipped. */
export interface ScopeFiles {
  /** The address of the warehouse as Athena writes it, `s3://…/`. */
  readonly location: string
  /** All sources of the contents; none if there are too many to name. */
  readonly sources: readonly ContentSource[]
}

/**
 * Levels of detail about where a statement's rows are, the most first. A level includes all that follow it, and no
 * level changes the result, so a statement that has no room drops to the next.
 */
export const placeDetails = ['files', 'sources', 'buckets', 'contents', 'least'] as const
export type PlaceDetail = (typeof placeDetails)[number]

const includes = (detail: PlaceDetail, level: PlaceDetail) =>
  placeDetails.indexOf(detail) <= placeDetails.indexOf(level)

/** Returns the conditions that skip files of other sources, for a table of `sourceTables`. */
export function placeOfSources(
  table: WarehouseTable,
  { location, sources }: ScopeFiles,
  detail: PlaceDetail,
): readonly string[] {
  if (sources.length === 0) return []
  const ids = sources.map(({ sourceId }) => sourceId)
  const files = sources.reduce((sum, { files: count = 1 }) => sum + count, 0)
  const pathsOf = (source: ContentSource) => paths(location, table, sourceUnit(source), source.files)
  return [
    ...(includes(detail, 'buckets') ? [isIn(bucketColumn.name, distinct(ids.map(sourceBucketOf)).map(literal))] : []),
    ...(includes(detail, 'sources') ? [isIn(sourceIdColumn, ids.map(literal))] : []),
    ...(includes(detail, 'files') && files <= maxNamedFiles ? [isInFile(sources.flatMap(pathsOf))] : []),
  ]
}

/** Returns the conditions that skip files of other contents. */
export function placeOfContents(
  contentIds: readonly string[],
  { location }: Pick<ScopeFiles, 'location'>,
  detail: PlaceDetail,
): readonly string[] {
  if (!includes(detail, 'contents')) return []
  const buckets = distinct(contentIds.map((id) => bucketOf(contentTable, id)))
  return [
    isIn(bucketColumn.name, buckets.map(literal)),
    isInFile(contentIds.flatMap((id) => paths(location, contentTable, contentUnit(id)))),
  ]
}

/** Returns the condition that a row belongs to one of the contents. */
export const isOfContents = (contentIds: readonly string[]): string => isIn(contentIdColumn, contentIds.map(literal))

const isInFile = (addresses: readonly string[]) => isIn(`"${pathColumn}"`, addresses.map(literal))

const paths = (location: string, table: WarehouseTable, unit: WarehouseUnit, count = 1) =>
  Array.from({ length: count }, (_, file) => location + folderPath(table, unit) + fileName(unit, file))
