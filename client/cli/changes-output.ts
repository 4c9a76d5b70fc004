import { countOf, formatNumber } from '../../schema/phrases.ts'
import { formatTable } from '../command-line/table.ts'
import {
  type ChangeListing,
  chooseColumns,
  listChanges,
  listMedianChanges,
} from '../results/comparison/change-columns.ts'
import { formatPercent } from '../results/comparison/change-notes.ts'
import { type ChangeAnswer, describeComparison } from '../results/comparison/change-sentences.ts'
import type { Comparison, PlanFigures } from '../results/comparison/compare-results.ts'
import type { SummaryComparison } from '../results/comparison/compare-summaries.ts'
import { describeSummaries } from '../results/comparison/summary-sentences.ts'
import { showValue } from '../results/csv.ts'
import type { ResultRow } from '../results/result-row.ts'
import { writeSentence } from '../results/sentence.ts'

/** Changes that are printed as a table if the reader does not ask for all. */
const maxShown = 20

/** Maximum length of a name in a table, in characters. */
const maxName = 32

/** Columns with texts of any length. */
const names: readonly string[] = ['name', 'provider', 'service_code', 'additional_information', 'description']

/** A comparison as the command prints it. */
export interface PrintedComparison {
  readonly answer: ChangeAnswer
  readonly plans: readonly PlanFigures[]
  readonly listing: ChangeListing
  /** Says how to see the changes that a table leaves out. */
  readonly hint: string
  /** Everything but the changes, for JSON. */
  readonly figures: object
}

/** Prepares a comparison of rows. */
export function printPrices({ changes, ...figures }: Comparison): PrintedComparison {
  const hint = '--all prints them, --csv and --json print every column, --out writes Parquet'
  return { answer: describeComparison(figures), plans: figures.plans, listing: listChanges(changes), hint, figures }
}

/** Prepares a comparison of summaries. */
export function printSummaries(comparison: SummaryComparison): PrintedComparison {
  const { changes, ...figures } = comparison
  const answer = describeSummaries(comparison)
  const hint = '--all prints them, --csv and --json print every column'
  return { answer, plans: figures.plans, listing: listMedianChanges(changes), hint, figures }
}

/** Writes a comparison for people: the sentence, figures of each plan if there are several, and changes. */
export function writeTables({ answer, plans, listing, hint }: PrintedComparison, all: boolean): string {
  const parts = [
    [answer.lead, ...answer.notes].map(writeSentence).join('\n'),
    ...(plans.length > 1 ? [tabulatePlans(plans)] : []),
    ...(listing.rows.length > 0 ? [tabulateChanges(listing, hint, all)] : []),
  ]
  return `${parts.join('\n\n')}\n`
}

function tabulatePlans(plans: readonly PlanFigures[]): string {
  const showMedian = (percent: number | null) => (percent === null ? null : formatPercent(percent))
  const rows = plans.map((plan) => [
    plan.plan,
    showMedian(plan.median_percent),
    showMedian(plan.median_percent_of_changed),
    plan.changed,
    plan.unchanged,
    plan.added,
    plan.removed,
  ])
  return formatTable(['PLAN', 'MEDIAN', 'MEDIAN OF CHANGED', 'CHANGED', 'UNCHANGED', 'ADDED', 'REMOVED'], rows)
}

function tabulateChanges(listing: ChangeListing, hint: string, all: boolean): string {
  const { columns, common } = chooseColumns(listing)
  const count = listing.rows.length
  const rows = listing.rows.slice(0, all ? count : maxShown)
  const table = formatTable(
    columns.map((column) => column.toUpperCase()),
    rows.map((row) => columns.map((column) => showCell(row, column))),
  )
  const hiddenCount = count - rows.length
  const more = `${formatNumber(hiddenCount)} more: ${hint}`
  const shared = `All ${countOf(count, 'change')} have: ${common.join(', ')}`
  const notes = [...(hiddenCount > 0 ? [more] : []), ...(count > 1 && common.length > 0 ? [shared] : [])]
  return [table, ...notes].join('\n')
}

function showCell(row: ResultRow, column: string): string | null {
  const value = row[column]
  if (column === 'percent' && typeof value === 'number') return formatPercent(value)
  const text = showValue(value)
  if (text === '') return null
  return names.includes(column) && text.length > maxName ? `${text.slice(0, maxName).trimEnd()}…` : text
}

/**
 * Yields a comparison as one line of JSON in parts, because a string cannot hold millions of changes. Amounts have all
 * their digits, which a double may not have.
 *
 * @param changes changes whose `old` and `new` are decimals, lists of them or null
 */
export function* writeJson(
  { answer, figures }: PrintedComparison,
  changes: Iterable<{ readonly old: unknown; readonly new: unknown }>,
): Generator<string> {
  const facts = { sentence: writeSentence(answer.lead), notes: answer.notes.map(writeSentence), ...figures }
  yield `${JSON.stringify(facts).slice(0, -1)},"changes":[`
  let separator = ''
  for (const { old: before, new: after, ...texts } of changes) {
    yield `${separator}${JSON.stringify(texts).slice(0, -1)},"old":${writeAmounts(before)},"new":${writeAmounts(after)}}`
    separator = ','
  }
  yield ']}\n'
}

const writeAmounts = (value: unknown): string => (Array.isArray(value) ? `[${value.join()}]` : String(value))
