import { sourceIdColumn } from '../../schema/columns/column.ts'
import type { ColumnsOf } from '../../schema/columns/rates.ts'
import {
  amountFlags,
  priceOrdinal,
  priceTable,
  providerGroupKey,
  readFileName,
} from '../../schema/columns/warehouse-tables.ts'
import { type ColumnValue, compareTexts } from '../columns/column-values.ts'
import { GroupKeys } from '../columns/groups/group-keys.ts'
import type { ReferenceIds } from '../columns/groups/reference-ids.ts'
import { sortRange } from '../columns/groups/sorted-range.ts'
import type { Portion, PortionItem } from '../columns/portion.ts'
import { derivedItemColumns, itemColumns, termColumns } from '../decode/in-network-file.ts'
import { GroupsOfRates } from './groups-of-rates.ts'
import { flagLists, judgeAmounts } from './judge-amounts.ts'
import { DictionaryColumn } from './parquet/dictionary-column.ts'
import { type RowGroup, writeRows } from './parquet/write-rows.ts'
import { pickNumbers } from './pick-numbers.ts'
import { negotiatedTypeAt, Units } from './units.ts'

/** An item whose prices are written. */
interface KeptItem extends PortionItem {
  readonly outcome: readonly ColumnValue[]
  readonly endOfRates: number
}

const namesOfItems = [...derivedItemColumns, ...itemColumns.map(({ name }) => name)]

/**
 * Writes the rows of a portion to a file of `negotiated_rates`, sorted by billing code and provider group. Items are sorted,
 * and within an item its rates by their groups.
 *
 * @param portion whose references are those of `PriceJudge.judge`
 * @param rows how many it has
 */
export async function writePrices(
  portion: Portion,
  rows: number,
  ids: ReferenceIds,
  path: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const items = sortItems(portion)
  const ofItems = readColumns(
    namesOfItems,
    items.map(({ outcome }) => outcome),
  )
  const units = new Units(portion.terms[negotiatedTypeAt] ?? [], columnOf(ofItems, 'negotiation_arrangement'))
  const keys = new GroupKeys(ids, portion.inline)
  const groups = new GroupsOfRates(portion, keys)
  const sourceId = readFileName(path)?.id ?? null
  const ofPrice: Readonly<Record<Exclude<ColumnsOf<'price'>, 'negotiated_rate'>, readonly ColumnValue[]>> = {
    rate_unit: units.values,
    // It is made by the view.
    price_id: units.values.map(() => null),
  }
  const flagsOf = judgeAmounts({ portion, items, codes: numberCodes(items), units, groups })
  await writeRows(
    {
      path,
      columns: priceTable.columns,
      rows,
      shared: [
        ofItems,
        new Map([[providerGroupKey.name, new DictionaryColumn(keys)]]),
        new Map([...Object.entries(ofPrice), [sourceIdColumn, units.values.map(() => sourceId)]]),
        ...termColumns.map(({ name }, column) => new Map([[name, portion.terms[column] ?? []]])),
        new Map([[amountFlags.name, flagLists]]),
      ],
      integers: ['negotiated_rate', priceOrdinal.name],
    },
    (group) => sortRows({ portion, items, groups, units, flagsOf, signal }, group),
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

interface SortedPrices {
  readonly portion: Portion
  readonly items: readonly KeptItem[]
  readonly groups: GroupsOfRates
  readonly units: Units
  readonly flagsOf: (price: number, group: number) => number
  readonly signal: AbortSignal | undefined
}

function* sortRows(sorted: SortedPrices, group: RowGroup): Generator<number> {
  const { portion, items, groups, flagsOf, signal } = sorted
  const { ids, size } = group
  const [itemOf = none, groupOf = none] = ids
  const flags = ids.at(-1) ?? none
  const priceOf = new Uint32Array(size)
  const { firstPrices } = portion.numbers
  const rates = new RatesByGroup(portion, groups)
  let rows = 0
  for (const [item, { firstRate, endOfRates }] of items.entries()) {
    rates.sort(firstRate, endOfRates)
    for (let index = 0; index < rates.count; index++) {
      const key = rates.groupAt(index)
      const rate = rates.rateAt(index)
      const end = firstPrices.items[rate + 1] ?? 0
      for (let price = firstPrices.items[rate] ?? 0; price < end; price++) {
        itemOf[rows] = item
        groupOf[rows] = key
        flags[rows] = flagsOf(price, key)
        priceOf[rows] = price
        if (++rows < size) continue
        signal?.throwIfAborted()
        describePrices(sorted, priceOf, group)
        yield rows
        rows = 0
      }
    }
  }
  describePrices(sorted, priceOf.subarray(0, rows), group)
  yield rows
}

/** Sets what rows say of their prices, column by column. */
function describePrices({ portion, units }: SortedPrices, priceOf: Uint32Array, { ids, integers }: RowGroup): void {
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

/** The rates of an item, once for each group that they name, in the order of the groups. */
class RatesByGroup {
  count = 0
  readonly #portion: Portion
  readonly #groups: GroupsOfRates
  /** The rank of a group, times `#span`, plus the place of a rate in the item: below 2^53. */
  #packed = new Float64Array(256)
  #firstRate = 0
  #span = 1

  constructor(portion: Portion, groups: GroupsOfRates) {
    this.#portion = portion
    this.#groups = groups
  }

  sort(firstRate: number, endOfRates: number): void {
    const { firstReferences } = this.#portion.numbers
    this.#firstRate = firstRate
    this.#span = endOfRates - firstRate
    this.count = 0
    const most = (firstReferences.items[endOfRates] ?? 0) - (firstReferences.items[firstRate] ?? 0) + this.#span
    if (this.#packed.length < most) this.#packed = new Float64Array(2 * most)
    for (let rate = firstRate; rate < endOfRates; rate++) {
      const groups = this.#groups.list(rate)
      for (let at = 0; at < groups; at++)
        this.#packed[this.count++] = (this.#groups.ranks[at] ?? 0) * this.#span + rate - firstRate
    }
    sortRange(this.#packed, 0, this.count)
  }

  groupAt(index: number): number {
    return Math.floor((this.#packed[index] ?? 0) / this.#span)
  }

  rateAt(index: number): number {
    return this.#firstRate + ((this.#packed[index] ?? 0) % this.#span)
  }
}
