import { useEffect, useState } from 'preact/hooks'
import type { CompletedSearch } from '../../client/api.ts'
import { formatBytes, formatCount } from '../formats.ts'
import type { FirstRows } from './read-rows.ts'
import { readFirstRows } from './read-rows.ts'
import { RowTable } from './row-table.tsx'
import { UrlExpired } from './shard-file.ts'
import { StripPlot } from './strip-plot.tsx'

/** The columns that are read first; the plot needs those before `tin_value`. */
const firstColumns = [
  ...['payer', 'plan', 'billing_code_type', 'billing_code', 'name', 'negotiated_rate', 'rate_unit', 'npi'],
  ...['tin_business_name', 'tin_value', 'negotiated_type', 'billing_class', 'setting', 'billing_code_modifier'],
]

interface Props {
  readonly search: CompletedSearch
  /** Requests fresh URLs. */
  readonly onExpired: () => void
}

/** The first rows of a result, read from its files without downloading them. */
export function ResultView({ search, onExpired }: Props) {
  const [columns, setColumns] = useState<readonly string[]>(firstColumns)
  const [read, setRead] = useState<FirstRows>()
  const [problem, setProblem] = useState<string>()
  const [tries, setTries] = useState(0)
  const { download_urls: urls } = search
  useEffect(() => {
    let isCurrent = true
    setProblem(undefined)
    readFirstRows(urls, columns).then(
      (found) => isCurrent && setRead(found),
      (error: unknown) => {
        if (!isCurrent) return
        if (error instanceof UrlExpired) onExpired()
        setProblem(
          error instanceof UrlExpired
            ? 'The links to the files have expired, or the files were deleted.'
            : 'The files could not be read. Check your connection.',
        )
      },
    )
    return () => {
      isCurrent = false
    }
  }, [search.job_id, columns, tries])
  return (
    <section aria-labelledby="rows">
      <h2 id="rows">Rates</h2>
      {problem !== undefined && (
        <div class="problem" role="alert">
          <p>{problem}</p>
          <button type="button" onClick={() => setTries(tries + 1)}>
            Try again
          </button>
        </div>
      )}
      {read === undefined && problem === undefined && <p role="status">Reading the first rows …</p>}
      {read !== undefined && read.rows.length === 0 && (
        <p>No rate matches this search. The file has the columns and no row.</p>
      )}
      {read !== undefined && read.rows.length > 0 && (
        <>
          <p>
            {read.isAll
              ? `All ${formatCount(read.rows.length, 'row', 'rows')}`
              : `The first ${formatCount(read.rows.length, 'row', 'rows')}`}{' '}
            of the result, read in {formatCount(read.requests, 'request', 'requests')} of {formatBytes(read.bytes)}{' '}
            together.
            {!read.isAll && ' What follows is about these rows only; download the files for all.'}
          </p>
          <StripPlot rows={read.rows} />
          <RowTable rows={read.rows} all={read.columns} columns={columns} onColumns={setColumns} />
        </>
      )}
    </section>
  )
}
