import type { DuckDBAppender } from '@duckdb/node-api'
import { DuckDBDataChunk } from '@duckdb/node-api'

/** Rows that one call passes to DuckDB: the size of its vectors. */
export const rowsPerChunk = 2048

/** Passes rows to a table of DuckDB, many at a time. */
export class RowChunk {
  readonly #appender: DuckDBAppender
  /** Used again for all rows: memory of DuckDB is not freed before the garbage collector finds its owner. */
  readonly #chunk: DuckDBDataChunk

  constructor(appender: DuckDBAppender) {
    this.#appender = appender
    const types = Array.from({ length: appender.columnCount }, (_, index) => appender.columnType(index))
    this.#chunk = DuckDBDataChunk.create(types)
  }

  /**
   * @param rows at most `rowsPerChunk`
   * @param fill sets the columns of the rows
   */
  append(rows: number, fill: (chunk: DuckDBDataChunk) => void): void {
    this.#chunk.reset()
    this.#chunk.rowCount = rows
    fill(this.#chunk)
    this.#appender.appendDataChunk(this.#chunk)
  }

  close(): void {
    this.#appender.closeSync()
  }
}
