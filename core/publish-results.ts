import { attemptPrefix } from './attempt.ts'
import type { EndSearch } from './end-search.ts'
import { failSearch } from './end-search.ts'
import type { Failure } from './failure.ts'
import type { ProcessingJob, Shard } from './job.ts'
import { adviseNarrowing } from './narrow-search.ts'
import type { Footer, ResultFiles } from './ports.ts'
import { retainUntil } from './retention.ts'
import { findSchemaFault } from './shard-schema.ts'
import { widenSpread } from './spread.ts'
import type { NextStep, PublishStep, StepInput } from './workflow-step.ts'
import { end } from './workflow-step.ts'

export interface ResultLimits {
  /** Bytes of one shard. Source: specification, "Limits", 1 GB. */
  readonly shardBytes: number
  /** Bytes of all shards together. */
  readonly resultBytes: number
  readonly shards: number
}

export const resultLimits: ResultLimits = { shardBytes: 1_000_000_000, resultBytes: 50_000_000_000, shards: 1000 }

export interface PublishResults extends EndSearch {
  readonly resultFiles: ResultFiles
  /** Makes a Parquet file of no rows with the columns of every other shard. */
  readonly makeEmptyShard: () => Uint8Array
  readonly limits: ResultLimits
}

/** How many footers are read at once. */
const footersAtOnce = 20

/**
 * Completes a job with the files of its query's own manifest, after every footer was read and every size checked.
 * Nothing else below the attempt's prefix is ever served, and nothing of another attempt's: what an attempt leaves
 * behind goes with the bucket's lifecycle. A result with a file that is too large is written again, more finely spread.
 *
 * @returns `retry` where it is written again
 * @throws UnfitResult where the files are not what the statement asked for
 */
export async function publishResults(
  deps: PublishResults,
  input: StepInput & { readonly step: PublishStep },
): Promise<NextStep> {
  const job = await deps.jobs.read(input)
  if (job?.status !== 'processing' || job.run !== input.run) return end
  const { attempt, spread, manifest } = input.step
  const prefix = attemptPrefix(job, attempt)
  const listed = manifest === undefined ? [] : await deps.resultFiles.readManifest(manifest)
  const stranger = listed.find((key) => !key.startsWith(prefix))
  if (stranger !== undefined) throw new UnfitResult('the manifest lists a file outside of its attempt')
  if (listed.length > deps.limits.shards) return refuse(deps, job, `more than ${deps.limits.shards} files`)
  const footers = await readFooters(
    deps.resultFiles,
    listed.length > 0 ? listed : [await writeEmptyShard(deps, prefix)],
  )
  const { shardBytes, resultBytes } = deps.limits
  const total = footers.reduce((sum, { bytes }) => sum + bytes, 0)
  if (total > resultBytes) return refuse(deps, job, `${total} bytes where ${resultBytes} are possible`)
  const largest = Math.max(...footers.map(({ bytes }) => bytes))
  if (largest <= shardBytes) return complete(deps, job, attempt, footers)
  const wider = widenSpread(spread, total, shardBytes)
  if (wider === undefined) return refuse(deps, job, `a file of ${largest} bytes where ${shardBytes} are possible`)
  return { next: 'retry', attempt: attempt + 1, spread: wider, waitSeconds: 0 }
}

/** A file of a result is not what the service asked for: nothing that a client could mend. */
export class UnfitResult extends Error {
  override readonly name = 'UnfitResult'
}

/** A query without rows writes no file; readers still want a schema. */
async function writeEmptyShard({ resultFiles, makeEmptyShard }: PublishResults, prefix: string): Promise<string> {
  const key = `${prefix}no-rows.parquet`
  await resultFiles.write(key, makeEmptyShard())
  return key
}

async function readFooters(resultFiles: ResultFiles, keys: readonly string[]): Promise<readonly Footer[]> {
  const footers: Footer[] = []
  for (let start = 0; start < keys.length; start += footersAtOnce) {
    footers.push(
      ...(await Promise.all(keys.slice(start, start + footersAtOnce).map((key) => resultFiles.readFooter(key)))),
    )
  }
  for (const { key, schema } of footers) {
    const fault = findSchemaFault(schema)
    if (fault !== undefined) throw new UnfitResult(`the schema of ${key} differs: ${fault}`)
  }
  return footers
}

async function refuse(deps: PublishResults, job: ProcessingJob, excess: string): Promise<NextStep> {
  const request = await deps.jobs.readRequest(job.orgId, job.requestHash)
  if (request === undefined) throw new Error(`the request of job ${job.jobId} is not stored`)
  const failure: Failure = {
    word: 'result_too_large',
    sentence: `The result has ${excess}. ${adviseNarrowing(request)}`,
  }
  await failSearch(deps, job, failure)
  return end
}

async function complete(
  deps: PublishResults,
  job: ProcessingJob,
  attempt: number,
  footers: readonly Footer[],
): Promise<NextStep> {
  const completedAt = deps.now()
  const shards: Shard[] = footers.map(({ key, bytes, rows }) => ({ key, bytes, rows }))
  const { orgId, jobId, run, createdAt, requestHash } = job
  const completed = {
    orgId,
    jobId,
    run,
    createdAt,
    requestHash,
    status: 'completed',
    completedAt,
    attempt,
    shards,
  } as const
  const outcome = await deps.jobs.complete(completed, retainUntil(completedAt, deps.retentionDays))
  if (outcome === 'written') deps.countEnd({ jobId, word: 'completed' })
  return end
}
