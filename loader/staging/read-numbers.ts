import type { DuckDBDataChunk } from '@duckdb/node-api'
import { DuckDBBigIntVector, DuckDBDecimal64Vector, DuckDBUIntegerVector } from '@duckdb/node-api'

/** Rows of numbers, column by column, none of which is missing. They are valid until the next chunk is read. */
export class NumberChunk {
  readonly rows: number
  readonly #chunk: DuckDBDataChunk

  constructor(chunk: DuckDBDataChunk) {
    this.#chunk = chunk
    this.rows = chunk.rowCount
  }

  // As in number-table.ts: the library has no other way to take all items of a vector at once.

  uinteger(column: number): Uint32Array {
    const vector = this.#chunk.getColumnVector(column)
    if (!(vector instanceof DuckDBUIntegerVector)) throw new TypeError(`column ${column} is ${vector.type}`)
    return vector['items']
  }

  bigint(column: number): BigInt64Array {
    const vector = this.#chunk.getColumnVector(column)
    if (!(vector instanceof DuckDBBigIntVector)) throw new TypeError(`column ${column} is ${vector.type}`)
    return vector['items']
  }

  /** A decimal of up to 18 digits, as a whole number of its last digit. */
  decimal(column: number): BigInt64Array {
    const vector = this.#chunk.getColumnVector(column)
    if (!(vector instanceof DuckDBDecimal64Vector)) throw new TypeError(`column ${column} is ${vector.type}`)
    const { buffer, byteOffset } = vector['dataView']
    return new BigInt64Array(buffer, byteOffset, this.rows)
  }
}
