import { useMemo, useState } from 'preact/hooks'
import { csvStart, showValue, writeCsvHeader, writeCsvLine } from '../../client/results/csv.ts'
import { formatCount, formatNumber, nameColumn } from '../formats.ts'
import { useLinked } from '../view-link.ts'
import type { Row } from './read-rows.ts'
import { SortedHead, sortRows, useSorting } from './sorting.tsx'

interface Props {
  readonly rows: readonly Row[]
  /** All columns of the result. */
  readonly all: readonly string[]
  readonly columns: readonly string[]
  readonly onColumns: (columns: readonly string[]) => void
}

/** Rows that are shown at once, and that are sorted and filtered while somebody types. */
const [pageSize, maxRows] = [100, 20_000]

const numeric = new Set(['npi', 'negotiated_rate', 'provider_group_npi_count', 'plan_id_count'])

/** Rows as a table: columns chosen, sorted and filtered within what was read. */
export function RowTable({ rows: read, all, columns, onColumns }: Props) {
  const rows = useMemo(() => read.slice(0, maxRows), [read])
  const [filter = '', setFilter] = useLinked('filter')
  const sorting = useSorting('sort')
  const [shown, setShown] = useState(pageSize)
  const visible = columns.filter((column) => all.includes(column))
  const found = useMemo(() => {
    const text = filter.trim().toLowerCase()
    const matching = rows.filter((row) => visible.some((column) => showValue(row[column]).toLowerCase().includes(text)))
    return sortRows(matching, sorting, (row, column) => row[column])
  }, [rows, filter, sorting.column, sorting.isDescending, visible.join()])
  const toggle = (column: string) =>
    onColumns(columns.includes(column) ? columns.filter((one) => one !== column) : [...columns, column])
  return (
    <>
      <div class="controls">
        <div>
          <label for="filter">
            Filter {read.length > maxRows ? `the first ${formatNumber(maxRows)} of these rows` : 'these rows'}
          </label>
          <input
            id="filter"
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
        {formatCount(found.length, 'row', 'rows')}
        {found.length > shown && `, of which the first ${formatNumber(shown)} are shown`}
        {found.length > 0 && (
          <button type="button" class="quiet" onClick={() => saveCsv(found, visible)}>
            Save {found.length === 1 ? 'it' : 'them'} as CSV for a spreadsheet
          </button>
        )}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard. */}
      <section class="scroll" aria-label="Rows" tabIndex={0}>
        <table>
          <SortedHead columns={visible} isNumeric={(column) => numeric.has(column)} sorting={sorting} />
          <tbody>
            {found.slice(0, shown).map((row, index) => (
              <tr key={index}>
                {visible.map((column) => (
                  <td key={column} class={numeric.has(column) ? 'number' : ''}>
                    <bdi>{column === 'negotiated_rate' ? showRate(row[column]) : showValue(row[column])}</bdi>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {found.length > shown && (
        <button type="button" onClick={() => setShown(shown + pageSize)}>
          Show {formatNumber(Math.min(pageSize, found.length - shown))} more
        </button>
      )}
    </>
  )
}

/** With cents, and up to four digits if it has them. */
const showRate = (value: unknown) =>
  typeof value === 'number' ? value.toFixed(4).replace(/0{1,2}$/, '') : showValue(value)

/** Saves rows with these columns as a file. */
function saveCsv(rows: readonly Row[], columns: readonly string[]) {
  const lines = rows.map((row) => writeCsvLine(columns, row))
  const url = URL.createObjectURL(new Blob([csvStart, writeCsvHeader(columns), ...lines], { type: 'text/csv' }))
  const link = Object.assign(document.createElement('a'), { href: url, download: 'rates.csv' })
  link.click()
  URL.revokeObjectURL(url)
}
