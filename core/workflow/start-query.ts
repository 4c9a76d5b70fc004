import type { Attempt, AwaitStep, NextStep, StepInput } from '../../schema/workflow-step.ts'
import type { Failure } from '../failure.ts'
import { attemptPrefix, end, queryToken } from '../job/attempt.ts'
import { failSearch } from '../job/end-search.ts'
import { executionName, isTerminal, type Job, type JobRun, type ProcessingJob } from '../job/job.ts'
import { readRequest } from '../job/read-request.ts'
import { type ForceRefresh, forceRefresh } from '../own-relation/force-refresh.ts'
import { type OpenRates, openRates } from '../own-relation/open-rates.ts'
import { areListed } from '../search/file-conditions.ts'
import { areListsBroken, listFiles } from '../search/file-lists.ts'
import type { FileLists, Queries } from '../search/ports.ts'
import type { SearchRequest } from '../search/search-request.ts'
import { opensOnlyNamed, type Scope, unloadStatement } from '../search/statement.ts'
import { type PublishShortResult, publishShortResult } from './publish-short-result.ts'
import { type WatchQuery, watchQuery } from './watch-query.ts'

export interface StartQuery extends WatchQuery, ForceRefresh, OpenRates, PublishShortResult {
  readonly queries: Queries
  /** The address of the warehouse as Athena writes it. */
  readonly ratesLocation: string
  /** Where each search lists its files. @default - nowhere: statements say which folders to read */
  readonly fileLists?: FileLists | undefined
  /** Time that this step waits for the query it starts, in milliseconds; 0 to not wait. */
  readonly queryWaitMs: number
  /** A random number from 0 to below 1. */
  readonly random: () => number
}

/**
 * Bounds of the delay between attempts to start a query while Athena has no capacity, in seconds: short enough to use
 * capacity soon, long enough that thousands of waiting jobs stay below the quotas (docs/costs.md).
 */
export const capacityWaits = { least: 15, most: 120 } as const

/** Delay before the first poll of a query, in milliseconds. */
const firstWaitMs = 250

/**
 * Picks a job up (queued to processing), starts the query of one attempt, waits a few seconds for it, in which most
 * queries end, and publishes its result if that is short. Idempotent: contents are chosen once, and the query token
 * makes a second start return the first one's query.
 */
export async function startQuery(deps: StartQuery, input: StepInput): Promise<NextStep> {
  const job = await deps.jobs.read(input)
  if (job === undefined || job.run !== input.run || isTerminal(job.status)) return end
  const request = await readRequest(deps, job)
  const step = await pickUp(deps, job, request, input.step)
  return 'next' in step ? step : startAttempt(deps, step, request, input)
}

function attemptOf({ step }: StepInput): Attempt {
  if (step?.next !== 'retry') return { attempt: 1 }
  const { next, waitSeconds, waits, ...attempt } = step
  return attempt
}

/**
 * Doubles the last delay up to the most, and takes a random share of it from a half to all. Source: AWS Architecture
 * Blog, "Exponential Backoff And Jitter", equal jitter.
 */
function backOff({ step }: StepInput, random: number): number {
  const { least, most } = capacityWaits
  const last = step?.next === 'retry' ? step.waitSeconds : 0
  return Math.round((Math.min(2 * Math.max(last, least), most) * (1 + random)) / 2)
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
  const choice = await openRates(deps).choose(request)
  if ('failure' in choice) return refuse(deps, job, choice.failure, step)
  const outcome = await deps.jobs.begin(job, choice, deps.now())
  if (outcome === 'written') return { ...job, ...choice, status: 'processing' }
  // If two workers raced, both continue with the contents that were written first.
  const begun = await deps.jobs.read(job)
  return isPickedUp(begun, job) ? begun : end
}

/**
 * Begins a job without contents, then fails it, unless a refresh of the catalogue may still find its fee schedules.
 *
 * @returns the next step
 */
async function refuse(deps: StartQuery, job: Job, failure: Failure, step: NextStep | undefined): Promise<NextStep> {
  const outcome = await deps.jobs.begin(job, {}, deps.now())
  if (outcome === 'superseded') return end
  const next = failure.word === 'not_kept' ? undefined : await forceRefresh(deps, step)
  if (next !== undefined) return next
  await failSearch(deps, job, failure)
  return end
}

function isPickedUp(job: Job | undefined, { run }: JobRun): job is PickedUpJob {
  return job?.status === 'processing' && job.run === run && job.contents !== undefined
}

/** The rates that an attempt reads, and how their files are found. */
interface PlacedScope {
  readonly scope: Scope
  readonly files: Pick<AwaitStep, 'isListed' | 'mayUseFolders'>
}

/** Writes the lists of the files that the query reads, if the rates are loaded and this attempt uses lists. */
async function nameFiles(
  { fileLists, listFaults }: StartQuery,
  job: PickedUpJob,
  scope: Scope,
  { request, attempt }: { readonly request: SearchRequest; readonly attempt: Attempt },
): Promise<PlacedScope> {
  if (fileLists === undefined || attempt.searchFiles === 'folders' || 'columns' in scope) return { scope, files: {} }
  // Without the names of all files a query may open others, so limits that were checked at admission need the names.
  const isLimited = request.maxBytes !== undefined || job.bytesTaken !== undefined
  const mayUseFolders = listFaults !== undefined && (!isLimited || opensOnlyNamed(request, scope))
  if (mayUseFolders && (await areListsBroken(listFaults, job.createdAt))) return { scope, files: {} }
  const listScope = await listFiles(fileLists, executionName(job), scope)
  if (listScope.files === undefined || !areListed(listScope.files)) return { scope, files: {} }
  return { scope: listScope, files: { isListed: true, ...(mayUseFolders && { mayUseFolders }) } }
}

async function startAttempt(
  deps: StartQuery,
  job: PickedUpJob,
  request: SearchRequest,
  input: StepInput,
): Promise<NextStep> {
  const attempt = attemptOf(input)
  const destination = deps.resultFiles.addressOf(attemptPrefix(job, attempt.attempt))
  const { feeSchedules = request.feeSchedules } = job
  const rates = await openRates(deps).readScope(job, feeSchedules, deps.ratesLocation)
  if ('failure' in rates) {
    await failSearch(deps, job, rates.failure)
    return end
  }
  const chosenRequest = { ...request, feeSchedules }
  const { scope, files } = await nameFiles(deps, job, rates.scope, { request: chosenRequest, attempt })
  const ordered = { ...scope, joinOrder: attempt.joinOrder }
  const statement = unloadStatement(chosenRequest, ordered, destination, attempt.spread)
  const start = await deps.queries.start({ statement, token: queryToken(job, attempt.attempt) })
  if (start.outcome === 'throttled') {
    await deps.jobs.touch(job, deps.now())
    return { next: 'retry', ...attempt, waitSeconds: backOff(input, deps.random()) }
  }
  if (start.outcome === 'token-used') return { next: 'retry', ...attempt, attempt: attempt.attempt + 1, waitSeconds: 0 }
  const { queryId } = start
  const noted = await deps.jobs.noteQuery(job, { queryId, attempt: attempt.attempt }, deps.now())
  if (noted === 'superseded') {
    await deps.queries.stop(queryId)
    return end
  }
  const reads = { ...(rates.hasRows && { hasRows: true }), ...files }
  const step: AwaitStep = { next: 'await', queryId, ...attempt, waitMs: firstWaitMs, ...reads }
  if (deps.queryWaitMs === 0) return step
  await deps.sleep(firstWaitMs)
  const next = await watchQuery(deps, job, step, deps.queryWaitMs - firstWaitMs)
  // A step that noted the query before may have crashed or timed out because it published; publish-results has more
  // memory and time, and retries of its own.
  const isRepeated = job.query?.attempt === attempt.attempt
  return next.next === 'publish' && !isRepeated ? publishShortResult(deps, job, request, next) : next
}
