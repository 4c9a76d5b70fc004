import type { ColumnValue } from '../columns/column-values.ts'
import { termColumns } from '../decode/in-network-file.ts'
import { rateUnitOf } from '../decode/values/rate-unit.ts'

/** Where in `termColumns` the type is that a price's unit depends on. */
export const negotiatedTypeAt = termColumns.findIndex(({ name }) => name === 'negotiated_type')

/** The unit of a rate depends on the type of its price and the arrangement of its item, of which a file has few pairs. */
export class Units {
  readonly values: readonly string[]
  readonly #typeOf: Uint32Array
  readonly #arrangementOf: Uint32Array
  readonly #arrangements: number

  /**
   * @param types those of prices, by number
   * @param arrangements those of the items
   */
  constructor(types: readonly ColumnValue[], arrangements: readonly ColumnValue[]) {
    const [distinctTypes, distinctArrangements] = [new Set(types), [...new Set(arrangements)]]
    this.values = [...distinctTypes].flatMap((type) =>
      distinctArrangements.map((arrangement) => rateUnitOf(String(type), String(arrangement))),
    )
    this.#typeOf = numberValues(types)
    this.#arrangementOf = numberValues(arrangements)
    this.#arrangements = distinctArrangements.length
  }

  /** The unit of an item's price, by the number of the price's type. */
  of(item: number, type: number): number {
    return (this.#typeOf[type] ?? 0) * this.#arrangements + (this.#arrangementOf[item] ?? 0)
  }
}

/** Numbers values in the order in which they first occur: those that are equal have the same number. */
export function numberValues(values: readonly ColumnValue[]): Uint32Array {
  const numbers = new Map([...new Set(values)].map((value, number) => [value, number]))
  return Uint32Array.from(values, (value) => numbers.get(value) ?? 0)
}
