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
import { blanketFlag, flagLists, type JudgedAmounts, judgeAmounts } from './judge-amounts.ts'
import { ListColumn } from './parquet/list-column.ts'
import { type RowGroup, writeRows } from './parquet/write-rows.ts'
import { pickNumbers } from './pick-numbers.ts'
import { negotiatedTypeAt, Units } from './units.ts'

/** An item whose prices are written. */
interface KeptItem extends PortionItem {
  readonly outcome: readonly ColumnValue[]
  readonly endOfRates: number
}

/** What writing prices needs besides them. */
interface WritingDeps {
  /** The ids of references, by their numbers. */
  readonly ids: TextList
  readonly newSeed: NewSeed
  readonly watch: FileWatch
}

const namesOfItems = [...derivedItemColumns, ...itemColumns.map(({ name }) => name)]

/**
 * Writes the rows of a portion to a file of `negotiated_rates`, sorted by billing code. A price has a row, or two: one
 * of the groups that have its amount for many codes, and one of the others.
 *
 * @param portion whose references are those of `PriceJudge.judge`
 * @param prices how many make rows
 */
export async function writePrices(
  portion: Portion,
  prices: number,
  path: string,
  { ids, newSeed, watch }: WritingDeps,
): Promise<void> {
  const items = sortItems(portion)
  const ofItems = readColumns(
    namesOfItems,
    items.map(({ outcome }) => outcome),
  )
  const units = new Units(portion.terms[negotiatedTypeAt] ?? [], columnOf(ofItems, 'negotiation_arrangement'))
  const keys = new GroupKeys(ids, portion.inline)
  const groups = new GroupsOfRates(portion, keys, watch)
  const sourceId = readFileName(path)?.id ?? null
  const ofPrice: Readonly<Record<Exclude<ColumnsOf<'price'>, 'negotiated_rate'>, readonly ColumnValue[]>> = {
    rate_unit: units.values,
    // It is made by the view.
    price_id: units.values.map(() => null),
  }
  const judged = judgeAmounts({ portion, items, codes: numberCodes(items), units, groups, newSeed })
  const lists = new ListColumn(keys)
  await writeRows(
    {
      path,
      columns: priceTable.columns,
      rows: prices + judged.blankets.divided,
      shared: [
        ofItems,
        new Map([[providerGroupKeys.name, lists]]),
        new Map([...Object.entries(ofPrice), [sourceIdColumn, units.values.map(() => sourceId)]]),
        ...termColumns.map(({ name }, column) => new Map([[name, portion.terms[column] ?? []]])),
        new Map([[amountFlags.name, flagLists]]),
      ],
      integers: ['negotiated_rate', priceOrdinal.name],
    },
    (group) => fillRows({ portion, items, groups, lists, units, judged, watch }, group),
  )
}

/** The items whose prices are written, in the order of their codes. */
function sortItems({ items, rateCount }: Portion): readonly KeptItem[] {
  const kept = items.flatMap((item, place) => {
    const { outcome } = item
    return typeof outcome === 'object'
      ? [{ ...item, outcome, endOfRates: items[place + 1]?.firstRate ?? rateCount }]
      : []
  })
  return kept.sort((one, other) => compareCodes(one, other) || one.index - other.index)
}

const [codeAt, typeAt] = [namesOfItems.indexOf('billing_code'), namesOfItems.indexOf('billing_code_type')]

const compareCodes = ({ outcome: one }: KeptItem, { outcome: other }: KeptItem) =>
  compareTexts(String(one[codeAt]), String(other[codeAt])) || compareTexts(String(one[typeAt]), String(other[typeAt]))

/** The number of each item's billing code; the items are sorted. */
function numberCodes(items: readonly KeptItem[]): Uint32Array {
  let code = 0
  let last = items[0]
  return Uint32Array.from(items, (item) => {
    if (last !== undefined && compareCodes(last, item) !== 0) code++
    last = item
    return code
  })
}

/** The values of columns by their names. */
const readColumns = (names: readonly string[], rows: readonly (readonly ColumnValue[])[]) =>
  new Map(names.map((name, column) => [name, rows.map((row) => row[column] ?? null)]))

function columnOf(columns: ReadonlyMap<string, readonly ColumnValue[]>, name: string): readonly ColumnValue[] {
  const values = columns.get(name)
  if (values === undefined) throw new TypeError(`the column ${name} has no values`)
  return values
}

interface WrittenPrices {
  readonly portion: Portion
  readonly items: readonly KeptItem[]
  readonly groups: GroupsOfRates
  readonly lists: ListColumn
  readonly units: Units
  readonly judged: JudgedAmounts
  readonly watch: FileWatch
}

function* fillRows(prices: WrittenPrices, group: RowGroup): Generator<number> {
  const { portion, items, groups, judged } = prices
  const { firstPrices } = portion.numbers
  const rows = new RowFiller(prices, group)
  for (const [item, { firstRate, endOfRates }] of items.entries()) {
    for (let rate = firstRate; rate < endOfRates; rate++) {
      const count = groups.list(rate)
      const end = count === 0 ? 0 : (firstPrices.items[rate + 1] ?? 0)
      for (let price = firstPrices.items[rate] ?? 0; price < end; price++) {
        const others = judged.blankets.divide(price, count)
        if (others > 0 && rows.add(item, price, 0, others, 0)) yield rows.end()
        if (others < count && rows.add(item, price, others, count, blanketFlag)) yield rows.end()
      }
    }
  }
  yield rows.end()
}

/** Keys of a row group from which it is full, so that long lists do not need more memory than rows. */
const mostKeys = 1 << 20

/** Sets the rows of one row group after the other. */
class RowFiller {
  readonly #prices: WrittenPrices
  readonly #group: RowGroup
  readonly #itemOf: Uint32Array
  readonly #listOf: Uint32Array
  readonly #flags: Uint32Array
  readonly #priceOf: Uint32Array
  #rows = 0
  #keys = 0

  constructor(prices: WrittenPrices, group: RowGroup) {
    this.#prices = prices
    this.#group = group
    const [itemOf = none, listOf = none] = group.ids
    this.#itemOf = itemOf
    this.#listOf = listOf
    this.#flags = group.ids.at(-1) ?? none
    this.#priceOf = new Uint32Array(group.size)
  }

  /**
   * Adds a row of a price and the listed groups from `first` to `end`.
   *
   * @param blanket 0 or `blanketFlag`
   * @returns whether the row group is full
   */
  add(item: number, price: number, first: number, end: number, blanket: number): boolean {
    const { groups, judged, lists } = this.#prices
    if (this.#rows === 0) lists.clear()
    this.#itemOf[this.#rows] = item
    this.#listOf[this.#rows] = lists.add(groups.listed, first, end)
    this.#flags[this.#rows] = (judged.flags[price] ?? 0) + blanket
    this.#priceOf[this.#rows++] = price
    this.#keys += end - first
    return this.#rows === this.#group.size || this.#keys >= mostKeys
  }

  /** Ends the row group. @returns how many rows it has */
  end(): number {
    this.#prices.watch.look()
    const rows = this.#rows
    describePrices(this.#prices, this.#priceOf.subarray(0, rows), this.#group)
    this.#rows = 0
    this.#keys = 0
    return rows
  }
}

/** Sets what rows say of their prices, column by column. */
function describePrices({ portion, units }: WrittenPrices, priceOf: Uint32Array, { ids, integers }: RowGroup): void {
  const { terms, amounts, ordinals } = portion.numbers
  const [itemOf = none, , unitOf = none] = ids
  for (let column = 0; column < termColumns.length; column++)
    pickNumbers(terms.items, termColumns.length, column, priceOf, ids[3 + column] ?? none)
  const typeOf = ids[3 + negotiatedTypeAt] ?? none
  const [amountWords = none, ordinalWords = none] = integers.map(({ buffer }) => new Uint32Array(buffer))
  for (let row = 0; row < priceOf.length; row++) {
    const price = priceOf[row] ?? 0
    unitOf[row] = units.of(itemOf[row] ?? 0, typeOf[row] ?? 0)
    amountWords[2 * row] = amounts.items[2 * price] ?? 0
    amountWords[2 * row + 1] = amounts.items[2 * price + 1] ?? 0
    const ordinal = portion.ordinalsFrom + (ordinals.items[price] ?? 0)
    ordinalWords[2 * row] = ordinal
    ordinalWords[2 * row + 1] = ordinal / wordSize
  }
}

const none = new Uint32Array(0)

const wordSize = 2 ** 32
