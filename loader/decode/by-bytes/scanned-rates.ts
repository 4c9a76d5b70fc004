import { byte, isAt, odd, passName, readEach } from '../json/byte-scan.ts'
import type { NewSeed } from '../keyed-hash.ts'
import { NumberSet } from '../number-set.ts'
import type { InlineGroup, InlineTaker } from '../provider-groups.ts'
import { GroupReader } from './group-reader.ts'
import { type IdNumbers, IdReader } from './id-reader.ts'
import { parseSlice } from './parse-slice.ts'
import { PriceReader, type TermNumbers } from './price-reader.ts'

/** The inline groups of a rate, in which nothing is to be reported but short EINs. */
export interface ScannedGroups {
  readonly group: InlineGroup
  /** Numbers of groups and NPIs, as published. */
  readonly groupCount: number
  readonly npiCount: number
  /** Indexes of the groups whose EIN has lost leading zeros. */
  readonly shortEins: readonly number[]
}

/** A rate that was read from its bytes. Its references and prices are ranges of the lists of `ScannedRates`. */
export interface ScannedRate {
  readonly kind: 'scanned'
  readonly firstReference: number
  readonly endOfReferences: number
  readonly firstPrice: number
  readonly endOfPrices: number
  /** The inline groups; undefined if there are none. */
  readonly groups: ScannedGroups | undefined
  /** Names of unknown fields of its prices. */
  readonly unknown: readonly string[]
}

/** A rate that was parsed. */
export interface ParsedRate {
  readonly kind: 'parsed'
  readonly value: unknown
}

export type Rate = ScannedRate | ParsedRate

const names = {
  references: Buffer.from('"provider_references"'),
  prices: Buffer.from('"negotiated_prices"'),
  groups: Buffer.from('"provider_groups"'),
}

/**
 * Reads elements of `negotiated_rates` from their bytes: references as numbers of their ids, prices field by field. A
 * rate with anything odd in it is parsed. The array is `odd` only if the end of a rate cannot be found.
 */
export class ScannedRates {
  readonly references: number[] = []
  readonly prices: PriceReader
  readonly rates: Rate[] = []
  readonly #id: IdReader
  readonly #inline: InlineTaker
  readonly #groups: GroupReader
  // The rate that is being read: the references that it names, and its fields so far.
  readonly #rateReferences = new NumberSet()
  #hasReferences = false
  #isRepeated = false
  #hasPrices = false
  #inlineGroups: ScannedGroups | undefined

  /** @param inline takes the inline groups */
  constructor(numberOf: TermNumbers, ids: IdNumbers, inline: InlineTaker, newSeed: NewSeed) {
    this.#id = new IdReader(ids)
    this.#inline = inline
    this.#groups = new GroupReader(inline.store)
    this.prices = new PriceReader(numberOf, newSeed)
  }

  clear(): void {
    this.references.length = 0
    this.prices.dropFrom(0)
    this.rates.length = 0
  }

  /** Reads an array of rates. @returns the position after it, `odd` or `short` */
  readonly readAll = (bytes: Buffer, start: number, end: number): number =>
    readEach(bytes, start, end, byte.bracketOpen, this.read)

  /** Reads one rate. @returns the position after it, `odd` or `short` */
  readonly read = (bytes: Buffer, start: number, end: number): number => {
    const references = this.references.length
    const prices = this.prices.count
    const after = this.#scan(bytes, start, end)
    if (after !== odd) return after
    this.references.length = references
    this.prices.dropFrom(prices)
    if (bytes[start] !== byte.braceOpen) return odd
    const parsed = parseSlice(bytes, start, end)
    if (typeof parsed === 'number') return parsed
    this.rates.push({ kind: 'parsed', value: parsed.value })
    return parsed.end
  }

  #scan(bytes: Buffer, start: number, end: number): number {
    const firstReference = this.references.length
    const firstPrice = this.prices.count
    this.#hasReferences = false
    this.#isRepeated = false
    this.#rateReferences.clear()
    this.#hasPrices = false
    this.#inlineGroups = undefined
    const after = readEach(bytes, start, end, byte.braceOpen, this.#readField)
    if (after < 0) return after
    const endOfReferences = this.references.length
    const endOfPrices = this.prices.count
    const groups = this.#inlineGroups
    if (!this.#hasPrices || (endOfReferences === firstReference && groups === undefined)) return odd
    const unknown = this.prices.unknown.length === 0 ? none : this.prices.unknown.splice(0)
    this.rates.push({ kind: 'scanned', firstReference, endOfReferences, firstPrice, endOfPrices, groups, unknown })
    return after
  }

  readonly #readField = (bytes: Buffer, start: number, end: number): number => {
    const value = passName(bytes, start, end)
    if (value < 0) return value
    if (isAt(bytes, start, names.references) && !this.#hasReferences) {
      this.#hasReferences = true
      const after = readEach(bytes, value, end, byte.bracketOpen, this.#readReference)
      return after >= 0 && this.#isRepeated ? odd : after
    }
    if (isAt(bytes, start, names.prices) && !this.#hasPrices) {
      this.#hasPrices = true
      return readEach(bytes, value, end, byte.bracketOpen, this.prices.read)
    }
    if (!isAt(bytes, start, names.groups) || this.#inlineGroups !== undefined) return odd
    return this.#readGroups(bytes, value, end)
  }

  #readGroups(bytes: Buffer, start: number, end: number): number {
    const after = this.#groups.read(bytes, start, end)
    if (after < 0) {
      this.#inline.store.dropOpen()
      return after
    }
    const { groupCount, npiCount } = this.#groups
    const shortEins = this.#groups.shortEins.length === 0 ? noIndexes : [...this.#groups.shortEins]
    this.#inlineGroups = { group: this.#inline.end(), groupCount, npiCount, shortEins }
    return after
  }

  readonly #readReference = (bytes: Buffer, start: number, end: number): number => {
    const stop = this.#id.read(bytes, start, end)
    if (stop > 0) this.#addReference(this.#id.number)
    return stop
  }

  #addReference(number: number): void {
    if (!this.#rateReferences.add(number)) this.#isRepeated = true
    this.references.push(number)
  }
}

const none: readonly string[] = []
const noIndexes: readonly number[] = []
