import { Decimal } from '../../parquet/decimal.ts'
import { formatNumber } from '../../schema/phrases.ts'
import { exactAmount } from './amounts.ts'
import { showValue } from './csv.ts'
import { joinPlaces } from './equal-places.ts'
import type { ResultRow } from './result-row.ts'

/** The rows of a summary as people and programs read them. Columns before the weight say what a row is about. */

const weightColumn = 'weight'

/** Columns that name a row even if all rows have the same value. */
const names = ['plan', 'billing_code']

/** Columns with the statistics of a row, which every table has. */
export const statisticColumns = ['value_count', 'minimum', 'p10', 'p25', 'median', 'p75', 'p90', 'maximum']

/** Columns that are shown if a row has something in them. */
const remarks = ['left_out_count', 'expired_count', 'blanket_count', 'provider_count']

/**
 * Returns a value as JSON and tables have it: numbers as numbers, or as their digits if a double would round them;
 * dates as `YYYY-MM-DD`.
 */
export function plainValue(value: unknown): unknown {
  if (typeof value === 'bigint' || value instanceof Decimal) return exactAmount(String(value))
  if (value instanceof Date) return showValue(value)
  return Array.isArray(value) ? value.map(plainValue) : (value ?? null)
}

/** The columns within which rows have ranks, where a summary has them: those of `rankedWithin`, as people read them. */
const rankOrder = ['billing_code_type', 'billing_code', 'billing_code_modifier', 'payer', 'plan', 'billing_class']

/** Orders rows by their ranks, or by what they are about, numbers in texts by their size. */
export function sortSummary(rows: readonly ResultRow[], columns: readonly string[]): readonly ResultRow[] {
  const order = [
    ...(columns.includes('rank') ? [...rankOrder, 'rate_unit', 'rank'] : []),
    'billing_code_type',
    'billing_code',
    'billing_code_modifier',
    'place_of_service',
    ...aboutColumns(columns),
  ]
  const compare = new Intl.Collator('en', { numeric: true }).compare
  return rows.toSorted((one, other) => {
    const column = order.find((name) => showValue(one[name]) !== showValue(other[name]))
    return column === undefined ? 0 : compare(showValue(one[column]), showValue(other[column]))
  })
}

/** True if the columns of a result have what a table of a summary needs. */
export const isSummary = (columns: readonly string[]): boolean =>
  columns.includes(weightColumn) && columns.includes('median')

/** Returns the columns that say what a row is about. */
export const aboutColumns = (columns: readonly string[]): readonly string[] =>
  columns.slice(0, Math.max(0, columns.indexOf(weightColumn)))

/** The columns of a summary that are worth showing. */
interface ShownSummary {
  readonly columns: readonly string[]
  /** The values that all rows share, such as `rate_unit usd`. */
  readonly common: readonly string[]
}

/** Chooses the columns that tell the rows apart, and names what all of them have in common. */
export function chooseSummaryColumns(rows: readonly ResultRow[], columns: readonly string[]): ShownSummary {
  const about = aboutColumns(columns)
  const differs = (name: string) => new Set(rows.map((row) => showValue(row[name]))).size > 1
  const hasAny = (name: string) => rows.some((row) => Number(row[name]) > 0)
  const shown = [
    ...(columns.includes('rank') ? ['rank'] : []),
    ...about.filter((name) => names.includes(name) || differs(name)),
    ...statisticColumns,
    ...remarks.filter(hasAny),
  ]
  const [first = {}] = rows
  const common = about.filter((name) => !shown.includes(name) && showValue(first[name]) !== '')
  return { columns: shown, common: common.map((name) => `${name} ${showValue(first[name])}`) }
}

/** A table of a summary for a terminal, with one row for places of service that have the same statistics. */
export interface SummaryTable extends ShownSummary {
  readonly cells: readonly (readonly (string | number | null)[])[]
  /** Says how many rows are not lines of their own; empty if all are. */
  readonly joined: string
}

export function tabulateSummary(rows: readonly ResultRow[], columns: readonly string[]): SummaryTable {
  const lines = joinPlaces(rows, [...aboutColumns(columns), 'rank', ...statisticColumns, ...remarks])
  const { columns: shown, common } = chooseSummaryColumns(lines, columns)
  return {
    columns: shown.map((name) => name.toUpperCase()),
    cells: lines.map((row) => shown.map((name) => tableCell(row[name]))),
    common,
    joined:
      lines.length === rows.length
        ? ''
        : `; equal places share a line, --csv prints ${formatNumber(rows.length - lines.length)} more`,
  }
}

/** Returns a value as a cell of a table: numbers as numbers, which are aligned to the right. */
export function tableCell(value: unknown): string | number | null {
  if (value === null || value === undefined) return null
  const plain = plainValue(value)
  return typeof plain === 'number' ? plain : showValue(value)
}
