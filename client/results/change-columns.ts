import type { Change } from './price-changes.ts'
import type { ResultRow } from './result-row.ts'

/** The columns of a change, in the order in which tables, CSV and Parquet have them. */
export const changeColumns = [
  ...(['change', 'percent', 'old', 'new', 'rate_unit', 'billing_code', 'name', 'billing_code_modifier'] as const),
  ...(['provider', 'plan', 'tin_value', 'billing_class', 'setting', 'service_code', 'negotiated_type'] as const),
  ...(['remark', 'payer', 'billing_code_type', 'price_key'] as const),
] as const satisfies readonly (keyof Change)[]

/** Columns that differ in every row of a table and say little to a reader. */
const keys: readonly string[] = ['price_key']

/** Columns that a table has even if all changes have the same value. */
const always: readonly string[] = ['change', 'percent', 'old', 'new', 'billing_code', 'name', 'provider', 'tin_value']

/** Columns that tell changes apart, and the values that all changes share. */
export interface ShownColumns {
  readonly columns: readonly (typeof changeColumns)[number][]
  /** Values such as `Harbor PPO Gold` and `usd`, without empty ones. */
  readonly common: readonly string[]
}

/** Chooses the columns that are worth showing: those with differing values, and the ones that every table has. */
export function chooseChangeColumns(changes: readonly Change[]): ShownColumns {
  const texts = (column: keyof Change) => new Set(changes.map((change) => String(change[column] ?? '')))
  const candidates = changeColumns.filter((column) => !keys.includes(column))
  const valuesOf = new Map(candidates.map((column) => [column, texts(column)]))
  const isEmpty = (column: keyof Change) => changes.every((change) => (change[column] ?? '') === '')
  const isShown = (column: (typeof changeColumns)[number]) =>
    !isEmpty(column) && (always.includes(column) || (valuesOf.get(column)?.size ?? 0) > 1)
  const columns = candidates.filter(isShown)
  const common = candidates.filter((column) => !isShown(column)).flatMap((column) => [...(valuesOf.get(column) ?? [])])
  return { columns, common: common.filter((value) => value !== '') }
}

/** Returns a change as a row in which a single amount is a number, which sorts and adds up as one. */
export function showSingleAmounts(change: Change): ResultRow {
  const { old: before, new: after } = change
  return { ...change, old: before.length === 1 ? before[0] : before, new: after.length === 1 ? after[0] : after }
}
