import { at, uint32At } from '../../schema/at.ts'
import type { ColumnValue } from '../collect/column-values.ts'
import { termColumns } from '../decode/in-network-file.ts'
import { type RateUnit, rateUnitOf } from '../decode/values/rate-unit.ts'

/** Place of `negotiated_type` in `termColumns`. */
export const negotiatedTypeAt = termColumns.findIndex(({ name }) => name === 'negotiated_type')

/**
 * Units of rates, which depend on the type of a price and the arrangement of its item. A file may have any number of
 * both, and a table of all pairs would be as large as their product. Types and arrangements that lead to the same
 * units therefore share a class, and the table has the pairs of classes.
 */
export class Units {
  readonly values: readonly RateUnit[]
  /** By type: its class. */
  readonly #typeClasses: Uint32Array
  /** By item: the class of its arrangement. */
  readonly #arrangementClasses: Uint32Array
  /** By class of type, and by class of arrangement: the place of the unit in `values`. */
  readonly #places: readonly (readonly number[])[]

  /**
   * @param types values of `negotiated_type`, by number
   * @param arrangements values of `negotiation_arrangement`, by item
   */
  constructor(types: readonly ColumnValue[], arrangements: readonly ColumnValue[]) {
    const typesByUnit = new Map(types.map((type) => [rateUnitOf(String(type), ''), String(type)]))
    const arrangementsByUnit = new Map(
      arrangements.map((text) => [rateUnitOf('negotiated', String(text)), String(text)]),
    )
    this.#typeClasses = numberValues(types.map((type) => rateUnitOf(String(type), '')))
    this.#arrangementClasses = numberValues(arrangements.map((text) => rateUnitOf('negotiated', String(text))))
    const units = Array.from(typesByUnit.values(), (type) =>
      Array.from(arrangementsByUnit.values(), (arrangement) => rateUnitOf(type, arrangement)),
    )
    this.values = [...new Set(units.flat())]
    this.#places = units.map((ofType) => ofType.map((unit) => this.values.indexOf(unit)))
  }

  /** The place of the unit of an item's price, by the number of the price's type. */
  of(item: number, type: number): number {
    return at(at(this.#places, uint32At(this.#typeClasses, type)), uint32At(this.#arrangementClasses, item))
  }
}

/** Numbers values in the order in which they first occur; equal values have the same number. */
export function numberValues(values: readonly ColumnValue[]): Uint32Array {
  const numbers = new Map<ColumnValue, number>()
  return Uint32Array.from(values, (value) => {
    const number = numbers.get(value) ?? numbers.size
    numbers.set(value, number)
    return number
  })
}
