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

/** A field of a price. The values of those that no column is read from are only checked to be JSON. */
interface Field {
  /** With its quotes. */
  readonly name: Buffer
  readonly text: string
  /** Of `termColumns`; -1 for other fields. */
  readonly column: number
  /** Read as numbers of `TermNumbers`; undefined for the rate. */
  readonly values: FieldValues | undefined
  /** The last price that has it. */
  price: number
}

/** Gives a value of one of `termColumns` its number: 0 if it is absent. */
export type TermNumbers = (column: number, value: PublishedValue) => number

/** How many numbers `PriceReader.terms` has for each price. */
export const termCount = termColumns.length

/** Fields that are known. When there are more, all are forgotten. */
const maxFields = 64

/**
 * Reads negotiated prices from their bytes, field by field. A price is odd, and must be read the ordinary way, if a value of
 * it counts a finding or is missing, if a field is named twice or with an escape, and if its rate has an exponent or
 * more than four decimals.
 */
export class PriceReader {
  /** Of each price: its rate in ten-thousandths. */
  readonly tenThousandths: number[] = []
  /** Of each price: the numbers of its values, by column. */
  readonly terms = new Uint32List()
  /** The names of fields that no column is read from. */
  readonly unknown: string[] = []
  readonly #numberOf: TermNumbers
  readonly #hashKey: HashKey
  /** In the order in which they were met: prices have theirs in the same one. */
  readonly #fields: Field[] = []
  /** The place of the field that is expected. */
  #next = 0
  /** The number of the price that is being read. */
  #price = 0
  /** Where its terms begin. */
  #first = 0

  constructor(numberOf: TermNumbers, newSeed: NewSeed) {
    this.#numberOf = numberOf
    this.#hashKey = createHashKey(newSeed)
  }

  get count(): number {
    return this.tenThousandths.length
  }

  /** To be called when the numbers of values lose their meaning. */
  forget(): void {
    this.#fields.length = 0
  }

  /** Drops the prices from this one on, also one of which a part was read. */
  dropFrom(count: number): void {
    this.tenThousandths.length = count
    this.terms.length = count * termCount
    // It takes time to set the length of an array.
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
    const read = (value: unknown) => (column === undefined ? 0 : this.#readTerm(column, index, value))
    const values = text === 'negotiated_rate' ? undefined : new FieldValues(read, this.#hashKey)
    const field = { name: Buffer.from(quoted), text, column: index, values, price: 0 }
    if (this.#fields.length >= maxFields) this.#fields.length = 0
    this.#fields.push(field)
    return field
  }

  /** Reads a value the ordinary way; undefined if that counts a finding, or the value of a required column is missing. */
  #readTerm(column: PublishedColumn, index: number, value: unknown): number | undefined {
    const findings = new Findings()
    const part = PublishedObject.read({ [column.name]: value }, { file: '' }, findings)
    if (part === undefined || findMissing(part, [column]) !== undefined) return undefined
    const [read] = readColumns(part, [column])
    return findings.list().length > 0 ? undefined : this.#numberOf(index, read)
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
      const known = Math.min(at, point + 1 + decimals)
      units += readDigits(bytes, point + 1, known) * uint32At(unitsOf, known - point - 1)
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

/** Digits before the point of a rate whose ten-thousandths are exact as a float. */
const maxDigits = 11
