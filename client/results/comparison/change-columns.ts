import { showValue } from '../csv.ts'
import type { ResultRow } from '../result-row.ts'
import type { MedianChange } from './compare-summaries.ts'
import type { Change } from './price-changes.ts'

/** The columns of a change, in the order in which tables, CSV and Parquet have them. */
export const changeColumns = [
  ...(['change', 'percent', 'old', 'new', 'rate_unit', 'billing_code', 'name', 'billing_code_modifier'] as const),
  ...(['provider', 'plan', 'tin_value', 'billing_class', 'setting', 'service_code', 'negotiated_type'] as const),
  ...(['remark', 'payer', 'billing_code_type', 'price_key'] as const),
] as const satisfies readonly (keyof Change)[]

/** Changes as a table. */
export interface ChangeListing {
  readonly rows: readonly ResultRow[]
  /** All columns, in order. */
  readonly columns: readonly string[]
  /** Columns that are shown even if all rows have the same value. */
  readonly shown: readonly string[]
  /** Columns that say nothing to a reader. */
  readonly hidden: readonly string[]
}

/** Lists changes of prices. A single amount is a number, which sorts and adds up as one. */
export const listChanges = (changes: readonly Change[]): ChangeListing => ({
  rows: changes.map((change) => {
    const { old: before, new: after } = change
    return { ...change, old: before.length === 1 ? before[0] : before, new: after.length === 1 ? after[0] : after }
  }),
  columns: changeColumns,
  shown: ['change', 'percent', 'old', 'new', 'billing_code', 'name', 'provider', 'tin_value'],
  hidden: ['price_key'],
})

const statistics = ['change', 'percent', 'old', 'new', 'old_value_count', 'new_value_count']

/** Lists changes of medians. */
export const listMedianChanges = (changes: readonly MedianChange[]): ChangeListing => ({
  rows: changes.map(({ row, ...others }) => ({ ...others, ...row })),
  columns: [...statistics, ...Object.keys(changes[0]?.row ?? {}), 'remark'],
  shown: [...statistics, 'plan', 'billing_code'],
  hidden: [],
})

/** The columns of a table that are worth showing. */
export interface ShownColumns {
  readonly columns: readonly string[]
  /** The values that all rows share in other columns, such as `Harbor PPO Gold` and `usd`. */
  readonly common: readonly string[]
}

/** Chooses the columns that tell rows apart, and names what all rows have in common. */
export function chooseColumns({ rows, columns, shown, hidden }: ChangeListing): ShownColumns {
  const [first = {}] = rows
  const candidates = columns.filter((column) => !hidden.includes(column))
  const textOf = (row: ResultRow, column: string) => showValue(row[column])
  const differing = new Set(
    candidates.filter((column) => rows.some((row) => textOf(row, column) !== textOf(first, column))),
  )
  const isEmpty = (column: string) => !differing.has(column) && textOf(first, column) === ''
  const isShown = (column: string) => differing.has(column) || (shown.includes(column) && !isEmpty(column))
  return {
    columns: candidates.filter(isShown),
    common: candidates.filter((column) => !isShown(column) && !isEmpty(column)).map((column) => textOf(first, column)),
  }
}
