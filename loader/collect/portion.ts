import { at, uint32At } from '../../schema/at.ts'
import { termColumns } from '../decode/in-network-file.ts'
import { Uint32List } from '../decode/number-list.ts'
import type { ColumnValue } from './column-values.ts'
import type { PortionGroups } from './groups/inline-groups.ts'
import { setInt64 } from './int64-words.ts'

/** The outcome of reading an item: its values, in the order of `itemColumnNames`, or why its prices make no rows. */
export type ItemOutcome = readonly ColumnValue[] | 'unusable' | 'filtered'

export interface PortionItem {
  /** Index of the item in its file. */
  readonly index: number
  readonly firstRate: number
  /** Undefined until it is known. */
  outcome: ItemOutcome | undefined
}

const createNumbers = () => ({
  // By rate: the start of its prices and references, and at last the start for the next rate.
  firstPrices: new Uint32List(),
  firstReferences: new Uint32List(),
  // By rate.
  /** Index of the rate in its item. */
  positions: new Uint32List(),
  /** Number of published prices. */
  published: new Uint32List(),
  /** The number of the inline group plus 1; 0 if there is none. */
  inlineGroups: new Uint32List(),
  inlineRows: new Uint32List(),
  // By reference that a rate names.
  /** Numbers of ids, as in `ReferenceIds`. */
  references: new Uint32List(),
  /** Index of the reference in its rate. */
  referencePositions: new Uint32List(),
  // By price.
  /** The numbers of its values, by column. */
  terms: new Uint32List(),
  /** The rate in ten-thousandths, as words of `setInt64`. */
  amounts: new Uint32List(),
  /** Index of the price in its file, less `ordinalsFrom`. */
  ordinals: new Uint32List(),
})

/** Consecutive prices of a file as numbers, with their items and terms, in the order of the file. */
export class Portion {
  items: PortionItem[] = []
  /** The values of each of `termColumns`, by number. */
  terms: readonly ColumnValue[][] = []
  /** The inline groups that the rates name. */
  inline: PortionGroups = { first: 0, count: 0 }
  ordinalsFrom = 0
  readonly numbers = createNumbers()
  #textWeight = 0

  constructor() {
    this.clear()
  }

  clear(): void {
    this.items = []
    this.terms = termColumns.map(() => [])
    this.#textWeight = 0
    for (const list of Object.values(this.numbers)) list.length = 0
    this.numbers.firstPrices.push(0)
    this.numbers.firstReferences.push(0)
  }

  get rateCount(): number {
    return this.numbers.positions.length
  }

  /** Approximate memory of the portion, in bytes. */
  get weight(): number {
    const { references, ordinals, terms } = this.numbers
    return 24 * this.rateCount + 8 * references.length + 12 * ordinals.length + 4 * terms.length + this.#textWeight
  }

  /** True if a rate names a provider reference. */
  get hasReferences(): boolean {
    return this.numbers.references.length > 0
  }

  /** Number of prices so far of the next rate. */
  get openPrices(): number {
    return this.numbers.ordinals.length - uint32At(this.numbers.firstPrices.items, this.rateCount)
  }

  /** Returns the number of prices of a rate that may make rows. */
  pricesOf(rate: number): number {
    const { items } = this.numbers.firstPrices
    return uint32At(items, rate + 1) - uint32At(items, rate)
  }

  get lastItem(): PortionItem | undefined {
    return this.items.at(-1)
  }

  /** Adds the outcome of an item, before its rates or after them. */
  addItem(index: number, outcome: ItemOutcome): void {
    this.#itemOf(index).outcome = outcome
    if (typeof outcome === 'object') for (const value of outcome) this.#textWeight += weigh(value)
  }

  /** Adds a value of one of `termColumns`. @returns the number of the value in its column */
  addTerm(column: number, value: ColumnValue): number {
    this.#textWeight += weigh(value)
    return at(this.terms, column).push(value) - 1
  }

  /**
   * Adds a reference of the next rate.
   *
   * @param position index of the reference in its rate
   * @param number number of its id
   */
  nameReference(position: number, number: number): void {
    this.numbers.references.push(number)
    this.numbers.referencePositions.push(position)
  }

  /**
   * Adds a price of the next rate.
   *
   * @param terms has the numbers of its values from `first`, by column
   */
  addPrice(ordinal: number, terms: ArrayLike<number>, first: number, tenThousandths: number | bigint): void {
    const { numbers } = this
    if (numbers.ordinals.length === 0) this.ordinalsFrom = ordinal
    numbers.ordinals.push(ordinal - this.ordinalsFrom)
    const start = numbers.terms.extend(termColumns.length)
    for (let column = 0; column < termColumns.length; column++)
      numbers.terms.items[start + column] = at(terms, first + column)
    const price = numbers.amounts.extend(2) / 2
    setInt64(numbers.amounts.items, price, tenThousandths)
  }

  /**
   * Adds a rate after its prices and the references that it names.
   *
   * @param item index of the item in its file
   * @param position index of the rate in its item
   * @param published number of its prices, including those that were skipped
   * @param inline its inline group, with the group's number of rows of `provider_groups`
   */
  addRate(
    item: number,
    position: number,
    published: number,
    inline?: { readonly number: number; readonly rows: number },
  ): void {
    const { numbers } = this
    this.#itemOf(item)
    numbers.positions.push(position)
    numbers.published.push(published)
    numbers.inlineGroups.push(inline === undefined ? 0 : inline.number + 1)
    numbers.inlineRows.push(inline?.rows ?? 0)
    numbers.firstPrices.push(numbers.ordinals.length)
    numbers.firstReferences.push(numbers.references.length)
  }

  #itemOf(index: number): PortionItem {
    if (this.lastItem?.index === index) return this.lastItem
    const item = { index, firstRate: this.rateCount, outcome: undefined }
    // An item with neither rates nor rows is not needed any more, and a file may have any number of such items.
    const lastItem = this.lastItem
    if (typeof lastItem?.outcome === 'string' && lastItem.firstRate === this.rateCount) this.items.pop()
    else this.#textWeight += itemWeight
    this.items.push(item)
    return item
  }
}

/** Approximate memory of an item, in bytes. */
const itemWeight = 64

/** Returns the approximate memory of a value, in bytes. */
function weigh(value: ColumnValue): number {
  if (typeof value === 'string') return valueWeight + value.length
  return typeof value === 'object' && value !== null ? value.reduce((sum, text) => sum + 3 * weigh(text), 0) : 8
}

/** Approximate memory of a text without its characters, including its copies while it is written. */
const valueWeight = 48
