import type { DuckDBConnection } from '@duckdb/node-api'
import { quoteText } from '../../local/athena/sql/duckdb-sql.ts'

/** A number, or ASCII text: only such texts are ordered here as in Parquet, by their bytes. */
type Value = number | string

/** A row group as described by a file's footer. */
export interface RowGroup {
  /** Compressed bytes of all its columns, including page headers and dictionaries. */
  readonly bytes: number
  /** Minimum and maximum of each column; columns without these statistics are absent. */
  readonly ranges: Readonly<Record<string, readonly [min: Value, max: Value]>>
}

/** The values that a search names, by column. A row must match all of the lists. */
export type Wanted = Readonly<Record<string, readonly Value[]>>

/**
 * The bytes that a search must read with any reader: all columns of each row group that its statistics do not exclude.
 *
 * Not included: footers, Bloom filters and page indexes. Not subtracted: what a reader may skip by means other than a
 * row group's minimum and maximum (dictionaries, Bloom filters, page indexes, late reading of columns, and Trino's
 * dynamic filters).
 */
export function bytesToRead(rowGroups: readonly RowGroup[], wanted: Wanted): number {
  return rowGroups.filter((rowGroup) => mayHold(rowGroup, wanted)).reduce((sum, { bytes }) => sum + bytes, 0)
}

/** Whether a row group's statistics allow for a matching row. */
export function mayHold({ ranges }: RowGroup, wanted: Wanted): boolean {
  return Object.entries(wanted).every(([column, values]) => {
    const range = ranges[column]
    return range === undefined || values.some((value) => range[0] <= value && value <= range[1])
  })
}

/**
 * Reads the row groups from the footers of Parquet files.
 *
 * @param columns the columns whose statistics to read, and whether they are numbers
 */
export async function readRowGroups(
  connection: DuckDBConnection,
  paths: readonly string[],
  columns: Readonly<Record<string, 'number' | 'text'>>,
): Promise<readonly RowGroup[]> {
  const reader = await connection.runAndReadAll(`
    SELECT file_name, row_group_id, path_in_schema, total_compressed_size::double, stats_min_value, stats_max_value
    FROM parquet_metadata([${paths.map(quoteText).join(', ')}])`)
  const groups = Map.groupBy(reader.getRowsJS(), ([file, rowGroup]) => `${rowGroup} ${file}`)
  return [...groups.values()].map((chunks) => ({
    bytes: chunks.reduce((sum, chunk) => sum + Number(chunk[3]), 0),
    ranges: Object.fromEntries(
      chunks.flatMap(([, , name, , min, max]) => {
        const kind = columns[String(name)]
        if (kind === undefined || min === null || max === null) return []
        const read = kind === 'number' ? Number : String
        return [[String(name), [read(min), read(max)] as const]]
      }),
    ),
  }))
}
