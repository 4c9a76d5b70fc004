import type { ColumnValue } from '../columns/column-values.ts'
import { rateUnitOf } from '../decode/values/rate-unit.ts'

/** The unit of a rate depends on the type of its price and the arrangement of its item, of which a file has few pairs. */
export class Units {
  readonly values: readonly string[]
  readonly #typeOf: Uint32Array
  readonly #arrangementOf: Uint32Array
  readonly #arrangements: number
  #found = new Uint32Array(0)

  /**
   * @param types those of prices, by number
   * @param arrangements those of the items
   */
  constructor(types: readonly ColumnValue[], arrangements: readonly ColumnValue[]) {
    const [distinctTypes, distinctArrangements] = [[...new Set(types)], [...new Set(arrangements)]]
    this.values = distinctTypes.flatMap((type) =>
      distinctArrangements.map((arrangement) => rateUnitOf(String(type), String(arrangement))),
    )
    this.#typeOf = indexesOf(types, distinctTypes)
    this.#arrangementOf = indexesOf(arrangements, distinctArrangements)
    this.#arrangements = distinctArrangements.length
  }

  /** Finds the unit of each row; it is valid until the next call. */
  find(items: Uint32Array, types: Uint32Array, rows: number): Uint32Array {
    if (this.#found.length < rows) this.#found = new Uint32Array(rows)
    for (let row = 0; row < rows; row++)
      this.#found[row] =
        (this.#typeOf[types[row] ?? 0] ?? 0) * this.#arrangements + (this.#arrangementOf[items[row] ?? 0] ?? 0)
    return this.#found
  }
}

function indexesOf(values: readonly ColumnValue[], distinct: readonly ColumnValue[]): Uint32Array {
  const indexes = new Map(distinct.map((value, index) => [value, index]))
  return Uint32Array.from(values, (value) => indexes.get(value) ?? 0)
}
