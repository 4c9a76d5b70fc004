import { columnMeanings } from '../../client/results/column-meanings.ts'
import { showValue } from '../../client/results/csv.ts'
import { compareDecimals, Decimal } from '../../parquet/decimal.ts'
import { nameColumn } from '../formats.ts'
import { useLinked } from '../view-link.ts'

export interface Sorting {
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

interface TableProps<Row> {
  readonly label: string
  readonly columns: readonly string[]
  readonly isNumeric: (column: string) => boolean
  readonly sorting: Sorting
  readonly rows: readonly Row[]
  readonly show: (row: Row, column: string) => string
}

/** A table that scrolls, whose heads sort it and say what their columns mean. */
export function SortedTable<Row>({ label, columns, isNumeric, sorting, rows, show }: TableProps<Row>) {
  const { column: sorted, isDescending, onSort } = sorting
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard.
    <section class="scroll" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th
                key={column}
                scope="col"
                title={[column, columnMeanings[column]].filter(Boolean).join(': ')}
                class={isNumeric(column) ? 'number' : ''}
                aria-sort={sorted !== column ? 'none' : isDescending ? 'descending' : 'ascending'}
              >
                <button type="button" class="quiet" onClick={() => onSort(column)}>
                  {nameColumn(column)}
                  <span aria-hidden="true">{sorted !== column ? '' : isDescending ? ' ↓' : ' ↑'}</span>
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {columns.map((column) => (
                <td key={column} class={isNumeric(column) ? 'number' : ''}>
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
  if (one === '' || other === '') return one === other ? 0 : one === '' ? 1 : -1
  return one.localeCompare(other, 'en', { numeric: true })
}
