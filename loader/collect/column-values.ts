import { at } from '../../schema/at.ts'
import type { DistinctValues } from './distinct/distinct-values.ts'
import { noText, TextList } from './distinct/text-list.ts'

/** A value of a column: a text, days since 1970, or a list of texts; null if the value is absent. */
export type ColumnValue = string | number | readonly string[] | null

/**
 * Stores each value of a column once.
 *
 * @param values values by id
 * @returns `distinct` values; `lists` of their indexes, for a column of lists; and `ofId`, which has for each id an
 *   index in `lists` or else in `distinct`, or `noText` if the value is null
 */
export function indexValues(values: readonly ColumnValue[]) {
  const integers = new Integers()
  const texts = new TextList()
  // The engine hashes texts with a random seed.
  const numbersOfTexts = new Map<string, number>()
  const lists: Uint32Array[] = []
  const numbersOfLists = new Map<string, number>()
  const numberOfText = (text: string): number => {
    const number = numbersOfTexts.get(text) ?? texts.push(text)
    numbersOfTexts.set(text, number)
    return number
  }
  const numberOf = (value: Exclude<ColumnValue, null>): number => {
    if (typeof value === 'number') return integers.add(value)
    if (typeof value === 'string') return numberOfText(value)
    const key = JSON.stringify(value)
    const number = numbersOfLists.get(key) ?? lists.push(Uint32Array.from(value, numberOfText)) - 1
    numbersOfLists.set(key, number)
    return number
  }
  const ofId = new Uint32Array(values.length)
  // Consecutive items have the same value in most columns.
  let last: ColumnValue = null
  let number = noText
  for (let id = 0; id < values.length; id++) {
    const value = values[id]
    if (value === undefined) throw new RangeError(`no value has the id ${id}`)
    if (value !== last) number = value === null ? noText : numberOf(value)
    last = value
    ofId[id] = number
  }
  const distinct: DistinctValues = integers.count > 0 ? integers : texts
  return { distinct, ofId, lists }
}

/** Distinct numbers of 32 bits. */
class Integers implements DistinctValues {
  readonly #numbers: number[] = []
  readonly #indexes = new Map<number, number>()

  get count(): number {
    return this.#numbers.length
  }

  add(number: number): number {
    const index = this.#indexes.get(number)
    if (index !== undefined) return index
    this.#indexes.set(number, this.count)
    return this.#numbers.push(number) - 1
  }

  encode(values: Uint32Array, count: number): Buffer {
    return Buffer.from(Int32Array.from(values.subarray(0, count), (value) => this.at(value)).buffer)
  }

  at(value: number): number {
    return at(this.#numbers, value)
  }

  compare(one: number, other: number): number {
    return this.at(one) - this.at(other)
  }
}

/** Compares texts by their bytes in UTF-8, as Parquet orders them. */
export function compareTexts(one: string, other: string): number {
  if (one === other) return 0
  // Only surrogates sort differently in UTF-16.
  if (surrogate.test(one) || surrogate.test(other)) return Buffer.compare(Buffer.from(one), Buffer.from(other))
  return one < other ? -1 : 1
}

const surrogate = /[\ud800-\udfff]/
