import { uint8At, uint32At } from '../../../schema/at.ts'
import type { PublishedColumn } from '../../../schema/columns/rates.ts'
import { Findings } from '../findings.ts'
import { termColumns } from '../in-network-file.ts'
import {
  byte,
  isAt,
  odd,
  passColon,
  passDigits,
  passPlainString,
  readDigits,
  readEach,
  short,
} from '../json/byte-scan.ts'
import { createHashKey, type HashKey, type NewSeed } from '../keyed-hash.ts'
import { Uint32List } from '../number-list.ts'
import { findMissing, type PublishedValue, readColumns } from '../published-column.ts'
import { PublishedObject } from '../published-object.ts'
import { FieldValues } from './field-values.ts'

/** A field of a price. If no column is read from it, its values are only checked to be JSON. */
interface Field {
  /** The name with its quotes. */
  readonly name: Buffer
  readonly text: string
  /** Index in `termColumns`; -1 if no column is read from the field. */
  readonly column: number
  /** Reads the values as numbers of `TermNumbers`; undefined for the rate. */
  readonly values: FieldValues | undefined
  /** The last price that has the field, by which a field that a price names twice is noticed. */
  price: number
}

/** Returns the number of a value of one of `termColumns`; 0 if the value is absent. */
export type TermNumbers = (column: number, value: PublishedValue) => number

/** Number of entries in `PriceReader.terms` for each price. */
export const termCount = termColumns.length

/** Maximum number of fields that are remembered. Beyond it, all of them are forgotten. */
const maxFields = 64

/**
 * Reads negotiated prices from their bytes, field by field. The reader gives up (`odd`), and the price is parsed
 * instead, when a value is missing or would be reported, when a field is named twice or with an escape, and when the
 * rate has an exponent or more than four decimals.
 */
export class PriceReader {
  /** By price: its rate in ten-thousandths. */
  readonly tenThousandths: number[] = []
  /** By price, and then by column: the number of the value. */
  readonly terms = new Uint32List()
  /** Names of fields that no column is read from, once for each price that has one. */
  readonly unknown: string[] = []
  readonly #numberOf: TermNumbers
  readonly #hashKey: HashKey
  /** The fields in the order of the first price: most prices of a file have the same order. */
  readonly #fields: Field[] = []
  /** Index of the field that is expected next. */
  #next = 0
  /** The number of the price that is being read. */
  #price = 0
  /** Index in `terms` at which the terms of that price begin. */
  #first = 0

  constructor(numberOf: TermNumbers, newSeed: NewSeed) {
    this.#numberOf = numberOf
    this.#hashKey = createHashKey(newSeed)
  }

  get count(): number {
    return this.tenThousandths.length
  }

  /** Forgets the numbers of values, for a portion that numbers them anew. */
  forget(): void {
    this.#fields.length = 0
  }

  /** Drops all prices but the first `count`, including a price that was read in part. */
  dropFrom(count: number): void {
    this.tenThousandths.length = count
    this.terms.length = count * termCount
    // Setting the length of an array takes time, even if it stays the same.
    if (this.unknown.length > 0) this.unknown.length = 0
  }

  /** @returns the position after the price, `odd` or `short` */
  readonly read = (bytes: Buffer, start: number, end: number): number => {
    const { count } = this
    this.#price++
    this.#first = this.terms.extend(termCount)
    this.terms.items.fill(0, this.#first, this.terms.length)
    const after = readEach(bytes, start, end, byte.braceOpen, this.#readField)
    if (after < 0) return after
    if (this.count !== count + 1) return odd
    for (const column of requiredColumns) if (this.terms.items[this.#first + column] === 0) return odd
    return after
  }

  readonly #readField = (bytes: Buffer, start: number, end: number): number => {
    const field = this.#findField(bytes, start, end)
    if (typeof field === 'number') return field
    const value = passColon(bytes, start + field.name.length, end)
    if (value < 0) return value
    if (field.price === this.#price) return odd
    field.price = this.#price
    if (field.values === undefined) return this.#readRate(bytes, value, end)
    const stop = field.values.read(bytes, value, end)
    if (field.column < 0) this.unknown.push(field.text)
    else if (stop >= 0) this.terms.items[this.#first + field.column] = field.values.number
    return stop
  }

  /** @returns the field whose name is at a position, `odd` or `short` */
  #findField(bytes: Buffer, start: number, end: number): Field | typeof odd | typeof short {
    for (let tried = 0; tried < this.#fields.length; tried++) {
      if (this.#next >= this.#fields.length) this.#next = 0
      const field = this.#fields[this.#next++]
      if (field !== undefined && isAt(bytes, start, field.name)) return field
    }
    const stop = passPlainString(bytes, start, end)
    if (stop < 0) return stop === odd ? odd : short
    return this.#createField(bytes.toString('latin1', start, stop))
  }

  #createField(quoted: string): Field {
    const text = quoted.slice(1, -1)
    const index = termColumns.findIndex(({ name }) => name === text)
    const column = termColumns[index]
    const numberOf = (value: unknown) => (column === undefined ? 0 : this.#readTerm(column, index, value))
    const values = text === 'negotiated_rate' ? undefined : new FieldValues(numberOf, this.#hashKey)
    const field = { name: Buffer.from(quoted), text, column: index, values, price: 0 }
    if (this.#fields.length >= maxFields) this.#fields.length = 0
    this.#fields.push(field)
    return field
  }

  /** Reads a parsed value; undefined if it would be reported, or if the value of a required column is missing. */
  #readTerm(column: PublishedColumn, index: number, value: unknown): number | undefined {
    const findings = new Findings()
    const price = PublishedObject.read({ [column.name]: value }, {}, findings)
    if (price === undefined || findMissing(price, [column]) !== undefined) return undefined
    const [published] = readColumns(price, [column])
    return findings.list().length > 0 ? undefined : this.#numberOf(index, published)
  }

  /** Reads the number of a rate. @returns the position after it, `odd` or `short` */
  #readRate(bytes: Buffer, start: number, end: number): number {
    let at = start
    const isNegative = bytes[at] === byte.minus
    if (isNegative) at++
    const firstDigit = at
    at = passDigits(bytes, at, end)
    const digits = at - firstDigit
    if (digits === 0 || digits > maxDigits || (digits > 1 && bytes[firstDigit] === byte.zero))
      return at < end ? odd : short
    let units = readDigits(bytes, firstDigit, at) * uint32At(unitsOf, 0)
    if (bytes[at] === byte.point && at < end) {
      const point = at
      at = passDigits(bytes, point + 1, end)
      if (at === point + 1) return at < end ? odd : short
      for (let last = at; last > point + 1 + decimals; last--) if (bytes[last - 1] !== byte.zero) return odd
      const lastDecimal = Math.min(at, point + 1 + decimals)
      units += readDigits(bytes, point + 1, lastDecimal) * uint32At(unitsOf, lastDecimal - point - 1)
    }
    if (at >= end) return short
    const next = uint8At(bytes, at)
    if (next !== byte.comma && next !== byte.braceClose && next > 0x20) return odd
    this.tenThousandths.push(isNegative ? -units : units)
    return at
  }
}

const requiredColumns = termColumns.flatMap(({ required }, column) => (required ? [column] : []))

/** Weight of the last digit, in ten-thousandths, by number of decimals. */
const unitsOf = Uint32Array.of(10_000, 1000, 100, 10, 1)
const decimals = unitsOf.length - 1

/** Maximum number of digits before the point for which a rate's ten-thousandths are exact as a float. */
const maxDigits = 11
