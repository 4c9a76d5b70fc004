import type { DuckDBAppender, DuckDBValue } from '@duckdb/node-api'
import type { PublishedColumn } from '../../schema/columns/rates.ts'
import { defineColumn } from '../../schema/columns/rates.ts'
import { RowChunk, rowsPerChunk } from './row-chunk.ts'

/** A table's columns and their SQL types. */
export type StagedColumns<Name extends string> = readonly (readonly [name: Name, type: string])[]

/** The definitions of a table's columns in SQL. */
export function defineColumns(columns: StagedColumns<string>, published: readonly PublishedColumn[]): string {
  const all = [...columns, ...published.map(({ name }) => defineColumn(name))]
  return all.map((column) => column.join(' ')).join(', ')
}

/** Takes rows column by column: one call into DuckDB for each two thousand of them. */
export class StagedTable<Name extends string> {
  readonly #names: readonly Name[]
  readonly #chunk: RowChunk
  readonly #columns: DuckDBValue[][]
  /** How many rows were added. */
  count = 0
  #rows = 0

  /** @param columns the table's first columns, by name; its others have their values by position */
  constructor(appender: DuckDBAppender, columns: StagedColumns<Name>) {
    this.#names = columns.map(([name]) => name)
    this.#chunk = new RowChunk(appender)
    this.#columns = Array.from({ length: appender.columnCount }, () => [])
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
    this.#chunk.close()
  }

  #flush(): void {
    this.#chunk.append(this.#rows, (chunk) => chunk.setColumns(this.#columns))
    for (const column of this.#columns) column.length = 0
    this.#rows = 0
  }
}
