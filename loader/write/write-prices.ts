import { sourceIdColumn } from '../../schema/columns/column.ts'
import type { ColumnsOf } from '../../schema/columns/rates.ts'
import { priceOrdinal, priceTable, providerGroupKey, readFileName } from '../../schema/columns/warehouse-tables.ts'
import { type ColumnValue, compareTexts } from '../columns/column-values.ts'
import { GroupKeys } from '../columns/groups/group-keys.ts'
import type { ReferenceIds } from '../columns/groups/reference-ids.ts'
import { sortRange } from '../columns/groups/sorted-range.ts'
import type { Portion, PortionItem } from '../columns/portion.ts'
import { derivedItemColumns, itemColumns, termColumns } from '../decode/in-network-file.ts'
import { DictionaryColumn } from './parquet/dictionary-column.ts'
import { type RowChunk, writeRows } from './parquet/write-rows.ts'
import { noReference } from './price-judge.ts'
import { Units } from './units.ts'

/** An item whose prices are written. */
interface KeptItem extends PortionItem {
  readonly outcome: readonly ColumnValue[]
  readonly endOfRates: number
}

const namesOfItems = [...derivedItemColumns, ...itemColumns.map(({ name }) => name)]
const typeColumn = termColumns.findIndex(({ name }) => name === 'negotiated_type')

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
  const units = new Units(portion.terms[typeColumn] ?? [], columnOf(ofItems, 'negotiation_arrangement'))
  const keys = new GroupKeys(ids.texts, ids.rank(), portion.inline)
  const sourceId = readFileName(path)?.id ?? null
  const ofPrice: Readonly<Record<Exclude<ColumnsOf<'price'>, 'negotiated_rate'>, readonly ColumnValue[]>> = {
    rate_unit: units.values,
    // It is made by the view.
    price_id: units.values.map(() => null),
  }
  await writeRows(
    {
      path,
      columns: priceTable.columns,
      rows,
      shared: [
        { values: ofItems },
        { values: new Map([[providerGroupKey.name, new DictionaryColumn(keys)]]) },
        { values: new Map([...Object.entries(ofPrice), [sourceIdColumn, units.values.map(() => sourceId)]]) },
        ...termColumns.map(({ name }, column) => ({ values: new Map([[name, portion.terms[column] ?? []]]) })),
      ],
      integers: ['negotiated_rate', priceOrdinal.name],
    },
    sortRows(portion, items, keys, units, signal),
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
  const [code, type] = (['billing_code', 'billing_code_type'] as const).map((name) => namesOfItems.indexOf(name))
  const compare =
    (column = 0) =>
    (one: KeptItem, other: KeptItem) =>
      compareTexts(String(one.outcome[column]), String(other.outcome[column]))
  const [byCode, byType] = [compare(code), compare(type)]
  return kept.sort((one, other) => byCode(one, other) || byType(one, other) || one.index - other.index)
}

/** The values of columns by their names. */
const readColumns = (names: readonly string[], rows: readonly (readonly ColumnValue[])[]) =>
  new Map(names.map((name, column) => [name, rows.map((row) => row[column] ?? null)]))

function columnOf(columns: ReadonlyMap<string, readonly ColumnValue[]>, name: string): readonly ColumnValue[] {
  const values = columns.get(name)
  if (values === undefined) throw new TypeError(`the column ${name} has no values`)
  return values
}

/** Rows that are passed on together. */
const rowsPerChunk = 8192

async function* sortRows(
  portion: Portion,
  items: readonly KeptItem[],
  keys: GroupKeys,
  units: Units,
  signal: AbortSignal | undefined,
): AsyncGenerator<RowChunk> {
  const [itemOf, groupOf] = [new Uint32Array(rowsPerChunk), new Uint32Array(rowsPerChunk)]
  const termsOf = termColumns.map(() => new Uint32Array(rowsPerChunk))
  const typeOf = termsOf[typeColumn] ?? itemOf
  const [amounts, ordinals] = [new BigInt64Array(rowsPerChunk), new BigInt64Array(rowsPerChunk)]
  const take = (count: number): RowChunk => ({
    rows: count,
    ids: [itemOf, groupOf, units.find(itemOf, typeOf, count), ...termsOf],
    integers: [amounts, ordinals],
  })
  const [amountWords, ordinalWords] = [new Uint32Array(amounts.buffer), new Uint32Array(ordinals.buffer)]
  const rates = new RatesByGroup(portion, keys)
  let rows = 0
  for (const [item, { firstRate, endOfRates }] of items.entries()) {
    rates.sort(firstRate, endOfRates)
    for (let index = 0; index < rates.count; index++) {
      const group = rates.groupAt(index)
      const rate = rates.rateAt(index)
      const end = portion.firstPrices[rate + 1] ?? 0
      for (let price = portion.firstPrices[rate] ?? 0; price < end; price++) {
        itemOf[rows] = item
        groupOf[rows] = group
        for (let column = 0; column < termsOf.length; column++) {
          const numbers = termsOf[column]
          if (numbers !== undefined) numbers[rows] = portion.priceTerms[price * termsOf.length + column] ?? 0
        }
        amountWords[2 * rows] = portion.amounts[2 * price] ?? 0
        amountWords[2 * rows + 1] = portion.amounts[2 * price + 1] ?? 0
        const ordinal = portion.ordinalsFrom + (portion.ordinals[price] ?? 0)
        ordinalWords[2 * rows] = ordinal
        ordinalWords[2 * rows + 1] = ordinal / wordSize
        if (++rows < rowsPerChunk) continue
        signal?.throwIfAborted()
        yield take(rows)
        rows = 0
      }
    }
  }
  if (rows > 0) yield take(rows)
}

const wordSize = 2 ** 32

/** The rates of an item, once for each group that they name, in the order of the groups. */
class RatesByGroup {
  count = 0
  readonly #portion: Portion
  readonly #keys: GroupKeys
  /** The rank of a group, times `#span`, plus the place of a rate in the item: below 2^53. */
  #packed = new Float64Array(256)
  #firstRate = 0
  #span = 1

  constructor(portion: Portion, keys: GroupKeys) {
    this.#portion = portion
    this.#keys = keys
  }

  sort(firstRate: number, endOfRates: number): void {
    const { inlineGroups, references, firstReferences } = this.#portion
    this.#firstRate = firstRate
    this.#span = endOfRates - firstRate
    this.count = 0
    const most = (firstReferences[endOfRates] ?? 0) - (firstReferences[firstRate] ?? 0) + this.#span
    if (this.#packed.length < most) this.#packed = new Float64Array(2 * most)
    for (let rate = firstRate; rate < endOfRates; rate++) {
      const inline = inlineGroups[rate] ?? 0
      if (inline > 0) this.#add(this.#keys.rankOfInline(inline - 1), rate)
      const end = firstReferences[rate + 1] ?? 0
      for (let index = firstReferences[rate] ?? 0; index < end; index++) {
        const number = references[index] ?? noReference
        if (number !== noReference) this.#add(this.#keys.rankOfReference(number), rate)
      }
    }
    sortRange(this.#packed, 0, this.count)
  }

  groupAt(index: number): number {
    return Math.floor((this.#packed[index] ?? 0) / this.#span)
  }

  rateAt(index: number): number {
    return this.#firstRate + ((this.#packed[index] ?? 0) % this.#span)
  }

  #add(rank: number, rate: number): void {
    this.#packed[this.count++] = rank * this.#span + rate - this.#firstRate
  }
}
