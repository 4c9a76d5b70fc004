import { at } from '../../schema/at.ts'
import { type Failure, internalFailure, ranTooLong } from '../failure.ts'
import { type EndSearch, failAbandonedSearch } from '../job/end-search.ts'
import { type EndedJob, endOf, isEnded, isTerminal } from '../job/job.ts'
import type { UnendedJob, UnendedJobs } from '../job/ports.ts'
import { settleSearch } from '../job/settle-search.ts'
import type { Usages } from '../limits/ports.ts'
import type { Log } from '../log.ts'
import type { Queries } from '../search/ports.ts'
import { addSeconds } from '../time.ts'
import { mapAtOnce } from '../work-at-once.ts'
import { type FreeSlots, freeSlots } from './free-slots.ts'
import type { WatchedWorkflow } from './ports.ts'
import { capacityWaits } from './start-query.ts'

export interface SweepSearches extends EndSearch, FreeSlots {
  readonly unended: UnendedJobs
  readonly usages: Usages
  readonly workflow: WatchedWorkflow
  readonly queries: Pick<Queries, 'stop'>
  readonly limits: SearchLimits
  readonly log: Log
}

/** When the sweeper gives up unended jobs. */
export interface SearchLimits {
  /** Counted from the job's creation, until its first query starts. */
  readonly waitingHours: number
  /** Counted from the start of its first query, including later attempts. */
  readonly runningHours: number
}

/** Results of a sweep. Times are in seconds, and 0 if no job qualifies. */
export interface SweepReport {
  /** Longest wait for a first query. */
  readonly oldestWaiting: number
  /** Longest time since a first query started. */
  readonly oldestRunning: number
  /** Longest time since the end of a job that the sweep could not announce. */
  readonly oldestUnannounced: number
  /** Number of restarted jobs. */
  readonly restarted: number
}

/**
 * Jobs per sweep, least recently touched first, so that the next sweeps reach the others. Most are only compared with
 * their deadline, which a job that waits keeps to the minute only if each sweep sees it.
 */
const jobsPerSweep = 10_000

const sweptAtOnce = 50

/**
 * Seconds without a step after which the sweeper restarts a job, or announces an ended one; a job that waits for
 * capacity has a step at least once in that time. An unneeded restart is harmless: starting a running execution is a
 * no-op. So is a second announcement.
 */
const untouchedSeconds = { queued: 60, processing: capacityWaits.most + 60, completed: 60, failed: 60 } as const

const waitedTooLong: Failure = {
  word: 'timeout',
  sentence: 'The search waited too long for capacity. Submit it again later.',
}

/**
 * Makes sure that abandoned jobs end: fails them if they are past their deadline, and otherwise restarts their workflow
 * under the same name. Announces ends that are not announced yet, and frees slots that no running job holds. Safe to
 * run concurrently, because every write is conditional and every start is idempotent.
 */
export async function sweepSearches(deps: SweepSearches): Promise<SweepReport> {
  const now = deps.now()
  const jobs = await deps.unended.list(jobsPerSweep)
  const slots = freeSlots(deps).catch((error: unknown) => deps.log('slots not freed', { cause: String(error) }))
  // A job that fails to be swept must not affect the others.
  const sweep = (job: UnendedJob) => Promise.allSettled([lookAfter(deps, job, now)])
  const outcomes = (await mapAtOnce(jobs, sweptAtOnce, sweep)).flat()
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.status === 'rejected')
      deps.log('job not swept', { job_id: at(jobs, index).jobId, cause: String(outcome.reason) })
  }
  await slots
  const restarted = outcomes.filter((outcome) => outcome.status === 'fulfilled' && outcome.value).length
  const longest = (times: readonly (Date | undefined)[]) =>
    times.reduce((age, time) => Math.max(age, time === undefined ? 0 : (now.getTime() - time.getTime()) / 1000), 0)
  const unended = jobs.filter(({ status }) => !isTerminal(status))
  const waiting = unended.filter(({ runningSince }) => runningSince === undefined)
  const reasons = outcomes.flatMap((outcome): readonly unknown[] =>
    outcome.status === 'rejected' ? [outcome.reason] : [],
  )
  return {
    oldestWaiting: longest(waiting.map(({ createdAt }) => createdAt)),
    oldestRunning: longest(unended.map(({ runningSince }) => runningSince)),
    oldestUnannounced: longest(reasons.map((reason) => (reason instanceof NotAnnounced ? reason.endedAt : undefined))),
    restarted,
  }
}

/** @returns true if the job's workflow was started again */
async function lookAfter(deps: SweepSearches, job: UnendedJob, now: Date): Promise<boolean> {
  const hasEnded = isTerminal(job.status)
  if (!hasEnded && now >= deadlineOf(job, deps.limits)) {
    await giveUp(deps, job)
    return false
  }
  if (now < addSeconds(job.touchedAt, untouchedSeconds[job.status])) return false
  if (!hasEnded) return restart(deps, job)
  await announce(deps, job, now)
  return false
}

/**
 * Announces the end of a job; the index may still list one that was announced or deleted meanwhile.
 *
 * @throws NotAnnounced, or the error of reading the job; either way the next sweeps reach other jobs first
 */
async function announce(deps: SweepSearches, run: UnendedJob, now: Date): Promise<void> {
  try {
    const job = await deps.jobs.read(run)
    if (job?.run !== run.run || !isEnded(job)) return
    await settleSearch(deps, job).catch((cause: unknown) => Promise.reject(new NotAnnounced(job, cause)))
  } catch (error) {
    await deps.unended.postpone(run, now)
    throw error
  }
}

/** The end of a job could not be announced, or its slot not freed. */
class NotAnnounced extends Error {
  override readonly name = 'NotAnnounced'
  readonly endedAt: Date
  constructor(job: EndedJob, cause: unknown) {
    super(String(cause), { cause })
    this.endedAt = endOf(job)
  }
}

function deadlineOf({ createdAt, runningSince }: UnendedJob, { waitingHours, runningHours }: SearchLimits): Date {
  return runningSince === undefined
    ? addSeconds(createdAt, waitingHours * 3600)
    : addSeconds(runningSince, runningHours * 3600)
}

/** End the job first, then its query: a step that sees the ended job stops the query too. */
async function giveUp(deps: SweepSearches, job: UnendedJob): Promise<void> {
  deps.log('deadline passed', { job_id: job.jobId, status: job.status })
  await failAbandonedSearch(deps, job, job.runningSince === undefined ? waitedTooLong : ranTooLong)
}

async function restart(deps: SweepSearches, job: UnendedJob): Promise<boolean> {
  const start = await deps.workflow.start(job)
  if (start.outcome === 'not-started') {
    deps.log('workflow not started', { job_id: job.jobId, cause: start.cause })
    return false
  }
  if (start.outcome === 'name-taken' && !(await deps.workflow.isRunning(job))) {
    deps.log('workflow ended without its job', { job_id: job.jobId })
    await failAbandonedSearch(deps, job, internalFailure)
    return false
  }
  await deps.jobs.touch(job, deps.now())
  return true
}
