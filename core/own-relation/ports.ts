import type { WriteOutcome } from '../write-outcome.ts'

/** Rate limit for forced catalogue refreshes, shared by all jobs. */
export interface ForcedRefreshes {
  /** Claims the right to force a refresh at `at`; superseded unless the last one was claimed at or before `lastBy`. */
  claim(at: Date, lastBy: Date): Promise<WriteOutcome>
}

/** A column of a SELECT's result: name in lower case, type in Trino's spelling, an array without its element type. */
export interface ResultColumn {
  readonly name: string
  readonly type: string
}

/** The rows of a SELECT as text; NULL is undefined. */
export interface ResultTable {
  readonly columns: readonly ResultColumn[]
  readonly rows: readonly (readonly (string | undefined)[])[]
}

/** Reads a column of a row by its name; undefined for NULL, and if there is no such column. */
export type Read = (column: string) => string | undefined

export function openRows({ columns, rows }: ResultTable): readonly Read[] {
  const places = new Map(columns.map(({ name }, place) => [name, place]))
  const readRow =
    (row: ResultTable['rows'][number]): Read =>
    (column) => {
      const place = places.get(column)
      return place === undefined ? undefined : row[place]
    }
  return rows.map(readRow)
}

/** Reads the rows of a SELECT; only for an operator's small relations. Search results are in files. */
export interface QueryRows {
  /** Reads all rows of a succeeded query. */
  readAll(queryId: string): Promise<ResultTable>
}
