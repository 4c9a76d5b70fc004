import type { ResultRow } from '../../client/results/result-row.ts'
import type { SummaryWeight } from '../../contract/summaries.ts'
import { identifyValue, type RateGroup } from '../statistics/rate-groups.ts'
import { keyOfRow } from './chosen-row.ts'

/** The rows of the prices that the plot shows. */
export interface PlottedRows {
  /** The lowest amount first. */
  readonly rows: readonly ResultRow[]
  /** Number of prices that have these rows. */
  readonly prices: number
  /** True for these rows, and for a row that stands for all rows of a price. */
  readonly has: (row: ResultRow) => boolean
  /** True if a plot can show the row: one that counts under the weight. */
  readonly canPlot: (row: ResultRow) => boolean
}

/** Lists the rows of the groups of a plot. */
export function listPlotted(groups: readonly RateGroup[], weight: SummaryWeight): PlottedRows {
  const prices = groups.flatMap((group) => group.prices).sort((a, b) => a.rate - b.rate)
  const rows = prices.flatMap((price) => price.rows)
  const members = new Set(rows)
  // A table of raw rows never asks for these, so they are made when they are asked for.
  let keys: ReadonlySet<string> | undefined
  let ids: ReadonlySet<unknown> | undefined
  const hasKey = (row: ResultRow) => {
    keys ??= new Set(rows.map(keyOfRow))
    return keys.has(keyOfRow(row))
  }
  const hasId = (row: ResultRow) => {
    ids ??= new Set(rows.map((each) => each['price_id']))
    return Array.isArray(row['npi']) && ids.has(row['price_id'])
  }
  return {
    rows,
    prices: prices.length,
    has: (row) => members.has(row) || hasKey(row) || hasId(row),
    canPlot: (row) => identifyValue(row, weight) !== undefined,
  }
}
