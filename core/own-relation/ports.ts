import type { WriteOutcome } from '../write-outcome.ts'

/** The use of a stage's allowance of forced refreshes (`forceRefresh`). */
export interface RefreshUse {
  /** Start of the last forced refresh. */
  readonly forcedAt: Date
  /** Time at which the whole allowance is available again. */
  readonly refilledAt: Date
}

/** The forced refreshes of a stage, shared by all jobs. */
export interface ForcedRefreshes {
  /** Returns the use so far; undefined before the first forced refresh. */
  read(): Promise<RefreshUse | undefined>
  /** Stores a new use; superseded if the stored one is no longer `previous`. */
  write(use: RefreshUse, previous: RefreshUse | undefined): Promise<WriteOutcome>
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
  const positions = new Map(columns.map(({ name }, position) => [name, position]))
  const readRow =
    (row: ResultTable['rows'][number]): Read =>
    (column) => {
      const position = positions.get(column)
      return position === undefined ? undefined : row[position]
    }
  return rows.map(readRow)
}

/** Reads the rows of a SELECT; only for an operator's small relations. Search results are in files. */
export interface QueryRows {
  /** Reads all rows of a succeeded query. */
  readAll(queryId: string): Promise<ResultTable>
}
