import type { DuckDBType, DuckDBValue } from '@duckdb/node-api'
import { DuckDBDataChunk, DuckDBDateValue, DuckDBDecimalValue, DuckDBInstance, listValue } from '@duckdb/node-api'
import type { ColumnType } from '../core/rates.ts'
import type { WarehouseTable } from '../core/warehouse.ts'
import type { Row, Value } from './warehouse-row.ts'

/** Where a table is written to. */
export interface Destination {
  /** Local path of the Parquet file. */
  readonly path: string
  /** Local folder for what does not fit into memory. */
  readonly scratch: string
}

/** Rows that one call carries into DuckDB; its vectors hold no more. */
const rowsPerChunk = 2048

const millisecondsPerDay = 86_400_000

/**
 * Writes rows of a warehouse table as one Parquet file, in the table's order.
 *
 * @returns the number of rows
 */
export async function writeParquet(
  table: WarehouseTable,
  rows: Iterable<Row>,
  { path, scratch }: Destination,
): Promise<number> {
  const instance = await DuckDBInstance.create(':memory:', {
    temp_directory: scratch,
    preserve_insertion_order: 'false',
  })
  try {
    const connection = await instance.connect()
    const columns = table.columns.map(({ name, type }) => `${name} ${type}`)
    await connection.run(`CREATE TABLE ${table.name} (${columns.join(', ')})`)
    const appender = await connection.createAppender(table.name)
    const types = table.columns.map((_, index) => appender.columnType(index))
    let written = 0
    for (const chunk of chunksOf(rows, table, types)) {
      appender.appendDataChunk(chunk)
      written += chunk.rowCount
    }
    appender.closeSync()
    await connection.run(
      `COPY (SELECT * FROM ${table.name} ORDER BY ${table.sortedBy.join(', ')}) TO ${literal(path)} (FORMAT parquet, COMPRESSION zstd)`,
    )
    connection.closeSync()
    return written
  } finally {
    instance.closeSync()
  }
}

function* chunksOf(
  rows: Iterable<Row>,
  { columns }: WarehouseTable,
  types: readonly DuckDBType[],
): Generator<DuckDBDataChunk> {
  for (const batch of batchesOf(rows, rowsPerChunk)) {
    const chunk = DuckDBDataChunk.create(types, batch.length)
    chunk.setColumns(columns.map(({ name, type }) => batch.map((row) => toDuckDB(row[name], type, name))))
    yield chunk
  }
}

function* batchesOf<Item>(items: Iterable<Item>, size: number): Generator<Item[]> {
  let batch: Item[] = []
  for (const item of items) {
    batch.push(item)
    if (batch.length < size) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

function toDuckDB(value: Value | undefined, type: ColumnType, name: string): DuckDBValue {
  if (value === null) return null
  if (type === 'varchar' && typeof value === 'string') return value
  if (type === 'date' && typeof value === 'string') return new DuckDBDateValue(Date.parse(value) / millisecondsPerDay)
  if (type === 'decimal(18,4)' && typeof value === 'bigint') return new DuckDBDecimalValue(value, 18, 4)
  if (type === 'bigint' && typeof value === 'number') return BigInt(value)
  if (type === 'integer' && typeof value === 'number') return value
  if (type === 'varchar ARRAY' && Array.isArray(value)) return listValue(value)
  throw new TypeError(`column ${name} takes a ${type}, not ${typeof value}`)
}

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`
