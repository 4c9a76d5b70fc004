import type { ColumnsOf } from '../../schema/columns/rates.ts'
import { defineColumn, ownColumnsOf } from '../../schema/columns/rates.ts'
import { itemColumns } from '../published/in-network-file.ts'
import type { NumberTable } from './number-table.ts'
import { BigIntColumn, DoubleColumn, IntegerColumn, RateColumn, UIntegerColumn } from './number-table.ts'
import type { StagedTable, StagingDatabase } from './staging-database.ts'

const createPriceColumns = () => ({
  ordinal: new DoubleColumn(),
  item: new UIntegerColumn(),
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
})

const createRefColumns = () => ({
  rate: new UIntegerColumn(),
  place: new IntegerColumn(),
  number: new BigIntColumn(),
  /** How many prices of the rate are staged. */
  priced: new UIntegerColumn(),
})

export interface PriceTables {
  readonly items: StagedTable<'item' | ColumnsOf<'item', 'own'>>
  readonly prices: NumberTable<ReturnType<typeof createPriceColumns>>
  readonly rates: NumberTable<ReturnType<typeof createRateColumns>>
  readonly refs: NumberTable<ReturnType<typeof createRefColumns>>
  readonly leftOut: StagedTable<'item' | 'filtered'>
}

export async function createPriceTables(database: StagingDatabase): Promise<PriceTables> {
  const item = ['item', 'uinteger'] as const
  const itemCodes = ownColumnsOf('item').map((name) => defineColumn(name))
  return {
    items: await database.createTable('items', [item, ...itemCodes], itemColumns),
    prices: await database.createNumberTable('prices', createPriceColumns()),
    rates: await database.createNumberTable('rates', createRateColumns()),
    refs: await database.createNumberTable('refs', createRefColumns()),
    leftOut: await database.createTable('left_out', [item, ['filtered', 'boolean']]),
  }
}
