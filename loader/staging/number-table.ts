import type { DuckDBAppender, DuckDBDataChunk } from '@duckdb/node-api'
import {
  DuckDBBigIntVector,
  DuckDBDecimal64Vector,
  DuckDBDoubleVector,
  DuckDBIntegerVector,
  DuckDBUIntegerVector,
} from '@duckdb/node-api'
import { RowChunk, rowsPerChunk } from './row-chunk.ts'

/** The values of a column until a chunk is full. */
interface NumberColumn {
  readonly type: string
  /** Writes the first rows into a column of a chunk. */
  write(chunk: DuckDBDataChunk, column: number, rows: number): void
}

// `items` and `dataView` are private, but the library has no other way to fill a vector at once: `setItem` boxes and
// checks each value.

export class UIntegerColumn implements NumberColumn {
  readonly type = 'uinteger'
  readonly items = new Uint32Array(rowsPerChunk)

  write(chunk: DuckDBDataChunk, column: number, rows: number): void {
    const vector = chunk.getColumnVector(column)
    if (!(vector instanceof DuckDBUIntegerVector)) throw new TypeError(`column ${column} is ${vector.type}`)
    vector['items'].set(this.items.subarray(0, rows))
    vector.flush()
  }
}

export class IntegerColumn implements NumberColumn {
  readonly type = 'integer'
  readonly items = new Int32Array(rowsPerChunk)

  write(chunk: DuckDBDataChunk, column: number, rows: number): void {
    const vector = chunk.getColumnVector(column)
    if (!(vector instanceof DuckDBIntegerVector)) throw new TypeError(`column ${column} is ${vector.type}`)
    vector['items'].set(this.items.subarray(0, rows))
    vector.flush()
  }
}

export class DoubleColumn implements NumberColumn {
  readonly type = 'double'
  readonly items = new Float64Array(rowsPerChunk)

  write(chunk: DuckDBDataChunk, column: number, rows: number): void {
    const vector = chunk.getColumnVector(column)
    if (!(vector instanceof DuckDBDoubleVector)) throw new TypeError(`column ${column} is ${vector.type}`)
    vector['items'].set(this.items.subarray(0, rows))
    vector.flush()
  }
}

const wordSize = 2 ** 32

/** 64-bit integers, set as numbers or as bigints. */
abstract class WideColumn {
  protected readonly items = new BigInt64Array(rowsPerChunk)
  /** The low and the high word of each item: every platform of DuckDB is little-endian. */
  readonly #words = new Int32Array(this.items.buffer)

  /** @param value a number must be an integer of at most 2^53 */
  set(row: number, value: number | bigint): void {
    if (typeof value === 'bigint') this.items[row] = value
    else {
      this.#words[2 * row] = value
      this.#words[2 * row + 1] = Math.floor(value / wordSize)
    }
  }
}

export class BigIntColumn extends WideColumn {
  readonly type = 'bigint'

  write(chunk: DuckDBDataChunk, column: number, rows: number): void {
    const vector = chunk.getColumnVector(column)
    if (!(vector instanceof DuckDBBigIntVector)) throw new TypeError(`column ${column} is ${vector.type}`)
    vector['items'].set(this.items.subarray(0, rows))
    vector.flush()
  }
}

/** Rates, set in ten-thousandths. */
export class RateColumn extends WideColumn {
  readonly type = 'decimal(18,4)'

  write(chunk: DuckDBDataChunk, column: number, rows: number): void {
    const vector = chunk.getColumnVector(column)
    if (!(vector instanceof DuckDBDecimal64Vector)) throw new TypeError(`column ${column} is ${vector.type}`)
    const { buffer, byteOffset } = vector['dataView']
    new BigInt64Array(buffer, byteOffset, rows).set(this.items.subarray(0, rows))
    vector.flush()
  }
}

export type NumberColumns = Readonly<Record<string, NumberColumn>>

/** Takes rows of numbers, for tables that have millions of them. No value is missing. */
export class NumberTable<Columns extends NumberColumns> {
  /** The caller of `addRow` sets each of them at the row. */
  readonly columns: Columns
  readonly #chunk: RowChunk
  #rows = 0

  constructor(appender: DuckDBAppender, columns: Columns) {
    this.#chunk = new RowChunk(appender)
    this.columns = columns
  }

  /** @returns where the row's values belong in the columns */
  addRow(): number {
    if (this.#rows === rowsPerChunk) this.#flush()
    return this.#rows++
  }

  close(): void {
    if (this.#rows > 0) this.#flush()
    this.#chunk.close()
  }

  #flush(): void {
    this.#chunk.append(this.#rows, (chunk) => {
      for (const [index, column] of Object.values(this.columns).entries()) column.write(chunk, index, this.#rows)
    })
    this.#rows = 0
  }
}
