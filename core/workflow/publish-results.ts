import { columnsKeyOf, findSchemaFault, type ResultColumns } from '../../schema/columns/shard-schema.ts'
import { resultColumns } from '../../schema/summary/result-columns.ts'
import type { NextStep, PublishStep, StepInput } from '../../schema/workflow-step.ts'
import type { Failure } from '../failure.ts'
import { attemptPrefix, end } from '../job/attempt.ts'
import { completeSearch, type EndSearch, failSearch } from '../job/end-search.ts'
import type { CompletedJob, ProcessingJob, Shard } from '../job/job.ts'
import { readRequest } from '../job/read-request.ts'
import { adviseNarrowing } from '../search/filter-words.ts'
import { isExcess } from '../search/partitions/row-limit.ts'
import { widenSpread } from '../search/partitions/spread.ts'
import type { SearchRequest } from '../search/search-request.ts'
import { findWithoutRows, type ReadColumn } from '../search/without-rows.ts'
import { mapAtOnce } from '../work-at-once.ts'
import type { Footer, ResultFiles } from './ports.ts'

export interface ResultLimits {
  /** Maximum bytes of one shard. */
  readonly shardBytes: number
  /** Maximum bytes of all shards together. */
  readonly resultBytes: number
  readonly shards: number
  /** Maximum bytes that are read to find which values have no row. */
  readonly valueBytes: number
}

export const resultLimits: ResultLimits = {
  shardBytes: 1_000_000_000,
  resultBytes: 50_000_000_000,
  shards: 1000,
  valueBytes: 32_000_000,
}

export interface PublishResults extends EndSearch {
  readonly resultFiles: ResultFiles
  /** Builds a Parquet file without rows, with the columns of every other shard of the job. */
  readonly makeEmptyShard: (columns: ResultColumns) => Uint8Array
  readonly limits: ResultLimits
}

const readsAtOnce = 20

/**
 * Completes a job with the files in its query's manifest, after checking every footer and size. Other files below the
 * attempt's prefix and files of other attempts are never served; the bucket's lifecycle deletes them. If a file is too
 * large, the query runs again and spreads its rows over more partitions.
 *
 * @returns `retry` if the query must run again
 * @throws UnfitResult if the files do not match the statement
 */
export async function publishResults(
  deps: PublishResults,
  input: StepInput & { readonly step: PublishStep },
): Promise<NextStep> {
  const job = await deps.jobs.read(input)
  if (job?.status !== 'processing' || job.run !== input.run) return end
  return publishJob(deps, job, await readRequest(deps, job), input.step)
}

/**
 * Publishes as `publishResults`, for a step that has read the job already: the job may have ended since, and then its
 * conditional writes change nothing.
 */
export async function publishJob(
  deps: PublishResults,
  job: ProcessingJob,
  request: SearchRequest,
  step: PublishStep,
): Promise<NextStep> {
  const { attempt, spread, joinOrder, searchFiles, manifest } = step
  const prefix = attemptPrefix(job, attempt)
  const written = manifest === undefined ? [] : await deps.resultFiles.readManifest(manifest)
  const foreign = written.find((key) => !key.startsWith(prefix))
  if (foreign !== undefined) throw new UnfitResult('the manifest lists a file outside its attempt')
  const keys = written.filter((key) => !isExcess(key, prefix))
  if (keys.length > deps.limits.shards)
    return refuse(deps, job, step, describeExcess(request, `more than ${deps.limits.shards} files`))
  const columns = resultColumns(request)
  const footers =
    keys.length > 0
      ? await mapAtOnce(keys, readsAtOnce, (key) => deps.resultFiles.readFooter(key))
      : [await writeEmptyShard(deps, prefix, columns)]
  requireSchemas(footers, columns)
  const { shardBytes, resultBytes } = deps.limits
  const total = footers.reduce((sum, { bytes }) => sum + bytes, 0)
  if (total > resultBytes)
    return refuse(deps, job, step, describeExcess(request, `${total} bytes; the limit is ${resultBytes}`))
  const largest = Math.max(...footers.map(({ bytes }) => bytes))
  if (largest <= shardBytes) {
    const truncated = findTruncation(request, footers, keys.length < written.length)
    return complete(deps, job, step, { request, footers, ...(truncated !== undefined && { truncated }) })
  }
  const wider = widenSpread(spread, total, shardBytes)
  if (wider === undefined)
    return refuse(deps, job, step, describeExcess(request, `a file of ${largest} bytes; the limit is ${shardBytes}`))
  await noteUnused(deps, job, step)
  const way = { ...(joinOrder && { joinOrder }), ...(searchFiles && { searchFiles }) }
  return { next: 'retry', attempt: attempt + 1, spread: wider, ...way, waitSeconds: 0 }
}

/** A result file is not what the service asked for; the client cannot fix this. */
export class UnfitResult extends Error {
  override readonly name = 'UnfitResult'
}

/** A query without rows writes no file, but readers still need a schema. */
async function writeEmptyShard(
  { resultFiles, makeEmptyShard }: PublishResults,
  prefix: string,
  columns: ResultColumns,
): Promise<Footer> {
  return resultFiles.write(`${prefix}no-rows.parquet`, makeEmptyShard(columns))
}

/** @throws UnfitResult if the schema of a file is not that of the columns */
function requireSchemas(footers: readonly Footer[], columns: ResultColumns): void {
  for (const { key, schema } of footers) {
    const fault = findSchemaFault(schema, columns)
    if (fault !== undefined) throw new UnfitResult(`the schema of ${key} differs: ${fault}`)
  }
}

/**
 * Returns if a limit has cut rows off; undefined if the search has no limit.
 *
 * @throws UnfitResult if the rows do not agree with the limit
 */
function findTruncation(
  { limit, summary }: SearchRequest,
  footers: readonly Footer[],
  hasExcess: boolean,
): boolean | undefined {
  if (summary?.first !== undefined) return hasExcess
  if (limit === undefined && !hasExcess) return undefined
  const rows = footers.reduce((sum, footer) => sum + footer.rows, 0)
  if (limit === undefined || rows > limit || (hasExcess && rows < limit))
    throw new UnfitResult(`${rows} rows${hasExcess ? ' and more' : ''} do not agree with the limit ${limit}`)
  return hasExcess
}

/** Records an attempt whose files are not published. */
async function noteUnused(deps: PublishResults, job: ProcessingJob, step: PublishStep): Promise<void> {
  const { attempt } = step
  await deps.jobs.noteAttempt(job, { attempt, outcome: 'succeeded', ...scannedBy(step) }, deps.now())
}

const scannedBy = ({ bytesScanned }: PublishStep) => (bytesScanned === undefined ? {} : { bytesScanned })

const describeExcess = (request: SearchRequest, excess: string): Failure => ({
  word: 'result_too_large',
  sentence: `The result has ${excess}. ${adviseNarrowing(request)}`,
})

async function refuse(
  deps: PublishResults,
  job: ProcessingJob,
  step: PublishStep,
  failure: Failure,
): Promise<NextStep> {
  await noteUnused(deps, job, step)
  await failSearch(deps, job, failure)
  return end
}

/**
 * Reads columns as long as the limit of bytes allows. A chunk of rows without any value is a fault, so it gives no
 * answer.
 */
function openColumns({ limits }: PublishResults, footers: readonly Footer[]): ReadColumn {
  let remainingBytes = limits.valueBytes
  return async (column) => {
    const withRows = footers.filter(({ rows }) => rows > 0)
    const chunks = withRows.flatMap((footer) => footer.chunks.filter((chunk) => chunk.column === column))
    remainingBytes -= chunks.reduce((sum, { bytes }) => sum + bytes, 0)
    if (remainingBytes < 0 || chunks.length < withRows.length) return undefined
    const sets = await mapAtOnce(chunks, readsAtOnce, (chunk) => chunk.read())
    const decoded = sets.filter((set) => set !== undefined).filter(({ size }) => size > 0)
    return decoded.length === sets.length ? new Set(decoded.flatMap((set) => [...set])) : undefined
  }
}

/** The files of a result, and what is known about its rows. */
interface Result extends Pick<CompletedJob, 'truncated'> {
  readonly request: SearchRequest
  readonly footers: readonly Footer[]
}

async function complete(
  deps: PublishResults,
  job: ProcessingJob,
  step: PublishStep,
  { request, footers, truncated }: Result,
): Promise<NextStep> {
  const completedAt = deps.now()
  const shards: Shard[] = footers.map(({ key, bytes, rows, checksum }) => ({
    key,
    bytes,
    rows,
    ...(checksum && { checksum }),
  }))
  const { orgId, jobId, run, createdAt, requestHash, summary } = job
  // Values of a list may have rows among those that were cut off.
  const withoutRows = truncated ? undefined : await findWithoutRows(request, openColumns(deps, footers))
  await completeSearch(deps, {
    orgId,
    jobId,
    run,
    createdAt,
    requestHash,
    ...(summary && { summary }),
    status: 'completed',
    completedAt,
    attempt: step.attempt,
    ...scannedBy(step),
    columnsKey: columnsKeyOf(resultColumns(request)),
    ...(withoutRows && { withoutRows }),
    ...(truncated !== undefined && { truncated }),
    shards,
  })
  return end
}
