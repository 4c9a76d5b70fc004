import { useEffect, useMemo, useState } from 'preact/hooks'
import type { CompletedSearch } from '../../client/api.ts'
import { FileUrls } from '../../client/downloads/file-urls.ts'
import { ApiError, ConnectionFailed } from '../../client/errors.ts'
import { formatBytes, formatCount } from '../formats.ts'
import { ProblemBox } from '../problem.tsx'
import type { FirstRows } from './read-rows.ts'
import { readFirstRows } from './read-rows.ts'
import { RowTable } from './row-table.tsx'
import { ShardFile, UrlExpired } from './shard-file.ts'
import { StripPlot } from './strip-plot.tsx'

/** The columns that are read first; the plot needs those before `tin_value`. */
const firstColumns = [
  ...['payer', 'plan', 'billing_code_type', 'billing_code', 'name', 'negotiated_rate', 'rate_unit', 'npi'],
  ...['tin_business_name', 'tin_value', 'negotiated_type', 'billing_class', 'setting', 'billing_code_modifier'],
]

interface Props {
  readonly search: CompletedSearch
  /** Has the URLs signed anew. */
  readonly onRenew: () => Promise<CompletedSearch>
}

/** The first rows of a result, read from its files without downloading them. */
export function ResultView({ search, onRenew }: Props) {
  const [columns, setColumns] = useState<readonly string[]>(firstColumns)
  const [read, setRead] = useState<FirstRows>()
  const [error, setError] = useState<unknown>()
  const [tries, setTries] = useState(0)
  const { files, usage } = useMemo(() => openFiles(search, onRenew), [search.job_id])
  useEffect(() => {
    let isCurrent = true
    setError(undefined)
    readFirstRows(files, columns).then(
      (found) => isCurrent && setRead(found),
      (failure: unknown) => isCurrent && setError(failure),
    )
    return () => {
      isCurrent = false
    }
  }, [files, columns, tries])
  const retry = () => setTries(tries + 1)
  return (
    <section aria-labelledby="rows">
      <h2 id="rows">Rates</h2>
      {error !== undefined &&
        (error instanceof ApiError || error instanceof ConnectionFailed ? (
          <ProblemBox error={error} onRetry={retry} isReading />
        ) : (
          <div class="problem" role="alert">
            <p>{describeReading(error)}</p>
            <button type="button" onClick={retry}>
              Try again
            </button>
          </div>
        ))}
      {read === undefined && error === undefined && <p role="status">Reading the first rows …</p>}
      {read !== undefined && read.rows.length === 0 && (
        <p>No rate matches this search. The file has the columns and no row.</p>
      )}
      {read !== undefined && read.rows.length > 0 && (
        <>
          <p>
            {read.isAll
              ? `All ${formatCount(read.rows.length, 'row', 'rows')}`
              : `The first ${formatCount(read.rows.length, 'row', 'rows')}`}{' '}
            of the result, read in {formatCount(usage.requests, 'request', 'requests')} of {formatBytes(usage.bytes)}{' '}
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

/** The files of a result, whose URLs are signed anew, once for all, when one has expired. */
function openFiles({ download_urls: urls }: CompletedSearch, renew: Props['onRenew']) {
  const list = (signed: readonly string[]) => signed.map((url, index) => ({ name: String(index), url }))
  const source = new FileUrls(list(urls), async () => list((await renew()).download_urls))
  const usage = { requests: 0, bytes: 0 }
  return { files: urls.map((_, index) => new ShardFile(String(index), source, usage)), usage }
}

const describeReading = (error: unknown) =>
  error instanceof UrlExpired
    ? 'The storage refuses to send the files: they may have been deleted.'
    : 'The files could not be read. Check your connection; the downloads above may still work.'
