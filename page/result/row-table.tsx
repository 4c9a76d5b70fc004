import { useMemo, useState } from 'preact/hooks'
import { formatPercent } from '../../client/results/comparison/change-notes.ts'
import { csvStart, showValue, writeCsvHeader, writeCsvLine, writePlainCsvLine } from '../../client/results/csv.ts'
import type { ResultRow } from '../../client/results/result-row.ts'
import { Decimal } from '../../parquet/decimal.ts'
import { countOf, formatNumber } from '../../schema/phrases.ts'
import { percentiles } from '../../schema/summary/percentiles.ts'
import { useLinked } from '../address/view-link.ts'
import { nameColumn } from '../display/formats.ts'
import { PlanSwatch } from '../display/plan-swatch.tsx'
import { saveBlob, useFileName } from '../display/saved-files.ts'
import { keyOfRow, type RowLink } from '../plot/chosen-row.ts'
import type { PlottedRows } from '../plot/plotted-rows.ts'
import { planOf } from '../statistics/rate-groups.ts'
import { SortedTable, sortRows, useSorting } from './sorting.tsx'

interface Props {
  /** The noun for one row, and for several, by which the link and the file of the table are named. */
  readonly nouns: readonly [one: string, several: string]
  readonly rows: readonly ResultRow[]
  /** All columns of the result. */
  readonly all: readonly string[]
  readonly columns: readonly string[]
  readonly onColumns: (columns: readonly string[]) => void
  /** The link to the plot of the rows. @default - none */
  readonly link?: RowLink | undefined
  /** The rows that have a dot in the plot. @default - none */
  readonly plotted?: PlottedRows | undefined
  /** True if the table has only rows of the plot. @default - all rows of the result */
  readonly isOfPlot?: boolean
}

/** Rows that are shown at once, and that are sorted and filtered while somebody types. */
const [pageSize, maxRows] = [100, 20_000]

const statistics = ['minimum', ...percentiles.map(({ column }) => column), 'maximum']
/** The column by which the rows of a plot are sorted at first. */
const rateColumn = 'negotiated_rate'

const amounts = new Set([rateColumn, 'old', 'new', ...statistics])
const numeric = /^(npi|percent|\w+_count)$/

/** Rows as a table: columns chosen, sorted and filtered within what was read. */
export function RowTable({ nouns, rows: read, all, columns, onColumns, link, plotted, isOfPlot = false }: Props) {
  const rows = useMemo(() => read.slice(0, maxRows), [read])
  const [, several] = nouns
  const [filter = '', setFilter] = useLinked(`${several}-filter`)
  const [only, setOnly] = useLinked('only')
  const isOnlyChosen = link?.key !== undefined && only !== undefined
  const nameFile = useFileName()
  const sorting = useSorting(`${several}-sort`, isOfPlot ? rateColumn : '')
  const ofPlot = isOfPlot ? ' of the plot' : ''
  const content = nameContent(several, isOnlyChosen, isOfPlot)
  const [shown, setShown] = useState(pageSize)
  const visible = columns.filter((column) => all.includes(column))
  const filtered = useMemo(() => {
    const words = filter.toLowerCase().match(/\S+/g) ?? []
    const matches = (row: ResultRow) => {
      const text = visible.map((column) => showValue(row[column]).toLowerCase()).join('\n')
      return words.every((word) => text.includes(word))
    }
    const offered = isOnlyChosen ? rows.filter(link.isChosen) : rows
    const matching = words.length === 0 ? offered : offered.filter(matches)
    return sortRows(matching, sorting, (row, column) => row[column])
  }, [rows, filter, isOnlyChosen, link?.isChosen, sorting.column, sorting.isDescending, visible.join()])
  const toggle = (column: string) =>
    onColumns(columns.includes(column) ? columns.filter((one) => one !== column) : [...columns, column])
  return (
    <>
      <div class="controls">
        <div>
          <label for={`${several}-filter`}>
            Filter {read.length > maxRows && `the first ${formatNumber(maxRows)} of `}these {several}
          </label>
          <input
            id={`${several}-filter`}
            value={filter}
            autocomplete="off"
            onInput={({ currentTarget }) => setFilter(currentTarget.value || undefined)}
          />
        </div>
        <details>
          <summary>
            Columns ({visible.length} of {all.length})
          </summary>
          <div class="column-list">
            {all.map((column) => (
              <label key={column}>
                <input type="checkbox" checked={columns.includes(column)} onChange={() => toggle(column)} />{' '}
                {nameColumn(column)}
              </label>
            ))}
          </div>
        </details>
      </div>
      <p class="read" role="status">
        {filtered.length === 0 && filter !== '' && rows.length > 0
          ? `No ${nouns[0]}${ofPlot} has all of these words in the columns shown. Leave some out, or show more columns.`
          : countOf(filtered.length, ...nouns)}
        {filtered.length > shown && `; the first ${formatNumber(shown)} are shown`}
      </p>
      {isOnlyChosen && (
        <p class="read">
          Only rows of the price that is chosen in the plot.
          <button type="button" class="quiet inline" onClick={() => setOnly(undefined)}>
            Show all {several}
            {ofPlot}
          </button>
        </p>
      )}
      {filtered.length > 0 && (
        <p class="actions save">
          Save {filtered.length === 1 ? 'it' : 'them'}
          {isOfPlot && ', of the plot only,'} as
          <button
            type="button"
            class="quiet inline"
            title="Ids and codes stay text, with their zeros"
            onClick={() => saveFile(nameFile(content, 'csv'), writeSpreadsheet(filtered, visible))}
          >
            CSV for spreadsheets
          </button>
          <button
            type="button"
            class="quiet inline"
            title="Values as they are, for programs"
            onClick={() => saveFile(nameFile(`${content}-plain`, 'csv'), writePlain(filtered, visible))}
          >
            plain CSV
          </button>
        </p>
      )}
      <SortedTable
        label={nameColumn(several)}
        columns={visible}
        isNumeric={(column) => amounts.has(column) || numeric.test(column)}
        sorting={sorting}
        rows={filtered.slice(0, shown)}
        choice={
          link && {
            head: 'In the plot',
            nameRow: (row) => [showRate(row['negotiated_rate']), row['plan'], row['npi']].map(showValue).join(', '),
            isChosen: (row) => keyOfRow(row) === link.key,
            belongsToChosen: link.isChosen,
            choose: link.choose,
            offer: (row) => findOffer(row, plotted),
          }
        }
        show={(row, column) => (
          <>
            {column === 'plan' && <PlanSwatch {...planOf(row)} />}
            {showCell(column, row[column])}
          </>
        )}
      />
      {filtered.length > shown && (
        <button type="button" onClick={() => setShown(shown + pageSize)}>
          Show {formatNumber(Math.min(pageSize, filtered.length - shown))} more
        </button>
      )}
    </>
  )
}

/** Names what a saved file holds: the rows of a chosen price, of the plot, or of the result. */
function nameContent(several: string, isOnlyChosen: boolean, isOfPlot: boolean): string {
  if (isOnlyChosen) return `chosen-${several}`
  return isOfPlot ? `plot-${several}` : several
}

function findOffer(row: ResultRow, plotted: PlottedRows | undefined) {
  if (plotted === undefined || plotted.has(row)) return 'choice'
  return plotted.canPlot(row) ? 'plot' : 'nothing'
}

function showCell(column: string, value: unknown): string {
  if (column === 'percent' && typeof value === 'number') return formatPercent(value)
  return amounts.has(column) ? showRate(value) : showValue(value)
}

/** With cents, and up to four digits if it has them. */
function showRate(value: unknown): string {
  if (!(value instanceof Decimal)) return showValue(value)
  const [whole = '', fraction = ''] = String(value).split('.')
  return `${whole}.${fraction.padEnd(2, '0')}`
}

type Lines = readonly string[]

const writeSpreadsheet = (rows: readonly ResultRow[], columns: readonly string[]): Lines => [
  csvStart,
  writeCsvHeader(columns),
  ...rows.map((row) => writeCsvLine(columns, row)),
]

const writePlain = (rows: readonly ResultRow[], columns: readonly string[]): Lines => [
  writePlainCsvLine(columns, Object.fromEntries(columns.map((column) => [column, column]))),
  ...rows.map((row) => writePlainCsvLine(columns, row)),
]

/** Saves lines of CSV as a file. */
const saveFile = (name: string, lines: Lines) => saveBlob(name, new Blob([...lines], { type: 'text/csv' }))
