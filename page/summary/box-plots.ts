import { type Amount, exactAmount } from '../../client/results/amounts.ts'
import { showValue } from '../../client/results/csv.ts'
import { describePlace } from '../../client/results/places-of-service.ts'
import type { ResultRow } from '../../client/results/result-row.ts'
import { at } from '../../schema/at.ts'
import { columnsByDimension, placeColumn } from '../../schema/summary/summary-columns.ts'
import { nameClass } from '../display/billing-classes.ts'
import { nameColumn } from '../display/formats.ts'
import { listCommon, planOf, termsOf } from '../statistics/rate-groups.ts'

/** The values of a row of a summary, as a box plot shows them. For few values, some percentiles are not given. */
export interface BoxPlot {
  readonly payer: string
  readonly plan: string
  /** Terms, place and dimensions, as people read them. */
  readonly about: readonly string[]
  readonly valueCount: number
  readonly minimum: Amount
  readonly p10: Amount | undefined
  readonly p25: Amount | undefined
  readonly median: Amount
  readonly p75: Amount | undefined
  readonly p90: Amount | undefined
  readonly maximum: Amount
}

/** The box plots of one code with the same class, modifiers and unit, which share an axis. */
export interface BoxPlotPanel {
  /** Names the code, class and modifiers, such as "CPT 73721, professional, modifier 26". */
  readonly code: string
  readonly unit: string
  readonly boxPlots: readonly BoxPlot[]
}

/** The rows of a summary as they are drawn. */
export interface BoxPlotPanels {
  readonly panels: readonly BoxPlotPanel[]
  readonly drawn: number
  /** Rows that are not drawn because the plot would be too long. */
  readonly further: number
  /** Rows without any amount: all their values are left out as doubtful. */
  readonly withoutAmount: number
}

/** More strips would be read by nobody. */
const maxStrips = 40

const codeColumns = ['billing_code_type', 'billing_code', 'name']

/** The columns in which the rows of a panel agree. */
const panelColumns = [...codeColumns, 'billing_class', 'billing_code_modifier', 'rate_unit']

/** A row of a summary that has amounts. */
interface PlottedRow {
  readonly row: ResultRow
  readonly boxPlot: BoxPlot
}

/**
 * Arranges the rows of a summary in panels. Rows in different units are never in one panel. Codes are in the order of
 * their rows; of the panels of a code the one with the most values comes first, because a reader looks for it.
 *
 * @param rows from a result, or from an answer that has only some of the columns
 */
export function arrangeBoxPlots(rows: readonly ResultRow[]): BoxPlotPanels {
  const plottedRows = rows.flatMap((row): readonly PlottedRow[] => {
    const boxPlot = readBoxPlot(row)
    return boxPlot === undefined ? [] : [{ row, boxPlot }]
  })
  // Grouped before they are counted, so that no panel is cut by one that begins later.
  const ordered = groupRows(plottedRows, codeColumns).flatMap((ofCode) =>
    groupRows(ofCode, panelColumns)
      .toSorted((one, other) => countValues(other) - countValues(one))
      .flat(),
  )
  return {
    panels: groupRows(ordered.slice(0, maxStrips), panelColumns).map((members) => ({
      ...describePanel(at(members, 0).row),
      boxPlots: members.map(({ boxPlot }) => boxPlot),
    })),
    drawn: Math.min(ordered.length, maxStrips),
    further: Math.max(0, ordered.length - maxStrips),
    withoutAmount: rows.length - plottedRows.length,
  }
}

/** Groups rows by what they have in the given columns, in the order of their first rows. */
function groupRows(rows: readonly PlottedRow[], columns: readonly string[]): readonly (readonly PlottedRow[])[] {
  const keyOf = ({ row }: PlottedRow) => columns.map((column) => showValue(row[column])).join('\n')
  return [...Map.groupBy(rows, keyOf).values()]
}

const countValues = (rows: readonly PlottedRow[]) => rows.reduce((sum, { boxPlot }) => sum + boxPlot.valueCount, 0)

function describePanel(row: ResultRow): Pick<BoxPlotPanel, 'code' | 'unit'> {
  const codeTexts = codeColumns.map((column) => showValue(row[column]))
  const modifier = showValue(row['billing_code_modifier'])
  const billingClass = showValue(row['billing_class'])
  const className = billingClass && nameClass(billingClass).toLowerCase()
  const parts = [codeTexts.filter(Boolean).join(' '), className, modifier && `modifier ${modifier}`]
  return { code: parts.filter(Boolean).join(', '), unit: showValue(row['rate_unit']) }
}

function readBoxPlot(row: ResultRow): BoxPlot | undefined {
  const [minimum, median, maximum] = ['minimum', 'median', 'maximum'].map((column) => readAmount(row, column))
  if (minimum === undefined || median === undefined || maximum === undefined) return undefined
  return {
    ...planOf(row),
    about: describeRow(row),
    valueCount: Number(row['value_count']),
    minimum,
    p10: readAmount(row, 'p10'),
    p25: readAmount(row, 'p25'),
    median,
    p75: readAmount(row, 'p75'),
    p90: readAmount(row, 'p90'),
    maximum,
  }
}

function readAmount(row: ResultRow, column: string): Amount | undefined {
  const amount = row[column]
  return amount === null || amount === undefined ? undefined : exactAmount(showValue(amount))
}

/** The columns of all dimensions. */
const dimensionColumns = columnsByDimension.flatMap(({ columns }) => columns.map(({ name }) => name))

/** Names the place, the terms and the dimensions of a row. */
function describeRow(row: ResultRow): readonly string[] {
  const place = showValue(row[placeColumn.name])
  const dimensions = dimensionColumns.flatMap((column) => {
    const text = showValue(row[column])
    return text === '' ? [] : [`${nameColumn(column)} ${text}`]
  })
  return [...(place === '' ? [] : [describePlace(place)]), ...termsOf(row), ...dimensions]
}

/** Returns what all box plots of a panel have in common, which no strip repeats. */
export const listShared = (boxPlots: readonly BoxPlot[]): readonly string[] =>
  listCommon(boxPlots.map(({ about }) => about))

/**
 * Returns amounts whose quartiles are those of a box plot, ascending: quartiles tell a scale what lies far from all
 * others. With the outer percentiles there are nine amounts, so each quartile stands twice.
 */
export const listAmounts = (boxPlot: BoxPlot): readonly number[] => listExact(boxPlot).map(Number)

function listExact({ minimum, p10, p25, median, p75, p90, maximum }: BoxPlot): readonly Amount[] {
  if (p25 === undefined || p75 === undefined) return [minimum, median, maximum]
  if (p10 === undefined || p90 === undefined) return [minimum, p25, median, p75, maximum]
  return [minimum, p10, p25, p25, median, p75, p75, p90, maximum]
}
