import { termColumns } from '../decode/in-network-file.ts'
import { Uint32List } from '../decode/number-list.ts'
import type { ColumnValue } from './column-values.ts'
import type { PortionGroups } from './groups/inline-groups.ts'

/** What becomes of an item: its values, in the order of `itemColumnNames`; or why its prices make no rows. */
export type ItemOutcome = readonly ColumnValue[] | 'unusable' | 'filtered'

export interface PortionItem {
  /** Of the item in its file. */
  readonly index: number
  readonly firstRate: number
  /** Undefined until it is known. */
  outcome: ItemOutcome | undefined
}

/** Consecutive prices of a file as numbers, with their items and terms; in the order of the file. */
export interface Portion {
  readonly items: readonly PortionItem[]
  /** The values of each of `termColumns`, by number. */
  readonly terms: readonly (readonly ColumnValue[])[]
  /** The inline groups that the rates name. */
  readonly inline: PortionGroups
  readonly rateCount: number
  // By rate; the last element is where the next one's would begin.
  readonly firstPrices: Uint32Array
  readonly firstReferences: Uint32Array
  // By rate.
  /** The place of the rate in its item. */
  readonly places: Uint32Array
  /** How many prices are published. */
  readonly published: Uint32Array
  /** The number of the inline group plus 1; 0 if there is none. */
  readonly inlineGroups: Uint32Array
  readonly inlineRows: Uint32Array
  // By reference that a rate names.
  /** Numbers of `ReferenceIds`. */
  readonly references: Uint32Array
  /** The place of the reference in its rate. */
  readonly referencePlaces: Uint32Array
  // By price.
  /** For each price, the numbers of its values, by column. */
  readonly priceTerms: Uint32Array
  /** In ten-thousandths: the low and the high word of each, since a bigint for each would be an object. */
  readonly amounts: Uint32Array
  /** The place of the price in its file, less `ordinalsFrom`. */
  readonly ordinals: Uint32Array
  readonly ordinalsFrom: number
}

/** Takes the prices of a portion. */
export class PortionRows {
  /** Rows of `negotiated_rates`, if all references are defined. */
  rowCount = 0
  #items: PortionItem[] = []
  #terms: readonly ColumnValue[][] = []
  #textWeight = 0
  #ordinalsFrom: number | undefined
  readonly #rates = {
    firstPrices: new Uint32List(),
    firstReferences: new Uint32List(),
    places: new Uint32List(),
    published: new Uint32List(),
    inlineGroups: new Uint32List(),
    inlineRows: new Uint32List(),
  }
  readonly #references = new Uint32List()
  readonly #referencePlaces = new Uint32List()
  readonly #prices = { terms: new Uint32List(), amounts: new Uint32List(), ordinals: new Uint32List() }
  // Of the rate that `addRate` ends.
  #inlineGroup = 0
  #inlineRows = 0

  constructor() {
    this.clear()
  }

  clear(): void {
    this.rowCount = 0
    this.#items = []
    this.#terms = termColumns.map(() => [])
    this.#textWeight = 0
    this.#ordinalsFrom = undefined
    const { firstPrices, firstReferences } = this.#rates
    for (const list of [...Object.values(this.#rates), ...Object.values(this.#prices)]) list.length = 0
    for (const list of [this.#references, this.#referencePlaces]) list.length = 0
    firstPrices.push(0)
    firstReferences.push(0)
  }

  /** About the bytes of what is there. */
  get weight(): number {
    return (
      24 * this.#rateCount +
      8 * this.#references.length +
      12 * this.#prices.ordinals.length +
      4 * this.#prices.terms.length +
      this.#textWeight
    )
  }

  /** Whether any rate names a provider reference. */
  get hasReferences(): boolean {
    return this.#references.length > 0
  }

  get #rateCount(): number {
    return this.#rates.places.length
  }

  /** Tells what becomes of an item, before its rates or after them. */
  addItem(index: number, outcome: ItemOutcome): void {
    this.#itemOf(index).outcome = outcome
    if (typeof outcome === 'object') for (const value of outcome) this.#textWeight += weigh(value)
  }

  /** @returns the number of the value in its column */
  addTerm(column: number, value: ColumnValue): number {
    this.#textWeight += weigh(value)
    return (this.#terms[column]?.push(value) ?? 0) - 1
  }

  /**
   * @param place of the reference in its rate, which `addRate` adds
   * @param number of its id
   */
  nameReference(place: number, number: number): void {
    this.#references.push(number)
    this.#referencePlaces.push(place)
  }

  /**
   * @param number of the inline group of the rate that `addRate` adds
   * @param rows of `provider_groups` that it has
   */
  nameInline(number: number, rows: number): void {
    this.#inlineGroup = number + 1
    this.#inlineRows = rows
  }

  /**
   * Adds a price of the next rate.
   *
   * @param terms has the numbers of its values from `first`, by column
   */
  addPrice(ordinal: number, terms: ArrayLike<number>, first: number, tenThousandths: number | bigint): void {
    this.#ordinalsFrom ??= ordinal
    this.#prices.ordinals.push(ordinal - this.#ordinalsFrom)
    for (let column = 0; column < termColumns.length; column++) this.#prices.terms.push(terms[first + column] ?? 0)
    pushWords(this.#prices.amounts, tenThousandths)
  }

  /** Adds a rate after its prices and the provider groups that it names. */
  addRate(item: number, place: number, published: number): void {
    const { firstPrices, firstReferences, places, published: publishedOf, inlineGroups, inlineRows } = this.#rates
    this.#itemOf(item)
    const references = this.#references.length - (firstReferences.items[places.length] ?? 0)
    const prices = this.#prices.ordinals.length - (firstPrices.items[places.length] ?? 0)
    this.rowCount += (references + (this.#inlineGroup > 0 ? 1 : 0)) * prices
    places.push(place)
    publishedOf.push(published)
    inlineGroups.push(this.#inlineGroup)
    inlineRows.push(this.#inlineRows)
    firstPrices.push(this.#prices.ordinals.length)
    firstReferences.push(this.#references.length)
    this.#inlineGroup = 0
    this.#inlineRows = 0
  }

  /** What is there, valid until `clear`. */
  view(inline: PortionGroups): Portion {
    const { firstPrices, firstReferences, places, published, inlineGroups, inlineRows } = this.#rates
    return {
      items: this.#items,
      terms: this.#terms,
      inline,
      rateCount: this.#rateCount,
      firstPrices: firstPrices.view(),
      firstReferences: firstReferences.view(),
      places: places.view(),
      published: published.view(),
      inlineGroups: inlineGroups.view(),
      inlineRows: inlineRows.view(),
      references: this.#references.view(),
      referencePlaces: this.#referencePlaces.view(),
      priceTerms: this.#prices.terms.view(),
      amounts: this.#prices.amounts.view(),
      ordinals: this.#prices.ordinals.view(),
      ordinalsFrom: this.#ordinalsFrom ?? 0,
    }
  }

  #itemOf(index: number): PortionItem {
    const last = this.#items.at(-1)
    if (last?.index === index) return last
    const item = { index, firstRate: this.#rateCount, outcome: undefined }
    this.#items.push(item)
    this.#textWeight += itemWeight
    return item
  }
}

/** Adds the low and the high word of an integer; a number is one of at most 2^53. */
function pushWords(list: Uint32List, integer: number | bigint): void {
  const at = list.extend(2)
  const isBig = typeof integer === 'bigint'
  list.items[at] = isBig ? Number(BigInt.asUintN(32, integer)) : integer
  list.items[at + 1] = isBig ? Number(BigInt.asUintN(32, integer >> 32n)) : Math.floor(integer / 2 ** 32)
}

/** Bytes of an object with few fields. */
const itemWeight = 64

/** About the bytes of a value. */
function weigh(value: ColumnValue): number {
  if (typeof value === 'string') return valueWeight + value.length
  return typeof value === 'object' && value !== null ? value.reduce((sum, text) => sum + weigh(text), 0) : 8
}

/** Bytes of a text without its characters, and of what is made of it while it is written. */
const valueWeight = 48
