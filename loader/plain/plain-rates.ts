import { byte, isAt, odd, passPlainString, passSpace, short } from '../json/byte-scan.ts'
import type { PublishedValue } from '../published/published-column.ts'
import { parseSlice } from './parse-slice.ts'
import { GroupReader, type Numbering, type PlainGroups } from './plain-groups.ts'
import { PriceReader } from './price-reader.ts'

/** A rate of plain prices: its references and prices are ranges of `PlainRates`. */
export interface PlainRate {
  readonly kind: 'plain'
  readonly firstReference: number
  readonly endOfReferences: number
  readonly firstPrice: number
  readonly endOfPrices: number
  /** The inline groups; undefined if there are none. */
  readonly groups: PlainGroups | undefined
  /** How many NPIs the groups have, as published. */
  readonly npiCount: number
}

/** A rate that was parsed the ordinary way. */
export interface ParsedRate {
  readonly kind: 'parsed'
  readonly value: unknown
}

const names = {
  references: Buffer.from('"provider_references"'),
  prices: Buffer.from('"negotiated_prices"'),
  groups: Buffer.from('"provider_groups"'),
}

/**
 * Reads elements of `negotiated_rates` from their bytes: references as numbers, prices field by field. A rate with
 * anything odd in it is parsed the ordinary way; one that cannot even be told apart is `odd`.
 */
export class PlainRates<Terms> {
  readonly references: number[] = []
  /** Of each price: its rate in ten-thousandths, and its terms. */
  readonly tenThousandths: number[] = []
  readonly terms: Terms[] = []
  readonly rates: (PlainRate | ParsedRate)[] = []
  readonly #prices: PriceReader<Terms>
  readonly #groups: GroupReader

  /**
   * @param termsOf gives what prices share whose `termColumns` have these values
   * @param numbering of inline groups
   */
  constructor(termsOf: (values: readonly PublishedValue[]) => Terms, numbering: Numbering = { generation: 0 }) {
    this.#groups = new GroupReader(numbering)
    this.#prices = new PriceReader(termsOf)
  }

  clear(): void {
    this.references.length = 0
    this.tenThousandths.length = 0
    this.terms.length = 0
    this.rates.length = 0
    this.#groups.clear()
  }

  /** Reads an array of rates. @returns the position after it, `odd` or `short` */
  readAll(bytes: Buffer, start: number, end: number): number {
    if (bytes[start] !== byte.bracketOpen) return odd
    let at = passSpace(bytes, start + 1, end)
    if (bytes[at] === byte.bracketClose && at < end) return at + 1
    for (;;) {
      at = this.read(bytes, at, end)
      if (at < 0) return at
      at = passSpace(bytes, at, end)
      if (at >= end) return short
      if (bytes[at] === byte.bracketClose) return at + 1
      if (bytes[at] !== byte.comma) return odd
      at = passSpace(bytes, at + 1, end)
    }
  }

  /** Reads one rate. @returns the position after it, `odd` or `short` */
  read(bytes: Buffer, start: number, end: number): number {
    const references = this.references.length
    const prices = this.terms.length
    const plain = this.#readPlain(bytes, start, end)
    if (plain !== odd) return plain
    this.references.length = references
    this.tenThousandths.length = prices
    this.terms.length = prices
    if (bytes[start] !== byte.braceOpen) return odd
    const parsed = parseSlice(bytes, start, end)
    if (typeof parsed === 'number') return parsed
    this.rates.push({ kind: 'parsed', value: parsed.value })
    return parsed.end
  }

  #readPlain(bytes: Buffer, start: number, end: number): number {
    if (start >= end) return short
    if (bytes[start] !== byte.braceOpen) return odd
    const firstReference = this.references.length
    const firstPrice = this.terms.length
    let groups: PlainGroups | undefined
    let npiCount = 0
    let seen = ''
    let at = passSpace(bytes, start + 1, end)
    for (;;) {
      const name = at
      if (at < end && bytes[at] !== byte.quote) return odd
      const afterName = passPlainString(bytes, at, end)
      if (afterName < 0) return afterName
      const colon = passSpace(bytes, afterName, end)
      if (bytes[colon] !== byte.colon) return colon < end ? odd : short
      at = passSpace(bytes, colon + 1, end)
      const field = isAt(bytes, name, names.references) ? 'r' : isAt(bytes, name, names.prices) ? 'p' : 'g'
      if (seen.includes(field) || (field === 'g' && !isAt(bytes, name, names.groups))) return odd
      seen += field
      if (field === 'r') at = this.#readReferences(bytes, at, end)
      else if (field === 'p') at = this.#readPrices(bytes, at, end)
      else {
        at = this.#groups.read(bytes, at, end)
        groups = this.#groups.groups
        npiCount = this.#groups.npiCount
      }
      if (at < 0) return at
      at = passSpace(bytes, at, end)
      if (at >= end) return short
      if (bytes[at] === byte.braceClose) break
      if (bytes[at] !== byte.comma) return odd
      at = passSpace(bytes, at + 1, end)
    }
    const endOfReferences = this.references.length
    const endOfPrices = this.terms.length
    if (!seen.includes('p') || (endOfReferences === firstReference && groups === undefined)) return odd
    this.rates.push({ kind: 'plain', firstReference, endOfReferences, firstPrice, endOfPrices, groups, npiCount })
    return at + 1
  }

  /** Reads references that are natural numbers without leading zeros, each once. */
  #readReferences(bytes: Buffer, start: number, end: number): number {
    if (bytes[start] !== byte.bracketOpen) return odd
    const first = this.references.length
    let at = passSpace(bytes, start + 1, end)
    if (bytes[at] === byte.bracketClose && at < end) return at + 1
    for (;;) {
      const firstDigit = at
      let number = 0
      for (; at < end; at++) {
        const digit = (bytes[at] ?? 0) - byte.zero
        if (digit < 0 || digit > 9) break
        number = number * 10 + digit
      }
      if (at >= end) return short
      const digits = at - firstDigit
      if (digits === 0 || digits > maxDigits || (digits > 1 && bytes[firstDigit] === byte.zero)) return odd
      this.references.push(number)
      at = passSpace(bytes, at, end)
      if (at >= end) return short
      if (bytes[at] === byte.bracketClose) break
      if (bytes[at] !== byte.comma) return odd
      at = passSpace(bytes, at + 1, end)
    }
    return this.#isDistinct(first) ? at + 1 : odd
  }

  #isDistinct(first: number): boolean {
    const { references } = this
    const count = references.length - first
    if (count > fewReferences) return new Set(references.slice(first)).size === count
    for (let index = first + 1; index < references.length; index++)
      for (let other = first; other < index; other++) if (references[index] === references[other]) return false
    return true
  }

  #readPrices(bytes: Buffer, start: number, end: number): number {
    if (bytes[start] !== byte.bracketOpen) return odd
    let at = passSpace(bytes, start + 1, end)
    if (bytes[at] === byte.bracketClose && at < end) return at + 1
    for (;;) {
      if (at >= end) return short
      at = this.#prices.read(bytes, at, end)
      if (at < 0) return at
      const { terms } = this.#prices
      if (terms === undefined) return odd
      this.terms.push(terms)
      this.tenThousandths.push(this.#prices.tenThousandths)
      at = passSpace(bytes, at, end)
      if (at >= end) return short
      if (bytes[at] === byte.bracketClose) return at + 1
      if (bytes[at] !== byte.comma) return odd
      at = passSpace(bytes, at + 1, end)
    }
  }
}

/** Digits of a reference that is exact as a float. */
const maxDigits = 15

const fewReferences = 16
