import type { DuckDBConnection } from '@duckdb/node-api'
import { quoteText } from '../local/athena/duckdb-sql.ts'

/** A number, or a text of ASCII: such texts are ordered here as Parquet orders them, by their bytes. */
type Value = number | string

/** What a file's footer says of one row group. */
export interface RowGroup {
  /** Compressed bytes of all its columns, page headers and dictionaries included. */
  readonly bytes: number
  /** The smallest and the largest value of a column; a column without such statistics is not here. */
  readonly ranges: Readonly<Record<string, readonly [min: Value, max: Value]>>
}

/** The values that a search names, by column: each list has to be met. */
export type Wanted = Readonly<Record<string, readonly Value[]>>

/**
 * The bytes that a search must read whatever reader it has: all columns of each row group that its statistics do not
 * exclude. A search selects every column of a result, so all are read.
 *
 * Not counted: footers, and the few bytes of Bloom filters and page indexes. Not subtracted: what a reader may leave out by
 * other means than the smallest and largest value of a row group (dictionaries, Bloom filters, page indexes, reading columns
 * late, and the values that a join has found on its other side, which Trino's dynamic filters pass on when they
 * come in time).
 */
export function bytesToRead(rowGroups: readonly RowGroup[], wanted: Wanted): number {
  return rowGroups.filter((rowGroup) => mayHold(rowGroup, wanted)).reduce((sum, { bytes }) => sum + bytes, 0)
}

/** Whether a row group's statistics leave open that it has a row that is searched for. */
export function mayHold({ ranges }: RowGroup, wanted: Wanted): boolean {
  return Object.entries(wanted).every(([column, values]) => {
    const range = ranges[column]
    return range === undefined || values.some((value) => range[0] <= value && value <= range[1])
  })
}

/**
 * Reads what the footers of Parquet files say of their row groups.
 *
 * @param columns those whose statistics count, with whether they are numbers
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
