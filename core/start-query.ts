import type { Attempt } from './attempt.ts'
import { attemptPrefix, queryToken } from './attempt.ts'
import { failSearch } from './end-search.ts'
import type { ForceRefresh } from './force-refresh.ts'
import { forceRefresh } from './force-refresh.ts'
import type { Job, JobRun, ProcessingJob } from './job.ts'
import { isTerminal } from './job.ts'
import type { Catalogue, ResultFiles } from './ports.ts'
import { resolveFeeSchedules } from './resolve-fee-schedules.ts'
import type { SearchRequest } from './search-request.ts'
import { longestStatement, unloadStatement } from './statement.ts'
import type { WatchQuery } from './watch-query.ts'
import { watchQuery } from './watch-query.ts'
import type { AwaitStep, NextStep, StepInput } from './workflow-step.ts'
import { end } from './workflow-step.ts'

export interface StartQuery extends WatchQuery, ForceRefresh {
  readonly catalogue: Catalogue
  readonly resultFiles: Pick<ResultFiles, 'addressOf'>
  /** The columns of an operator's relation. @default - the service's own relation */
  readonly columns?: readonly string[] | undefined
  /** How long this step waits for the query it starts, in milliseconds; 0: not at all. */
  readonly queryWaitMs: number
}

/**
 * Delay between attempts to start a query while Athena has no capacity, in seconds. Short enough to use capacity soon,
 * long enough for an execution that waits until its deadline (Step Functions quota: 25,000 events in its history).
 */
export const capacityWaitSeconds = 15

/** Delay before the first poll of a query, in milliseconds. */
const firstWaitMs = 250

/**
 * Picks up a job (queued to processing), starts the query of one attempt, and waits a few seconds for it, which saves
 * most searches a further step. Safe to repeat: sources are chosen once, and the query token returns the query that is
 * already started.
 */
export async function startQuery(deps: StartQuery, input: StepInput): Promise<NextStep> {
  const job = await deps.jobs.read(input)
  if (job === undefined || job.run !== input.run || isTerminal(job.status)) return end
  const request = await deps.jobs.readRequest(job.orgId, job.requestHash)
  if (request === undefined) throw new Error(`the request of job ${job.jobId} is not stored`)
  const picked = await pickUp(deps, job, request, input.step)
  if ('next' in picked) return picked
  return startAttempt(deps, picked, request, attemptOf(input))
}

function attemptOf({ step }: StepInput): Attempt {
  if (step?.next !== 'retry') return { attempt: 1 }
  const { next, waitSeconds, waits, ...attempt } = step
  return attempt
}

/** A processing job whose sources are chosen. */
type PickedUpJob = ProcessingJob & { readonly sources: readonly string[] }

/**
 * Moves the job to processing with its sources. Returns the next step instead if the job has ended or must wait for the
 * catalogue.
 */
async function pickUp(
  deps: StartQuery,
  job: Job,
  request: SearchRequest,
  step: NextStep | undefined,
): Promise<PickedUpJob | NextStep> {
  if (isPickedUp(job, job)) return job
  const found = await resolveFeeSchedules(deps.catalogue, request.feeSchedules)
  const outcome = await deps.jobs.begin(job, 'sources' in found ? found.sources : undefined, deps.now())
  if ('failure' in found) {
    if (outcome === 'superseded') return end
    const next = await forceRefresh(deps, step)
    if (next === undefined) await failSearch(deps, job, found.failure)
    return next ?? end
  }
  // Read the job again: if two workers raced, both continue with the sources that were written first.
  const begun = await deps.jobs.read(job)
  return isPickedUp(begun, job) ? begun : end
}

function isPickedUp(job: Job | undefined, { run }: JobRun): job is PickedUpJob {
  return job?.status === 'processing' && job.run === run && job.sources !== undefined
}

async function startAttempt(
  deps: StartQuery,
  job: PickedUpJob,
  request: SearchRequest,
  attempt: Attempt,
): Promise<NextStep> {
  const destination = deps.resultFiles.addressOf(attemptPrefix(job, attempt.attempt))
  const scope = { sources: job.sources, columns: deps.columns }
  const statement = unloadStatement(request, scope, destination, attempt.spread)
  if (Buffer.byteLength(statement) > longestStatement) {
    const sentence = `These fee schedules are spread over ${job.sources.length} files, more than one search can name. Name fewer plans.`
    await failSearch(deps, job, { word: 'too_broad', sentence })
    return end
  }
  const start = await deps.queries.start({ statement, token: queryToken(job, attempt.attempt) })
  if (start.outcome === 'throttled') {
    await deps.jobs.touch(job, deps.now())
    return { next: 'retry', ...attempt, waitSeconds: capacityWaitSeconds }
  }
  if (start.outcome === 'token-used') return { next: 'retry', ...attempt, attempt: attempt.attempt + 1, waitSeconds: 0 }
  const { queryId } = start
  const noted = await deps.jobs.noteQuery(job, { queryId, attempt: attempt.attempt }, deps.now())
  if (noted === 'superseded') {
    await deps.queries.stop(queryId)
    return end
  }
  const step: AwaitStep = { next: 'await', queryId, ...attempt, waitMs: firstWaitMs }
  if (deps.queryWaitMs === 0) return step
  await deps.sleep(firstWaitMs)
  return watchQuery(deps, job, step, deps.queryWaitMs - firstWaitMs)
}
