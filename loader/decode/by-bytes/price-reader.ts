import type { PublishedColumn } from '../../../schema/columns/rates.ts'
import { Findings } from '../findings.ts'
import { termColumns } from '../in-network-file.ts'
import { byte, isAt, odd, passDigits, passPlainString, passSpace, readDigits, short } from '../json/byte-scan.ts'
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
  /** Read as numbers of `TermNumbers`. */
  readonly values: FieldValues<number>
  /** The last price that has it. */
  price: number
}

/** Gives a value of one of `termColumns` its number: 0 if it is absent. */
export type TermNumbers = (column: number, value: PublishedValue) => number

/** Fields that are known. When there are more, all are forgotten. */
const maxFields = 64

const rateName = Buffer.from('"negotiated_rate"')

/**
 * Reads negotiated prices from their bytes, field by field. A price is odd, and must be read the ordinary way, if a value of
 * it counts a finding or is missing, if a field is named twice or with an escape, and if its rate has an exponent or
 * more than four decimals.
 */
export class PriceReader {
  /** Of the price that was read last. The rate is a whole number of ten-thousandths. */
  tenThousandths = 0
  /** The numbers of its values, by column. */
  readonly terms = new Uint32Array(termColumns.length)
  /** The names of its fields that no column is read from. */
  readonly unknown: string[] = []
  readonly #numberOf: TermNumbers
  /** In the order in which they were met: prices have theirs in the same one. */
  readonly #fields: Field[] = []
  /** The place of the field that is expected. */
  #next = 0
  /** The number of the price that is being read. */
  #price = 0

  constructor(numberOf: TermNumbers) {
    this.#numberOf = numberOf
  }

  /** To be called when the numbers of values lose their meaning. */
  forget(): void {
    this.#fields.length = 0
  }

  /** @returns the position after the price, `odd` or `short` */
  read(bytes: Buffer, start: number, end: number): number {
    if (start >= end) return short
    if (bytes[start] !== byte.braceOpen) return odd
    this.#price++
    this.terms.fill(0)
    // It takes time to set the length of an array.
    if (this.unknown.length > 0) this.unknown.length = 0
    let hasRate = false
    let at = passSpace(bytes, start + 1, end)
    for (;;) {
      const isRate = isAt(bytes, at, rateName)
      const field = isRate ? undefined : this.#findField(bytes, at, end)
      if (typeof field === 'number') return field
      at = passSpace(bytes, at + (field?.name ?? rateName).length, end)
      if (at >= end) return short
      if (bytes[at] !== byte.colon) return odd
      at = passSpace(bytes, at + 1, end)
      if (at >= end) return short
      if (field === undefined) {
        if (hasRate) return odd
        hasRate = true
        at = this.#readRate(bytes, at, end)
      } else at = this.#readField(field, bytes, at, end)
      if (at < 0) return at
      at = passSpace(bytes, at, end)
      if (at >= end) return short
      if (bytes[at] === byte.braceClose) break
      if (bytes[at] !== byte.comma) return odd
      at = passSpace(bytes, at + 1, end)
    }
    if (!hasRate) return odd
    for (const column of requiredColumns) if (this.terms[column] === 0) return odd
    return at + 1
  }

  /** @returns the field whose name is at a position, `odd` or `short` */
  #findField(bytes: Buffer, start: number, end: number): Field | typeof odd | typeof short {
    for (let tried = 0; tried < this.#fields.length; tried++) {
      if (this.#next >= this.#fields.length) this.#next = 0
      const field = this.#fields[this.#next++]
      if (field !== undefined && isAt(bytes, start, field.name)) return field
    }
    if (start >= end) return short
    const stop = passPlainString(bytes, start, end)
    if (stop < 0) return stop === odd ? odd : short
    return this.#createField(bytes.toString('latin1', start, stop))
  }

  #readField(field: Field, bytes: Buffer, start: number, end: number): number {
    if (field.price === this.#price) return odd
    field.price = this.#price
    const stop = field.values.read(bytes, start, end)
    if (field.column < 0) this.unknown.push(field.text)
    else if (stop >= 0) this.terms[field.column] = field.values.known?.read?.value ?? 0
    return stop
  }

  #createField(quoted: string): Field {
    const text = quoted.slice(1, -1)
    const index = termColumns.findIndex(({ name }) => name === text)
    const column = termColumns[index]
    const read = (value: unknown) => {
      const known = column === undefined ? undefined : readTerm(column, value)
      return column === undefined ? { value: 0 } : known && { value: this.#numberOf(index, known.value) }
    }
    const field = { name: Buffer.from(quoted), text, column: index, values: new FieldValues(read), price: 0 }
    if (this.#fields.length >= maxFields) this.#fields.length = 0
    this.#fields.push(field)
    return field
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
    let units = readDigits(bytes, firstDigit, at) * unitsOf[0]
    if (bytes[at] === byte.point && at < end) {
      const point = at
      at = passDigits(bytes, point + 1, end)
      if (at === point + 1) return at < end ? odd : short
      for (let last = at; last > point + 1 + decimals; last--) if (bytes[last - 1] !== byte.zero) return odd
      const known = Math.min(at, point + 1 + decimals)
      units += readDigits(bytes, point + 1, known) * (unitsOf[known - point - 1] ?? 0)
    }
    if (at >= end) return short
    const next = bytes[at] ?? 0
    if (next !== byte.comma && next !== byte.braceClose && next > 0x20) return odd
    this.tenThousandths = isNegative ? -units : units
    return at
  }
}

const requiredColumns = termColumns.flatMap(({ required }, column) => (required ? [column] : []))

/** Reads a value the ordinary way; undefined if that counts a finding, or the value of a required column is missing. */
function readTerm(column: PublishedColumn, value: unknown): { readonly value: PublishedValue } | undefined {
  const findings = new Findings()
  const part = PublishedObject.read({ [column.name]: value }, { file: '' }, findings)
  if (part === undefined || findMissing(part, [column]) !== undefined) return undefined
  const [read] = readColumns(part, [column])
  return findings.list().length > 0 ? undefined : { value: read }
}

/** Ten-thousandths of a unit of the last of so many digits after the point. */
const unitsOf = [10_000, 1000, 100, 10, 1] as const
const decimals = unitsOf.length - 1

/** Digits before the point of a rate whose ten-thousandths are exact as a float. */
const maxDigits = 11
