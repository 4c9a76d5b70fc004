import type { ComponentChildren } from 'preact'
import { columnMeanings } from '../../client/results/column-meanings.ts'
import { compareTexts } from '../../client/results/compare-texts.ts'
import { showValue } from '../../client/results/csv.ts'
import { compareDecimals, Decimal } from '../../parquet/decimal.ts'
import { useLinked } from '../address/view-link.ts'
import { nameColumn } from '../display/formats.ts'

interface Sorting {
  readonly column: string
  readonly isDescending: boolean
  readonly onSort: (column: string) => void
}

/** By which column a table is sorted, which its link remembers under `name`; the same column again turns the order. */
export function useSorting(name: string, initial = ''): Sorting {
  const [wanted = initial, setWanted] = useLinked(name)
  const isDescending = wanted.startsWith('-')
  const column = wanted.replace(/^-/, '')
  return { column, isDescending, onSort: (next) => setWanted(next === column && !isDescending ? `-${next}` : next) }
}

/** The arrows beside the head of a column, by its order. */
const arrows = { none: '', ascending: '↑', descending: '↓' } as const

function orderOf(column: string, { column: sorted, isDescending }: Sorting): keyof typeof arrows {
  if (sorted !== column) return 'none'
  return isDescending ? 'descending' : 'ascending'
}

interface TableProps<Row> {
  readonly label: string
  readonly columns: readonly string[]
  readonly isNumeric: (column: string) => boolean
  readonly sorting: Sorting
  readonly rows: readonly Row[]
  readonly show: (row: Row, column: string) => ComponentChildren
  /** True for a column that a narrow screen has no room for. @default - every column is shown */
  readonly isMinor?: (column: string) => boolean
  /** Lets the reader choose a row. @default - none can be chosen */
  readonly choice?: RowChoice<Row> | undefined
}

interface RowChoice<Row> {
  /** Names the column of the choice. */
  readonly head: string
  readonly nameRow: (row: Row) => string
  readonly isChosen: (row: Row) => boolean
  /** True for rows that belong to the chosen one. */
  readonly belongsToChosen: (row: Row) => boolean
  readonly choose: (row: Row) => void
  /** Says what is offered for a row: to choose it, to plot it, or nothing. */
  readonly offer: (row: Row) => 'choice' | 'plot' | 'nothing'
}

/** A table that scrolls, whose heads sort it and say what their columns mean. */
export function SortedTable<Row>({ label, columns, isNumeric, isMinor, sorting, rows, show, choice }: TableProps<Row>) {
  const classOf = (column: string) =>
    [...(isNumeric(column) ? ['number'] : []), ...(isMinor?.(column) ? ['minor'] : [])].join(' ')
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard.
    <section class="scroll" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {choice && (
              <th scope="col">
                <span class="hidden">{choice.head}</span>
              </th>
            )}
            {columns.map((column) => (
              <th
                key={column}
                scope="col"
                title={[column, columnMeanings[column]].filter(Boolean).join(': ')}
                class={classOf(column)}
                aria-sort={orderOf(column, sorting)}
              >
                <SortButton column={column} sorting={sorting} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index} class={choice?.belongsToChosen(row) ? 'chosen-row' : ''}>
              {choice && (
                <td class="choice">
                  <Choice label={label} choice={choice} row={row} />
                </td>
              )}
              {columns.map((column) => (
                <td key={column} class={classOf(column)}>
                  <bdi>{show(row, column)}</bdi>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

interface ChoiceProps<Row> {
  readonly label: string
  readonly choice: RowChoice<Row>
  readonly row: Row
}

/** Chooses a row whose dot the plot shows, or moves the plot to the dot of another row. */
function Choice<Row>({ label, choice, row }: ChoiceProps<Row>) {
  const offer = choice.offer(row)
  if (offer === 'nothing') return null
  if (offer === 'plot')
    return (
      <button type="button" class="quiet inline" title="Move the plot to this row" onClick={() => choice.choose(row)}>
        Plot<span class="hidden"> {choice.nameRow(row)}</span>
      </button>
    )
  return (
    <input
      type="radio"
      name={label}
      aria-label={`${choice.head}: ${choice.nameRow(row)}`}
      checked={choice.isChosen(row)}
      onChange={() => choice.choose(row)}
    />
  )
}

/** The head of a column, which sorts by it. Its arrow has a room of its own: the head stays in line with digits. */
const SortButton = ({ column, sorting }: { readonly column: string; readonly sorting: Sorting }) => (
  <button type="button" class="quiet" onClick={() => sorting.onSort(column)}>
    {nameColumn(column)}
    <span class="arrow" aria-hidden="true">
      {arrows[orderOf(column, sorting)]}
    </span>
  </button>
)

/** The rows by a column's values. Rows without a value come last in ascending order. */
export function sortRows<Row>(
  rows: readonly Row[],
  { column, isDescending }: Sorting,
  cellOf: (row: Row, column: string) => unknown,
): readonly Row[] {
  if (column === '') return rows
  const sign = isDescending ? -1 : 1
  return rows.toSorted((a, b) => sign * compare(cellOf(a, column), cellOf(b, column)))
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (a instanceof Decimal && b instanceof Decimal) return compareDecimals(a, b)
  const [one, other] = [showValue(a), showValue(b)]
  if (one === other) return 0
  if (one === '') return 1
  if (other === '') return -1
  return compareTexts(one, other)
}
