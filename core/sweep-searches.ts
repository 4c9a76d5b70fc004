import type { EndSearch } from './end-search.ts'
import { failAbandonedSearch } from './end-search.ts'
import type { Failure } from './failure.ts'
import { internalFailure, ranTooLong } from './failure.ts'
import type { Log, Queries, UnendedJob, UnendedJobs, WatchedWorkflow } from './ports.ts'
import { addSeconds } from './timestamp.ts'

export interface SweepSearches extends EndSearch {
  readonly unended: UnendedJobs
  readonly workflow: WatchedWorkflow
  readonly queries: Pick<Queries, 'stop'>
  readonly limits: SearchLimits
  readonly log: Log
}

/** After how long a job that has not ended is given up. One that waits for others costs them nothing, so it may wait for long. */
export interface SearchLimits {
  /** From its creation, for as long as none of its queries has started. */
  readonly waitingHours: number
  /** From the start of its first query, later attempts included. */
  readonly runningHours: number
}

/** What a sweep found: how long jobs have waited for their first query, and run since it; in seconds, 0 where there is no such job. */
export interface SweepReport {
  readonly oldestWaiting: number
  readonly oldestRunning: number
  readonly restarted: number
}

/** Jobs that one sweep looks at: the longest untouched, so that the next sweeps come to the others. */
const sweptAtOnce = 200

/**
 * After how many seconds without a step a job is looked after. A start that nobody needed does no harm: a running
 * execution takes it for the one that it is.
 */
const untouchedSeconds = { queued: 60, processing: 120 } as const

const waitedTooLong: Failure = {
  word: 'timeout',
  sentence: 'The service had no room for the search for too long. Submit it again later.',
}

/**
 * Finds jobs that nobody looks after and sees that they end: past their deadline they fail, before it their workflow is
 * started again under its name. Safe to run twice at once, since every write is conditional and every start named.
 */
export async function sweepSearches(deps: SweepSearches): Promise<SweepReport> {
  const now = deps.now()
  const jobs = await deps.unended.list(sweptAtOnce)
  // One job that cannot be looked after must not keep the others from it.
  const outcomes = await Promise.allSettled(jobs.map((job) => lookAfter(deps, job, now)))
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.status === 'rejected')
      deps.log('job not swept', { job_id: jobs[index]?.jobId ?? '', cause: String(outcome.reason) })
  }
  const restarted = outcomes.filter((outcome) => outcome.status === 'fulfilled' && outcome.value === 'restarted').length
  const longest = (times: readonly (Date | undefined)[]) =>
    times.reduce((age, time) => Math.max(age, time === undefined ? 0 : (now.getTime() - time.getTime()) / 1000), 0)
  const waiting = jobs.filter(({ runningSince }) => runningSince === undefined)
  return {
    oldestWaiting: longest(waiting.map(({ createdAt }) => createdAt)),
    oldestRunning: longest(jobs.map(({ runningSince }) => runningSince)),
    restarted,
  }
}

async function lookAfter(deps: SweepSearches, job: UnendedJob, now: Date): Promise<'restarted' | 'ended' | 'left'> {
  if (now >= deadlineOf(job, deps.limits)) return giveUp(deps, job)
  return now >= addSeconds(job.touchedAt, untouchedSeconds[job.status]) ? restart(deps, job) : 'left'
}

function deadlineOf({ createdAt, runningSince }: UnendedJob, { waitingHours, runningHours }: SearchLimits): Date {
  return runningSince === undefined
    ? addSeconds(createdAt, waitingHours * 3600)
    : addSeconds(runningSince, runningHours * 3600)
}

/** The job first, its query after: a step that finds the job ended stops the query too. */
async function giveUp(deps: SweepSearches, job: UnendedJob): Promise<'ended'> {
  deps.log('deadline passed', { job_id: job.jobId, status: job.status })
  await failAbandonedSearch(deps, job, job.runningSince === undefined ? waitedTooLong : ranTooLong)
  return 'ended'
}

async function restart(deps: SweepSearches, job: UnendedJob): Promise<'restarted' | 'ended' | 'left'> {
  const start = await deps.workflow.start(job)
  if (start.outcome === 'not-started') {
    deps.log('workflow not started', { job_id: job.jobId, cause: start.cause })
    return 'left'
  }
  if (start.outcome === 'name-taken' && !(await deps.workflow.isRunning(job))) {
    deps.log('workflow ended without its job', { job_id: job.jobId })
    await failAbandonedSearch(deps, job, internalFailure)
    return 'ended'
  }
  await deps.jobs.touch(job, deps.now())
  return 'restarted'
}
