import { at, uint32At } from '../../schema/at.ts'
import { sourceIdColumn } from '../../schema/columns/column.ts'
import type { ColumnsOf } from '../../schema/columns/rates.ts'
import {
  amountFlags,
  priceOrdinal,
  priceTable,
  providerGroupKeys,
  readFileName,
} from '../../schema/columns/warehouse-tables.ts'
import { type ColumnValue, compareTexts } from '../collect/column-values.ts'
import type { TextList } from '../collect/distinct/text-list.ts'
import { GroupKeys } from '../collect/groups/group-keys.ts'
import type { Portion, PortionItem } from '../collect/portion.ts'
import { derivedItemColumns, itemColumns, termColumns } from '../decode/in-network-file.ts'
import type { NewSeed } from '../decode/keyed-hash.ts'
import type { FileWatch } from './file-watch.ts'
import { GroupsOfRates } from './groups-of-rates.ts'
import { ListColumn } from './parquet/list-column.ts'
import { type RowGroup, writeRows } from './parquet/write-rows.ts'
import { pickNumbers } from './pick-numbers.ts'
import { negotiatedTypeAt, Units } from './units.ts'
import { flagLists, numberFlags } from './validation/amount-flags.ts'
import { type FlaggedAmounts, flagAmounts } from './validation/flag-amounts.ts'

/** An item whose prices are written. */
interface WrittenItem extends PortionItem {
  readonly outcome: readonly ColumnValue[]
  readonly endOfRates: number
}

/** Dependencies of `writePrices`. */
interface WritingDeps {
  /** The ids of references, by their numbers. */
  readonly ids: TextList
  readonly newSeed: NewSeed
  readonly watch: FileWatch
}

const namesOfItems = [...derivedItemColumns, ...itemColumns.map(({ name }) => name)]

/**
 * Writes the rows of a portion to a file of `negotiated_rates`, sorted by billing code. A price has one row, or two if
 * its amount is blanket for some of its groups only, because a row has the same flags for all of its groups.
 *
 * @param portion after `ReferenceResolver.resolve` has replaced its references
 * @param prices number of prices that make rows
 */
export async function writePrices(
  portion: Portion,
  prices: number,
  path: string,
  { ids, newSeed, watch }: WritingDeps,
): Promise<void> {
  const items = sortItems(portion)
  const itemValues = readColumns(
    namesOfItems,
    items.map(({ outcome }) => outcome),
  )
  const units = new Units(at(portion.terms, negotiatedTypeAt), columnOf(itemValues, 'negotiation_arrangement'))
  const keys = new GroupKeys(ids, portion.inline)
  const groups = new GroupsOfRates(portion, keys, watch)
  const sourceId = readFileName(path)?.id ?? null
  const unitValues: Readonly<Record<Exclude<ColumnsOf<'price'>, 'negotiated_rate'>, readonly ColumnValue[]>> = {
    rate_unit: units.values,
    // The view derives it.
    price_id: units.values.map(() => null),
  }
  const flagged = flagAmounts({ portion, items, codes: numberCodes(items), units, groups, newSeed })
  const lists = new ListColumn(keys)
  await writeRows(
    {
      path,
      columns: priceTable.columns,
      rows: prices + flagged.blankets.divided,
      shared: [
        itemValues,
        new Map([[providerGroupKeys.name, lists]]),
        new Map([...Object.entries(unitValues), [sourceIdColumn, units.values.map(() => sourceId)]]),
        ...termColumns.map(({ name }, column) => new Map([[name, at(portion.terms, column)]])),
        new Map([[amountFlags.name, flagLists]]),
      ],
      integers: ['negotiated_rate', priceOrdinal.name],
    },
    (group) => fillRows({ portion, items, groups, lists, units, flagged, watch }, group),
  )
}

/** Returns the items whose prices are written, in the order of their codes. */
function sortItems({ items, rateCount }: Portion): readonly WrittenItem[] {
  const writtenItems = items.flatMap((item, place) => {
    const { outcome } = item
    return typeof outcome === 'object'
      ? [{ ...item, outcome, endOfRates: items[place + 1]?.firstRate ?? rateCount }]
      : []
  })
  return writtenItems.sort((one, other) => compareCodes(one, other) || one.index - other.index)
}

const [codeAt, typeAt] = [namesOfItems.indexOf('billing_code'), namesOfItems.indexOf('billing_code_type')]

const compareCodes = ({ outcome: one }: WrittenItem, { outcome: other }: WrittenItem) =>
  compareTexts(String(one[codeAt]), String(other[codeAt])) || compareTexts(String(one[typeAt]), String(other[typeAt]))

/** Numbers the billing codes of sorted items. @returns the number of each item's code, from 0 */
function numberCodes(items: readonly WrittenItem[]): Uint32Array {
  let code = 0
  let last = items[0]
  return Uint32Array.from(items, (item) => {
    if (last !== undefined && compareCodes(last, item) !== 0) code++
    last = item
    return code
  })
}

/** Returns the values of columns by their names. */
const readColumns = (names: readonly string[], rows: readonly (readonly ColumnValue[])[]) =>
  new Map(names.map((name, column) => [name, rows.map((row) => at(row, column))]))

function columnOf(columns: ReadonlyMap<string, readonly ColumnValue[]>, name: string): readonly ColumnValue[] {
  const values = columns.get(name)
  if (values === undefined) throw new TypeError(`the column ${name} has no values`)
  return values
}

interface WrittenPrices {
  readonly portion: Portion
  readonly items: readonly WrittenItem[]
  readonly groups: GroupsOfRates
  readonly lists: ListColumn
  readonly units: Units
  readonly flagged: FlaggedAmounts
  readonly watch: FileWatch
}

/** Fills one row group after the other. @yields number of rows of a row group */
function* fillRows(prices: WrittenPrices, rowGroup: RowGroup): Generator<number> {
  const { portion, items, groups, flagged } = prices
  const { firstPrices } = portion.numbers
  const rows = new RowFiller(prices, rowGroup)
  for (const [item, { firstRate, endOfRates }] of items.entries()) {
    for (let rate = firstRate; rate < endOfRates; rate++) {
      const count = groups.list(rate)
      const end = count === 0 ? 0 : uint32At(firstPrices.items, rate + 1)
      for (let price = uint32At(firstPrices.items, rate); price < end; price++) {
        const ordinary = flagged.blankets.divide(price, count)
        if (ordinary > 0 && rows.add(item, price, { first: 0, end: ordinary }, false)) yield rows.end()
        if (ordinary < count && rows.add(item, price, { first: ordinary, end: count }, true)) yield rows.end()
      }
    }
  }
  yield rows.end()
}

/** Number of group keys after which a row group is full, so that rows with long lists do not take more memory. */
const maxKeys = 1 << 20

/** Indexes in `RowGroup.ids`, in the order of the `shared` columns in `writePrices`; the flags come last. */
const [itemPlace, listPlace, unitPlace, firstTermPlace] = [0, 1, 2, 3]
const flagsPlace = firstTermPlace + termColumns.length

/** Consecutive groups of a rate, as indexes in `GroupsOfRates.rateKeys`: from `first`, to before `end`. */
interface KeyRange {
  readonly first: number
  readonly end: number
}

/** Fills a row group row by row, and starts again when the group has ended. */
class RowFiller {
  readonly #prices: WrittenPrices
  readonly #rowGroup: RowGroup
  readonly #itemOf: Uint32Array
  readonly #listOf: Uint32Array
  readonly #flags: Uint32Array
  readonly #priceOf: Uint32Array
  #rows = 0
  #keys = 0

  constructor(prices: WrittenPrices, rowGroup: RowGroup) {
    this.#prices = prices
    this.#rowGroup = rowGroup
    this.#itemOf = at(rowGroup.ids, itemPlace)
    this.#listOf = at(rowGroup.ids, listPlace)
    this.#flags = at(rowGroup.ids, flagsPlace)
    this.#priceOf = new Uint32Array(rowGroup.size)
  }

  /**
   * Adds a row of a price and a part of its groups.
   *
   * @param keys the listed groups of the row
   * @returns true if the row group is full
   */
  add(item: number, price: number, keys: KeyRange, isBlanket: boolean): boolean {
    const { groups, flagged, lists } = this.#prices
    if (this.#rows === 0) lists.clear()
    const row = this.#rows++
    this.#itemOf[row] = item
    this.#listOf[row] = lists.add(groups.rateKeys, keys.first, keys.end)
    this.#flags[row] = numberFlags(at(flagged.flags, price), isBlanket)
    this.#priceOf[row] = price
    this.#keys += keys.end - keys.first
    return this.#rows === this.#rowGroup.size || this.#keys >= maxKeys
  }

  /** Ends the row group. @returns number of its rows */
  end(): number {
    this.#prices.watch.look()
    const rows = this.#rows
    describePrices(this.#prices, this.#priceOf.subarray(0, rows), this.#rowGroup)
    this.#rows = 0
    this.#keys = 0
    return rows
  }
}

/** Sets the columns that depend on the price of a row, one column after the other. */
function describePrices({ portion, units }: WrittenPrices, priceOf: Uint32Array, { ids, integers }: RowGroup): void {
  const { terms, amounts, ordinals } = portion.numbers
  const records = { numbers: terms.items, size: termColumns.length }
  for (let column = 0; column < termColumns.length; column++)
    pickNumbers(records, column, priceOf, at(ids, firstTermPlace + column))
  const [itemOf, unitOf] = [at(ids, itemPlace), at(ids, unitPlace)]
  const typeOf = at(ids, firstTermPlace + negotiatedTypeAt)
  const [amountWords, ordinalWords] = [wordsOf(at(integers, 0)), wordsOf(at(integers, 1))]
  for (let row = 0; row < priceOf.length; row++) {
    const price = uint32At(priceOf, row)
    unitOf[row] = units.of(uint32At(itemOf, row), uint32At(typeOf, row))
    amountWords[2 * row] = uint32At(amounts.items, 2 * price)
    amountWords[2 * row + 1] = uint32At(amounts.items, 2 * price + 1)
    const ordinal = portion.ordinalsFrom + uint32At(ordinals.items, price)
    ordinalWords[2 * row] = ordinal
    ordinalWords[2 * row + 1] = ordinal / wordSize
  }
}

/** Returns 64-bit integers as pairs of 32-bit words, the low word first. */
const wordsOf = ({ buffer }: BigInt64Array<ArrayBuffer>) => new Uint32Array(buffer)

const wordSize = 2 ** 32
