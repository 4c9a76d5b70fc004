import { useMemo } from 'preact/hooks'
import { countOf } from '../../schema/phrases.ts'
import { useLinked } from '../address/view-link.ts'
import type { RowLink } from '../plot/chosen-row.ts'
import type { PlottedRows } from '../plot/plotted-rows.ts'
import type { ReadRows } from '../service/read-rows.ts'
import { mergePrices } from '../statistics/rate-groups.ts'
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
  /** The rows that have a dot in the plot, if there is one. */
  readonly plotted?: PlottedRows | undefined
}

/** The rows of the prices in the plot, or on request all of the result; on request one row for each price. */
export function Rates({ read, description, isPriced, columns, onColumns, link, plotted }: Props) {
  const [grouping, setGrouping] = useLinked('rows')
  const { rows: found, isAll, columns: all } = read
  const isByPrice = isAll && grouping !== undefined
  const [table, setTable] = useLinked('table')
  const hasMore = plotted !== undefined && plotted.rows.length < found.length
  const isOfPlot = hasMore && table !== 'all'
  const members = isOfPlot ? plotted.rows : found
  const rows = useMemo(() => (isByPrice ? mergePrices(members) : members), [members, isByPrice])
  return (
    <section aria-labelledby="rows">
      <h2 id="rows">Rates</h2>
      {link && (
        <p>
          {description}
          {isOfPlot &&
            ` The table has the ${countOf(plotted.rows.length, 'row')} of the ${countOf(plotted.prices, 'price')} in the plot.`}{' '}
          Choose a row to see its dot, and a dot to see its rows.
        </p>
      )}
      {hasMore && (
        <p>
          <button type="button" onClick={() => setTable(isOfPlot ? 'all' : undefined)}>
            {isOfPlot ? `Show all ${countOf(found.length, 'row')}` : 'Show the rows of the plot'}
          </button>
        </p>
      )}
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
      <RowTable
        nouns={['row', 'rows']}
        rows={rows}
        all={all}
        columns={columns}
        onColumns={onColumns}
        link={link}
        plotted={plotted}
        isOfPlot={isOfPlot}
      />
    </section>
  )
}
