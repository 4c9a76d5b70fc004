import { useMemo } from 'preact/hooks'
import type { ReadRows } from '../parquet/read-rows.ts'
import { useLinked } from '../view-link.ts'
import type { RowLink } from './plot/chosen-row.ts'
import { mergePrices } from './rate-groups.ts'
import { RowTable } from './row-table.tsx'

interface Props {
  readonly read: ReadRows
  /** Says which rows they are. */
  readonly description: string
  /** True if the rows have all facts of their prices. */
  readonly isPriced: boolean
  readonly columns: readonly string[]
  readonly onColumns: (columns: readonly string[]) => void
  /** The link to the plot, if there is one. */
  readonly link?: RowLink | undefined
}

/** The rows of a result, or on request one for each price. */
export function Rates({ read, description, isPriced, columns, onColumns, link }: Props) {
  const [grouping, setGrouping] = useLinked('rows')
  const { rows: found, isAll, columns: all } = read
  const isByPrice = isAll && grouping !== undefined
  const rows = useMemo(() => (isByPrice ? mergePrices(found) : found), [read, isByPrice])
  return (
    <section aria-labelledby="rows">
      <h2 id="rows">Rates</h2>
      {link && <p>{description} Choose a row to see its dot in the plot, and a dot to see its rows.</p>}
      {isAll && isPriced && (
        <label>
          <input
            type="checkbox"
            checked={isByPrice}
            onChange={({ currentTarget }) => setGrouping(currentTarget.checked ? 'prices' : undefined)}
          />{' '}
          One row for each price, with all who have it
        </label>
      )}
      <RowTable nouns={['row', 'rows']} rows={rows} all={all} columns={columns} onColumns={onColumns} link={link} />
    </section>
  )
}
