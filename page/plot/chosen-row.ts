import { showValue } from '../../client/results/csv.ts'
import type { ResultRow } from '../../client/results/result-row.ts'
import type { Price, RateGroup } from '../statistics/rate-groups.ts'

/** The price that the reader has chosen in the plot or in the table, and the row that stands for it in the address. */
export interface ChosenPrice {
  readonly group: RateGroup
  readonly price: Price
}

/** Separates the parts of a key; ids of prices, TINs and NPIs have none. */
const separator = '~'

/** A row for each price, with lists, stands for the first of its rows. */
const firstOf = (value: unknown) => showValue(Array.isArray(value) ? value[0] : value)

/** Returns the key of a row in the address. An own relation may lack ids of prices: then the amount stands for it. */
export const keyOfRow = (row: ResultRow): string =>
  [row['price_id'] ?? row['negotiated_rate'], row['tin_value'], row['npi']].map(firstOf).join(separator)

/** Finds the price that has the row with a key. */
export function findChosen(groups: readonly RateGroup[], key: string | undefined): ChosenPrice | undefined {
  if (key === undefined) return undefined
  const [id = ''] = key.split(separator)
  const isOf = (row: ResultRow) => firstOf(row['price_id'] ?? row['negotiated_rate']) === id && keyOfRow(row) === key
  for (const group of groups) {
    const price = group.prices.find(({ rows }) => rows.some(isOf))
    if (price !== undefined) return { group, price }
  }
  return undefined
}

/** The link between the rows of a table and the dots of the plot. */
export interface RowLink {
  /** The row that is chosen in the address. */
  readonly key: string | undefined
  /** True for the rows of the chosen price. */
  readonly isChosen: (row: ResultRow) => boolean
  readonly choose: (row: ResultRow) => void
}

/** Returns a test for the rows of a price, and for rows that stand for all rows of a price. */
export function testRows(chosen: ChosenPrice | undefined): (row: ResultRow) => boolean {
  const rows = chosen?.price.rows ?? []
  const [keys, ids] = [new Set(rows.map(keyOfRow)), new Set(rows.map((row) => row['price_id']))]
  const isMerged = (row: ResultRow) => Array.isArray(row['npi']) && ids.has(row['price_id'])
  return (row) => keys.has(keyOfRow(row)) || isMerged(row)
}
