import type { ColumnsOf } from '../../schema/columns/rates.ts'
import { defineColumn, ownColumnsOf } from '../../schema/columns/rates.ts'
import { itemColumns } from '../published/in-network-file.ts'
import type { NumberTable } from './number-table.ts'
import { BigIntColumn, DoubleColumn, IntegerColumn, RateColumn, UIntegerColumn } from './number-table.ts'
import type { StagedTable } from './staged-table.ts'
import type { StagingDatabase } from './staging-database.ts'

const createPriceColumns = () => ({
  ordinal: new DoubleColumn(),
  rate: new UIntegerColumn(),
  terms: new UIntegerColumn(),
  negotiated_rate: new RateColumn(),
})

const createRateColumns = () => ({
  rate: new UIntegerColumn(),
  item: new UIntegerColumn(),
  place: new UIntegerColumn(),
  published: new UIntegerColumn(),
  priced: new UIntegerColumn(),
  /** The number of the rate's inline group plus 1; 0 if it has none. */
  inline_group: new UIntegerColumn(),
  /** How many rows of `provider_groups` the rate's inline group has. */
  inline_rows: new UIntegerColumn(),
})

const createRefColumns = () => ({
  rate: new UIntegerColumn(),
  place: new IntegerColumn(),
  number: new BigIntColumn(),
  /** How many prices of the rate are staged. */
  priced: new UIntegerColumn(),
})

interface PriceTables {
  readonly prices: NumberTable<ReturnType<typeof createPriceColumns>>
  readonly rates: NumberTable<ReturnType<typeof createRateColumns>>
  readonly refs: NumberTable<ReturnType<typeof createRefColumns>>
}

/** The prices of a part of a file: `items` has a row an element of `in_network`, `prices` one a price. */
export class PriceRows {
  readonly items: StagedTable<'item' | ColumnsOf<'item', 'own'>>
  readonly leftOut: StagedTable<'item' | 'filtered'>
  /** Rows of `negotiated_rates`, if all references are defined. */
  count = 0
  /** Whether any rate names a provider reference. */
  hasReferences = false
  /** The number of the next rate in its file. */
  nextRate: number
  readonly #tables: PriceTables
  /** The provider groups that the next rate names. */
  readonly #refs: { readonly place: number; readonly number: number | bigint }[] = []
  #inlineGroup = 0
  #inlineRows = 0

  private constructor(
    items: StagedTable<'item' | ColumnsOf<'item', 'own'>>,
    leftOut: StagedTable<'item' | 'filtered'>,
    tables: PriceTables,
    nextRate: number,
  ) {
    this.items = items
    this.leftOut = leftOut
    this.#tables = tables
    this.nextRate = nextRate
  }

  static async create(database: StagingDatabase, nextRate: number): Promise<PriceRows> {
    const item = ['item', 'uinteger'] as const
    const itemCodes = ownColumnsOf('item').map((name) => defineColumn(name))
    const items = await database.createTable('items', [item, ...itemCodes], itemColumns)
    const leftOut = await database.createTable('left_out', [item, ['filtered', 'boolean']])
    const tables = {
      prices: await database.createNumberTable('prices', createPriceColumns()),
      rates: await database.createNumberTable('rates', createRateColumns()),
      refs: await database.createNumberTable('refs', createRefColumns()),
    }
    return new PriceRows(items, leftOut, tables, nextRate)
  }

  /** @param place of the reference in its rate, which `addRate` adds */
  nameReference(place: number, number: number | bigint): void {
    this.#refs.push({ place, number })
    this.hasReferences = true
  }

  /**
   * @param number of the inline group of the rate that `addRate` adds
   * @param rows of `provider_groups` that it has
   */
  nameInline(number: number, rows: number): void {
    this.#inlineGroup = number + 1
    this.#inlineRows = rows
  }

  /** Adds a price of the next rate. */
  addPrice(ordinal: number, terms: number, tenThousandths: number | bigint): void {
    const { columns } = this.#tables.prices
    const row = this.#tables.prices.addRow()
    columns.ordinal.items[row] = ordinal
    columns.rate.items[row] = this.nextRate
    columns.terms.items[row] = terms
    columns.negotiated_rate.set(row, tenThousandths)
  }

  /** Adds a rate after its prices, with the provider groups that it names. */
  addRate(item: number, place: number, published: number, priced: number): void {
    const { columns } = this.#tables.rates
    const row = this.#tables.rates.addRow()
    columns.rate.items[row] = this.nextRate
    columns.item.items[row] = item
    columns.place.items[row] = place
    columns.published.items[row] = published
    columns.priced.items[row] = priced
    columns.inline_group.items[row] = this.#inlineGroup
    columns.inline_rows.items[row] = this.#inlineRows
    for (const ref of this.#refs) this.#addRef(ref.place, ref.number, priced)
    this.count += (this.#refs.length + (this.#inlineRows > 0 ? 1 : 0)) * priced
    this.#refs.length = 0
    this.#inlineGroup = 0
    this.#inlineRows = 0
    this.nextRate++
  }

  #addRef(place: number, number: number | bigint, priced: number): void {
    const { columns } = this.#tables.refs
    const row = this.#tables.refs.addRow()
    columns.rate.items[row] = this.nextRate
    columns.place.items[row] = place
    columns.number.set(row, number)
    columns.priced.items[row] = priced
  }
}
