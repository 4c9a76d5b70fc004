import type { Attempt, AwaitStep, NextStep } from '../../schema/workflow-step.ts'
import { type Failure, internalFailure, ranTooLong } from '../failure.ts'
import { end, maxAttempts } from '../job/attempt.ts'
import { type EndSearch, failSearch } from '../job/end-search.ts'
import { isTerminal, type JobRun } from '../job/job.ts'
import { readRequest } from '../job/read-request.ts'
import type { Log } from '../log.ts'
import { isListFault, noteListFault } from '../search/file-lists.ts'
import { adviseNarrowing } from '../search/filter-words.ts'
import type { ListFaults, Queries, QueryFault, QueryState } from '../search/ports.ts'
import type { SearchRequest } from '../search/search-request.ts'

export interface WatchQuery extends EndSearch {
  readonly queries: Pick<Queries, 'look' | 'stop'>
  readonly sleep: (milliseconds: number) => Promise<void>
  readonly log: Log
  /** Present if a search whose lists of files do not work is repeated with folders. @default - it fails */
  readonly listFaults?: ListFaults | undefined
  /** Counts a search that is repeated with folders. */
  readonly countListFault: () => void
}

/** Upper bound of the polling interval, which grows as the query takes longer. */
const maxWaitMs = 5_000

/** Delay before the next attempt after a failure of Athena itself, in seconds. */
const retryWaitSeconds = 5

/** Maximum delay after throttling, in seconds: shorter than the time after which the sweeper restarts a job. */
const maxThrottledWaitSeconds = 60

/**
 * Polls a query until it ends or `budgetMs` is over, with a last poll at the end of the budget. The interval grows and
 * carries over to the next turn: a short query is noticed within a fraction of a second, a long one is polled rarely.
 */
export async function watchQuery(deps: WatchQuery, job: JobRun, step: AwaitStep, budgetMs: number): Promise<NextStep> {
  const { next, waitMs: firstWaitMs, hasRows, isListed, mayUseFolders, ...handles } = step
  const budgetEnds = deps.now().getTime() + budgetMs
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(Math.round(waitMs * 1.5), maxWaitMs)) {
    const query = await deps.queries.look(handles.queryId)
    if (query.state === 'succeeded') {
      const { manifest, bytesScanned } = query
      if (bytesScanned === 0 && hasRows) return handleFailure(deps, job, step, readNothing)
      deps.log('query succeeded', describeQuery(job, step, bytesScanned))
      if (deps.listFaults && step.searchFiles === 'folders') await noteListFault(deps.listFaults, deps.now())
      return {
        next: 'publish',
        ...handles,
        ...(manifest !== undefined && { manifest }),
        ...(bytesScanned !== undefined && { bytesScanned }),
      }
    }
    if (query.state === 'failed') return handleFailure(deps, job, step, query)
    const leftMs = budgetEnds - deps.now().getTime()
    if (leftMs <= 0) return { ...step, waitMs }
    await deps.sleep(Math.min(waitMs, leftMs))
  }
}

/** Returns the facts of an ended query for the log, which has the bytes that each organization's searches read. */
const describeQuery = (
  { orgId, jobId }: JobRun,
  { queryId, attempt }: Pick<AwaitStep, 'queryId' | 'attempt'>,
  bytesScanned: number | undefined,
) => ({
  org_id: orgId,
  job_id: jobId,
  query_id: queryId,
  attempt,
  ...(bytesScanned !== undefined && { bytes_scanned: bytesScanned }),
})

async function handleFailure(
  deps: WatchQuery,
  job: JobRun,
  { next, queryId, waitMs, hasRows, isListed, mayUseFolders, ...attempt }: AwaitStep,
  { fault, reason: cause, bytesScanned }: Extract<QueryState, { state: 'failed' }>,
): Promise<NextStep> {
  deps.log('query failed', { ...describeQuery(job, { queryId, ...attempt }, bytesScanned), fault, cause })
  const ended = {
    attempt: attempt.attempt,
    outcome: 'failed',
    ...(bytesScanned !== undefined && { bytesScanned }),
  } as const
  await deps.jobs.noteAttempt(job, ended, deps.now())
  // The query never ran, so this is not a failed attempt. It can repeat only as often as there are prefixes with
  // leftovers.
  if (fault === 'leftovers') return { next: 'retry', ...attempt, attempt: attempt.attempt + 1, waitSeconds: 0 }
  // The delay grows with each attempt; the job's deadline ends the retries. Files are removed for minutes at a time.
  if (fault === 'throttled' || (fault === 'files-removed' && !isListed)) {
    const waitSeconds = Math.min(retryWaitSeconds * 2 ** (attempt.attempt - 1), maxThrottledWaitSeconds)
    return { next: 'retry', ...attempt, attempt: attempt.attempt + 1, waitSeconds }
  }
  const failures = (attempt.failures ?? 0) + 1
  if (fault === 'transient' && failures < maxAttempts) {
    return { next: 'retry', ...attempt, attempt: attempt.attempt + 1, failures, waitSeconds: retryWaitSeconds }
  }
  const otherWay = chooseOtherWay(attempt, fault, mayUseFolders === true && isListFault(fault, cause))
  if (otherWay !== undefined) {
    if (otherWay.searchFiles !== undefined) deps.countListFault()
    return { next: 'retry', ...attempt, ...otherWay, attempt: attempt.attempt + 1, waitSeconds: retryWaitSeconds }
  }
  const current = await deps.jobs.read(job)
  if (current?.run !== job.run || isTerminal(current.status)) return end
  await failSearch(deps, job, describeFault(fault, await readRequest(deps, current)))
  return end
}

/**
 * Chooses another way to the same rows. A job tries each of them once, and its later attempts do the same.
 *
 * @param needsFolders true if the lists of files did not work and folders may be read
 */
function chooseOtherWay(
  { joinOrder, searchFiles }: Attempt,
  fault: QueryFault,
  needsFolders: boolean,
): Pick<Attempt, 'joinOrder' | 'searchFiles'> | undefined {
  // The other order holds the other side of the join in memory. An operator's own relation is not joined: there, the
  // same statement runs once more.
  if (fault === 'exhausted' && joinOrder === undefined) return { joinOrder: 'other' }
  return needsFolders && searchFiles === undefined ? { searchFiles: 'folders' } : undefined
}

/** A query that succeeded without reading any file, although it was to read files with rows. */
const readNothing = {
  state: 'failed',
  fault: 'nothing-read',
  reason: 'the query read no byte, although loads have counted rows in its contents',
  bytesScanned: 0,
} as const

const tellOperator = 'so the result would lack rows. Tell the operator of the service, quoting the job id.'

/** The job's failure for a query that is not retried. */
function describeFault(fault: QueryFault, request: SearchRequest): Failure {
  switch (fault) {
    case 'data-limit':
      return {
        word: 'too_broad',
        sentence: `The search reads more data than one search may. ${adviseNarrowing(request)}`,
      }
    case 'exhausted':
      return {
        word: 'too_broad',
        sentence: `The search needs more memory than one search gets. ${adviseNarrowing(request)}`,
      }
    case 'timed-out':
      return ranTooLong
    case 'nothing-read':
      return { word: 'nothing_read', sentence: `The search read none of the files of these rates, ${tellOperator}` }
    case 'file-missing':
    // Of listed files, only the search's own can be missing.
    case 'files-removed':
      return { word: 'file_missing', sentence: `A file of these rates is missing, ${tellOperator}` }
    default:
      return internalFailure
  }
}
