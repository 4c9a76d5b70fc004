import { rowPages } from '../../contract/limits.ts'
import type { Fault, RowsBody } from '../../contract/search-api.ts'
import { takeFitting } from '../../contract/take-fitting.ts'
import { showValue } from '../../contract/texts/show-value.ts'
import { trinoType } from '../../schema/columns/column.ts'
import type { ResultColumns } from '../../schema/columns/shard-schema.ts'
import { resultColumns } from '../../schema/summary/result-columns.ts'
import { orderOfRows } from '../../schema/summary/summary-columns.ts'
import type { PresentedKey } from '../access/api-key.ts'
import { Conflict, InvalidRequest } from '../errors.ts'
import type { CompletedJob, Job } from '../job/job.ts'
import type { Jobs } from '../job/ports.ts'
import { readRequest } from '../job/read-request.ts'
import { type Parameters, readLimit } from '../paging/page-query.ts'
import { adviseName } from '../search/advise-name.ts'
import { lookUpCallersJob, type ReadCallersJob } from './callers-job.ts'
import { type CountReads, countRead } from './count-read.ts'
import type { ResultRow, ResultRows } from './ports.ts'
import { describeSummary } from './search-body.ts'
import { requireOwnFiles } from './sign-shards.ts'

export interface GetRows extends ReadCallersJob, CountReads {
  readonly jobs: Pick<Jobs, 'readRequest'>
  readonly resultRows: ResultRows
}

/** Largest summary that is sorted. */
const maxSortedRows = 10_000

/** Maximum length in JSON of the rows of a summary that are sorted. */
const maxSortedLength = 16_000_000

/** Maximum length of the rows of an answer in JSON: Lambda's answers have at most 6 MB. */
const maxRowsLength = 4_000_000

/**
 * Reads up to a thousand rows of a completed job for the organization that owns it. Rows of a summary are its first in
 * the order of what they are about; those of a result are any of its rows, as its files have them.
 *
 * @param parameters the query string: `limit`, `columns`, and `format`, which the caller reads
 * @throws Unauthorized, Forbidden, NotFound
 * @throws InvalidRequest naming every fault, or if no single row fits into an answer
 * @throws Conflict if the job has not completed
 * @throws RateLimited
 */
export async function getRows(
  deps: GetRows,
  key: PresentedKey,
  jobId: string,
  parameters: Parameters,
): Promise<RowsBody> {
  const { caller, job } = await lookUpCallersJob(deps, key, jobId, 'get-rows')
  const request = await readRequest(deps, job)
  const allColumns = resultColumns(request)
  const { limit, columns } = parseQuery(parameters, allColumns)
  requireCompleted(job)
  requireOwnFiles(key, job)
  await countRead(deps, caller)
  const total = job.shards.reduce((sum, { rows }) => sum + rows, 0)
  const names = columns.map(({ name }) => name)
  const isSorted = request.summary !== undefined && total <= maxSortedRows
  const sample = isSorted
    ? await readSorted(deps, job, { names, total, order: orderOfRows(allColumns.map(({ name }) => name)) })
    : { rows: await deps.resultRows.readFirst(job.shards, names, limit, maxRowsLength), ordered: false }
  const rows = takeFitting(sample.rows.slice(0, limit), maxRowsLength)
  if (rows.length === 0 && total > 0) throw new InvalidRequest([unreadable])
  return {
    job_id: job.jobId,
    ...describeSummary(request.summary),
    columns: columns.map(({ name, type }) => ({ name, type: trinoType(type) })),
    rows,
    rows_total: total,
    truncated: rows.length < total || job.truncated === true,
    ordered: sample.ordered,
  }
}

const unreadable: Fault = {
  path: 'columns',
  message: `must be fewer: a row of these columns is more than the ${maxRowsLength / 1_000_000} MB of an answer, or takes too long to read. The files of the result have it`,
}

interface Sorting {
  /** The columns of the answer. */
  readonly names: readonly string[]
  /** Number of rows. */
  readonly total: number
  /** The columns by which rows are sorted. */
  readonly order: readonly string[]
}

/** Reads all rows of a summary and sorts them, unless they are too many bytes to read. */
async function readSorted({ resultRows }: GetRows, { shards }: CompletedJob, { names, total, order }: Sorting) {
  const sorting = order.filter((name) => !names.includes(name))
  const rows = await resultRows.readFirst(shards, [...names, ...sorting], total, maxSortedLength)
  const ordered = rows.length === total
  const sorted = ordered ? rows.toSorted(compareBy(order)) : rows
  return { rows: sorted.map((row) => Object.fromEntries(names.map((name) => [name, row[name] ?? null]))), ordered }
}

/** Compares what two rows of a summary are about: NULL first, texts by their characters, numbers by their size. */
const compareBy =
  (order: readonly string[]) =>
  (one: ResultRow, other: ResultRow): number => {
    for (const name of order) {
      const [a, b] = [sortable(one[name]), sortable(other[name])]
      if (a !== b) return a < b ? -1 : 1
    }
    return 0
  }

/**
 * Returns a value as a text that sorts like it: an NPI has at most ten digits, and the elements of a list are compared
 * one after the other.
 */
function sortable(value: ResultRow[string] | undefined): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return ` ${String(value).padStart(20, '0')}`
  return ` ${typeof value === 'string' ? value : value.map((element) => element ?? '').join('\0')}`
}

function requireCompleted(job: Job): asserts job is CompletedJob {
  if (job.status === 'completed') return
  const advice = job.status === 'failed' ? 'The search has failed' : 'The search has not completed yet'
  throw new Conflict(`${advice}: it has no rows. Its status says more.`)
}

function parseQuery(parameters: Parameters, known: ResultColumns) {
  const faults: Fault[] = []
  const limit = readLimit(parameters, rowPages, faults)
  const columns = readColumns(parameters, known, faults)
  const { format } = parameters
  if (format !== undefined && format !== 'json' && format !== 'csv')
    faults.push({ path: 'format', message: `must be json or csv; got ${showValue(format)}` })
  if (faults.length > 0) throw new InvalidRequest(faults)
  return { limit, columns }
}

function readColumns({ columns }: Parameters, known: ResultColumns, faults: Fault[]): ResultColumns {
  if (columns === undefined) return known
  const names = new Set(columns.split(',').map((name) => name.trim()))
  const columnsByName = new Map(known.map((column) => [column.name, column]))
  return [...names].flatMap((name) => {
    const column = columnsByName.get(name)
    if (column !== undefined) return column
    const advice = adviseName(name, [...columnsByName.keys()], 'columns')
    faults.push({ path: 'columns', message: `the result has no column ${showValue(name)}; ${advice}` })
    return []
  })
}
