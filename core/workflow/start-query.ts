import type { Attempt, AwaitStep, NextStep, StepInput } from '../../schema/workflow-step.ts'
import type { Catalogue, Contents } from '../catalogue/ports.ts'
import { resolveFeeSchedules } from '../catalogue/resolve-fee-schedules.ts'
import { attemptPrefix, end, queryToken } from '../job/attempt.ts'
import { failSearch } from '../job/end-search.ts'
import { isTerminal, type Job, type JobRun, type ProcessingJob } from '../job/job.ts'
import { type ForceRefresh, forceRefresh } from '../own-relation/force-refresh.ts'
import type { Queries, ResultFiles } from '../ports.ts'
import type { SearchRequest } from '../search/search-request.ts'
import { maxNamedSources, type Scope, unloadStatement } from '../search/statement.ts'
import { type WatchQuery, watchQuery } from './watch-query.ts'

export interface StartQuery extends WatchQuery, ForceRefresh {
  readonly queries: Queries
  readonly catalogue: Catalogue
  readonly contents: Contents
  readonly resultFiles: Pick<ResultFiles, 'addressOf'>
  /** The columns of an operator's relation. @default - the service's own relation */
  readonly columns?: readonly string[] | undefined
  /** How long this step waits for the query it starts, in milliseconds; 0 to not wait. */
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
 * Picks a job up (queued to processing), starts the query of one attempt, and waits a few seconds for it, in which most
 * queries end. Idempotent: contents are chosen once, and the query token makes a second start return the first one's
 * query.
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

/** A job whose contents are chosen. */
type PickedUpJob = ProcessingJob & { readonly contents: readonly string[] }

/**
 * Moves the job to processing with its contents chosen. Returns the next step instead if the job has ended, here or
 * elsewhere, or must wait for the catalogue.
 */
async function pickUp(
  deps: StartQuery,
  job: Job,
  request: SearchRequest,
  step: NextStep | undefined,
): Promise<PickedUpJob | NextStep> {
  if (isPickedUp(job, job)) return job
  const found = await resolveFeeSchedules(deps, request, deps.columns !== undefined)
  const outcome = await deps.jobs.begin(job, 'contents' in found ? found.contents : undefined, deps.now())
  if ('failure' in found) {
    if (outcome === 'superseded') return end
    const next = await forceRefresh(deps, step)
    if (next === undefined) await failSearch(deps, job, found.failure)
    return next ?? end
  }
  // Read again, because if two workers raced, both continue with the contents that were written first.
  const begun = await deps.jobs.read(job)
  return isPickedUp(begun, job) ? begun : end
}

function isPickedUp(job: Job | undefined, { run }: JobRun): job is PickedUpJob {
  return job?.status === 'processing' && job.run === run && job.contents !== undefined
}

async function startAttempt(
  deps: StartQuery,
  job: PickedUpJob,
  request: SearchRequest,
  attempt: Attempt,
): Promise<NextStep> {
  const destination = deps.resultFiles.addressOf(attemptPrefix(job, attempt.attempt))
  const scope = await readScope(deps, job.contents)
  const statement = unloadStatement(request, scope, destination, attempt.spread)
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

/**
 * Reads what the statement needs about the contents. They never change, so every attempt of a job has the same
 * statement.
 *
 * @throws ContentGone if a content was removed while the job waited: its rows would be missing silently
 */
async function readScope({ columns, contents }: StartQuery, contentIds: readonly string[]): Promise<Scope> {
  if (columns !== undefined) return { columns }
  const distinct = [...new Set(contentIds)]
  const found = await contents.readContents(distinct)
  if (found.length < distinct.length) throw new ContentGone()
  const loadIds = [...new Set(found.flatMap((content) => content.loadIds))].sort()
  const isFew = found.reduce((sum, { sourceCount }) => sum + sourceCount, 0) <= maxNamedSources
  const refs = isFew ? await Promise.all(distinct.map((contentId) => contents.readSourceRefs(contentId))) : []
  const sourceIds = [...new Set(refs.flat().map(({ sourceId }) => sourceId))].sort()
  return { contents: contentIds, partitions: { loadIds, ...(isFew && { sourceIds }) } }
}

/** A job's content no longer exists. */
class ContentGone extends Error {
  override readonly name = 'ContentGone'
  constructor() {
    super('a content of the job has been removed; it waited longer than replaced contents are kept')
  }
}
