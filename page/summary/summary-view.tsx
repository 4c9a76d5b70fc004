import { useEffect, useMemo, useState } from 'preact/hooks'
import type { AppliedSummary } from '../../client/api.ts'
import type { ShardFile } from '../../client/results/shard-file.ts'
import { chooseSummaryColumns, sortSummary } from '../../client/results/summary-rows.ts'
import { countOf } from '../../schema/phrases.ts'
import { useLinked } from '../address/view-link.ts'
import { nameColumn } from '../display/formats.ts'
import { assignHues } from '../display/plan-hues.ts'
import { HuesContext } from '../display/plan-swatch.tsx'
import { RowTable } from '../result/row-table.tsx'
import { ProblemBox } from '../service/problem.tsx'
import { type ReadRows, readRows } from '../service/read-rows.ts'
import { planOf } from '../statistics/rate-groups.ts'
import { countedOnce, thingNames } from '../statistics/weights.ts'
import { SummaryPlot } from './summary-plot.tsx'

/** The columns that come first, because a screen has room for few: the median must be among them, after its unit. */
const firstColumns = [
  ...['plan', 'billing_code', 'billing_code_modifier', 'place_of_service', 'negotiated_type', 'rate_unit'],
  ...['median', 'p25', 'p75', 'value_count'],
]

const orderColumns = (columns: readonly string[]): readonly string[] => [
  ...firstColumns.filter((column) => columns.includes(column)),
  ...columns.filter((column) => !firstColumns.includes(column)),
]

interface Props {
  readonly files: readonly ShardFile[]
  readonly summary: AppliedSummary
}

/** The statistics of a summary, which are read from its files. */
export function SummaryView({ files, summary }: Props) {
  const [chosen, setChosen] = useLinked('columns')
  const [read, setRead] = useState<ReadRows>()
  const [error, setError] = useState<unknown>()
  const [tries, setTries] = useState(0)
  useEffect(() => {
    let isCurrent = true
    setError(undefined)
    readRows(files, 'all').then(
      (result) => isCurrent && setRead(result),
      (failure: unknown) => isCurrent && setError(failure),
    )
    return () => {
      isCurrent = false
    }
  }, [files, tries])
  const rows = useMemo(() => sortSummary(read?.rows ?? [], read?.columns ?? []), [read])
  const shown = useMemo(() => chooseSummaryColumns(rows, read?.columns ?? []), [rows])
  const hues = useMemo(() => assignHues(rows.map(planOf)), [rows])
  return (
    <section aria-labelledby="rows">
      <h2 id="rows">Statistics</h2>
      {error !== undefined && <ProblemBox error={error} onRetry={() => setTries(tries + 1)} isReading />}
      {error === undefined && read === undefined && <p role="status">Reading the statistics …</p>}
      {read !== undefined && (
        <p>
          {describeRead(read)} Counted by {thingNames[summary.weight]}: {countedOnce[summary.weight]}.{' '}
          {summary.include_doubtful
            ? 'Doubtful prices count, too.'
            : 'Doubtful prices are left out; “Left out count” has their number in each row, counted alike.'}{' '}
          {shown.common.length > 0 && `All rows have ${shown.common.map(nameValue).join(', ')}.`} Rows over places,
          states and networks overlap: never add them up.
        </p>
      )}
      {read !== undefined && rows.length > 0 && (
        <HuesContext.Provider value={hues}>
          <SummaryPlot rows={rows} />
          <RowTable
            nouns={['row', 'rows']}
            rows={rows}
            all={read.columns}
            columns={chosen?.split(',') ?? orderColumns(shown.columns)}
            onColumns={(next) => setChosen(next.join())}
          />
        </HuesContext.Provider>
      )}
    </section>
  )
}

/** Writes a column and its value, such as `rate_unit usd`, as people read them. */
const nameValue = (text: string) => text.replace(/^\w+/, (column) => nameColumn(column).toLowerCase())

function describeRead({ rows, isAll }: ReadRows): string {
  if (rows.length === 0) return 'No price matches this search.'
  const count = countOf(rows.length, 'row')
  return isAll ? `All ${count} of the result.` : `The first ${count}: download the files for the others.`
}
