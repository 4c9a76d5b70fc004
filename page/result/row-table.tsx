import { useMemo, useState } from 'preact/hooks'
import { formatCount, formatNumber } from '../formats.ts'
import { showValue } from './rate-groups.ts'
import type { Row } from './read-rows.ts'

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
  const [filter, setFilter] = useState('')
  const [sort, setSort] = useState({ column: '', isDescending: false })
  const [shown, setShown] = useState(pageSize)
  const visible = columns.filter((column) => all.includes(column))
  const found = useMemo(() => {
    const text = filter.trim().toLowerCase()
    const matching = rows.filter((row) => visible.some((column) => showValue(row[column]).toLowerCase().includes(text)))
    if (sort.column === '') return matching
    const sign = sort.isDescending ? -1 : 1
    return [...matching].sort((a, b) => sign * compare(a[sort.column], b[sort.column]))
  }, [rows, filter, sort, visible.join()])
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
            onInput={({ currentTarget }) => setFilter(currentTarget.value)}
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
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard. */}
      <section class="scroll" aria-label="Rows" tabIndex={0}>
        <table>
          <thead>
            <tr>
              {visible.map((column) => (
                <th
                  key={column}
                  scope="col"
                  title={column}
                  class={numeric.has(column) ? 'number' : ''}
                  aria-sort={sort.column !== column ? 'none' : sort.isDescending ? 'descending' : 'ascending'}
                >
                  <button
                    type="button"
                    class="quiet"
                    onClick={() => setSort({ column, isDescending: sort.column === column && !sort.isDescending })}
                  >
                    {nameColumn(column)}
                    <span aria-hidden="true">{sort.column !== column ? '' : sort.isDescending ? ' ↓' : ' ↑'}</span>
                  </button>
                </th>
              ))}
            </tr>
          </thead>
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

/** A column's name as people read it. */
function nameColumn(column: string): string {
  const words = column.replaceAll('_', ' ').replace(/\b(?:npi|tin)\b/g, (word) => word.toUpperCase())
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** With cents, and up to four digits if it has them. */
const showRate = (value: unknown) =>
  typeof value === 'number' ? value.toFixed(4).replace(/0{1,2}$/, '') : showValue(value)

/** NULLs come last in ascending order. */
function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  const [one, other] = [showValue(a), showValue(b)]
  if (one === '' || other === '') return one === other ? 0 : one === '' ? 1 : -1
  return one.localeCompare(other, 'en', { numeric: true })
}
