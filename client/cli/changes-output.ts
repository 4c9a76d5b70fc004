import { countOf, formatNumber } from '../../schema/phrases.ts'
import { formatTable } from '../command-line/table.ts'
import { changeColumns, chooseChangeColumns, showSingleAmounts } from '../results/change-columns.ts'
import { formatPercent } from '../results/change-notes.ts'
import { describeComparison } from '../results/change-sentences.ts'
import type { Comparison, PlanFigures } from '../results/compare-results.ts'
import { showValue, writeCsvHeader, writeCsvLine } from '../results/csv.ts'
import type { Change } from '../results/price-changes.ts'
import { writeSentence } from '../results/sentence.ts'

/** Changes that are printed as a table if the reader does not ask for all. */
const maxShown = 20

/** Maximum length of a name in a table, in characters. */
const maxName = 32

/** Writes a comparison for people: the sentence, figures of each plan if there are several, and changes. */
export function writeComparison(comparison: Comparison, all: boolean): string {
  const { lead, notes } = describeComparison(comparison)
  const parts = [
    [lead, ...notes].map(writeSentence).join('\n'),
    ...(comparison.plans.length > 1 ? [tabulatePlans(comparison.plans)] : []),
    ...(comparison.changes.length > 0 ? [tabulateChanges(comparison.changes, all)] : []),
  ]
  return `${parts.join('\n\n')}\n`
}

function tabulatePlans(plans: readonly PlanFigures[]): string {
  const rows = plans.map((each) => [
    each.plan,
    each.median_percent === null ? null : formatPercent(each.median_percent),
    each.median_percent_of_changed === null ? null : formatPercent(each.median_percent_of_changed),
    each.changed,
    each.unchanged,
    each.added,
    each.removed,
  ])
  return formatTable(['PLAN', 'MEDIAN', 'MEDIAN OF CHANGED', 'CHANGED', 'UNCHANGED', 'ADDED', 'REMOVED'], rows)
}

function tabulateChanges(changes: readonly Change[], all: boolean): string {
  const { columns, common } = chooseChangeColumns(changes)
  const rows = changes
    .slice(0, all ? changes.length : maxShown)
    .map((change) => columns.map((column) => showCell(change, column)))
  const table = formatTable(
    columns.map((column) => column.toUpperCase()),
    rows,
  )
  const hiddenCount = changes.length - rows.length
  const more = `${formatNumber(hiddenCount)} more: --all prints them, --csv and --json print every column, --out writes Parquet`
  const shared = `All ${countOf(changes.length, 'change')} have: ${common.join(', ')}`
  const notes = [...(hiddenCount > 0 ? [more] : []), ...(changes.length > 1 && common.length > 0 ? [shared] : [])]
  return [table, ...notes].join('\n')
}

function showCell(change: Change, column: (typeof changeColumns)[number]): string | null {
  if (column === 'percent') return change.percent === null ? null : formatPercent(change.percent)
  const text = showValue(change[column])
  if (text === '') return null
  const isName = column === 'name' || column === 'provider' || column === 'service_code'
  return isName && text.length > maxName ? `${text.slice(0, maxName).trimEnd()}…` : text
}

/** Yields the lines of all changes as CSV for a spreadsheet. */
export function* writeChangesCsv({ changes }: Comparison): Generator<string> {
  // The output escapes carriage returns and byte order marks, as other controls.
  const endLine = (line: string) => line.replace(/\r\n$/, '\n')
  yield endLine(writeCsvHeader(changeColumns))
  for (const change of changes) yield endLine(writeCsvLine(changeColumns, showSingleAmounts(change)))
}

/**
 * Yields a comparison as one line of JSON in parts, because a string cannot hold millions of changes. Amounts have all
 * their digits, which a double may not have.
 */
export function* writeComparisonJson({ changes, ...figures }: Comparison): Generator<string> {
  const { lead, notes } = describeComparison(figures)
  const facts = { sentence: writeSentence(lead), notes: notes.map(writeSentence), ...figures }
  yield `${JSON.stringify(facts).slice(0, -1)},"changes":[`
  for (const [index, { old: before, new: after, ...texts }] of changes.entries())
    yield `${index === 0 ? '' : ','}${JSON.stringify(texts).slice(0, -1)},"old":[${before.join()}],"new":[${after.join()}]}`
  yield ']}\n'
}
