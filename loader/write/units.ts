import type { ColumnValue } from '../collect/column-values.ts'
import { termColumns } from '../decode/in-network-file.ts'
import { type RateUnit, rateUnitOf } from '../decode/values/rate-unit.ts'

/** Where in `termColumns` the type is that a price's unit depends on. */
export const negotiatedTypeAt = termColumns.findIndex(({ name }) => name === 'negotiated_type')

/**
 * The unit of a rate depends on the type of its price and the arrangement of its item. A file may have any number of
 * both, and a table of all pairs would be as large as their product: types and arrangements that lead to the same
 * units share a class.
 */
export class Units {
  readonly values: readonly RateUnit[]
  /** The class of each type, and of each item's arrangement. */
  readonly #typeOf: Uint32Array
  readonly #arrangementOf: Uint32Array
  /** By class of type, and by class of arrangement: the place of the unit in `values`. */
  readonly #places: readonly (readonly number[])[]

  /**
   * @param types those of prices, by number
   * @param arrangements those of the items
   */
  constructor(types: readonly ColumnValue[], arrangements: readonly ColumnValue[]) {
    const typesByUnit = new Map(types.map((type) => [rateUnitOf(String(type), ''), String(type)]))
    const arrangementsByUnit = new Map(
      arrangements.map((text) => [rateUnitOf('negotiated', String(text)), String(text)]),
    )
    this.#typeOf = numberValues(types.map((type) => rateUnitOf(String(type), '')))
    this.#arrangementOf = numberValues(arrangements.map((text) => rateUnitOf('negotiated', String(text))))
    const units = Array.from(typesByUnit.values(), (type) =>
      Array.from(arrangementsByUnit.values(), (arrangement) => rateUnitOf(type, arrangement)),
    )
    this.values = [...new Set(units.flat())]
    this.#places = units.map((ofType) => ofType.map((unit) => this.values.indexOf(unit)))
  }

  /** The place of the unit of an item's price, by the number of the price's type. */
  of(item: number, type: number): number {
    const place = this.#places[this.#typeOf[type] ?? 0]?.[this.#arrangementOf[item] ?? 0]
    if (place === undefined) throw new RangeError(`type ${type} and item ${item} have no unit`)
    return place
  }
}

/** Numbers values in the order in which they first occur: those that are equal have the same number. */
export function numberValues(values: readonly ColumnValue[]): Uint32Array {
  const numbers = new Map([...new Set(values)].map((value, number) => [value, number]))
  return Uint32Array.from(values, (value) => numbers.get(value) ?? 0)
}
