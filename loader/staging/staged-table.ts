import type { DuckDBAppender, DuckDBValue } from '@duckdb/node-api'
import { DuckDBDataChunk } from '@duckdb/node-api'
import type { PublishedColumn } from '../../schema/columns/rates.ts'
import { defineColumn } from '../../schema/columns/rates.ts'

/** Rows that one call passes to DuckDB: the size of its vectors. */
const rowsPerChunk = 2048

/** A table's columns and their SQL types. */
export type StagedColumns<Name extends string> = readonly (readonly [name: Name, type: string])[]

/** The definitions of a table's columns in SQL. */
export function defineColumns(columns: StagedColumns<string>, published: readonly PublishedColumn[]): string {
  const all = [...columns, ...published.map(({ name }) => defineColumn(name))]
  return all.map((column) => column.join(' ')).join(', ')
}

/** Takes rows column by column: one call into DuckDB for each two thousand of them. */
export class StagedTable<Name extends string> {
  readonly #appender: DuckDBAppender
  readonly #names: readonly Name[]
  /** Used again for all rows: memory of DuckDB is not freed before the garbage collector finds its owner. */
  readonly #chunk: DuckDBDataChunk
  readonly #columns: DuckDBValue[][]
  /** How many rows were added. */
  count = 0
  #rows = 0

  /** @param columns the table's first columns, by name; its others have their values by position */
  constructor(appender: DuckDBAppender, columns: StagedColumns<Name>) {
    this.#appender = appender
    this.#names = columns.map(([name]) => name)
    const types = Array.from({ length: appender.columnCount }, (_, index) => appender.columnType(index))
    this.#chunk = DuckDBDataChunk.create(types)
    this.#columns = types.map(() => [])
  }

  /** Adds a row. */
  add(row: Readonly<Record<Name, DuckDBValue>>, others: readonly DuckDBValue[] = []): void {
    let column = 0
    for (const name of this.#names) this.#columns[column++]?.push(row[name])
    for (const value of others) this.#columns[column++]?.push(value)
    this.count++
    if (++this.#rows === rowsPerChunk) this.#flush()
  }

  close(): void {
    if (this.#rows > 0) this.#flush()
    this.#appender.closeSync()
  }

  #flush(): void {
    const chunk = this.#chunk
    chunk.reset()
    chunk.rowCount = this.#rows
    chunk.setColumns(this.#columns)
    this.#appender.appendDataChunk(chunk)
    for (const column of this.#columns) column.length = 0
    this.#rows = 0
  }
}
