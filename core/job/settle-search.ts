import type { SearchEndedEvent } from '../../contract/search-api.ts'
import type { Announcements } from '../announcements.ts'
import { readFailureWord } from '../failure.ts'
import type { Usages } from '../limits/ports.ts'
import type { Log } from '../log.ts'
import { formatTimestamp } from '../time.ts'
import { isTrialOrganization } from '../trial-organization.ts'
import { type EndedJob, endOf, executionName, isEnded, type JobRun } from './job.ts'
import type { Jobs } from './ports.ts'

export interface SettleSearch {
  readonly jobs: Pick<Jobs, 'noteAnnounced'>
  readonly usages: Pick<Usages, 'free'>
  readonly announcements: Announcements
  readonly log: Log
}

/**
 * Frees an ended job's slot and announces the job's end, then takes it out of the index of unended jobs: until both are
 * done, the sweeper tries again. An end is announced at least once, that of a trial never.
 *
 * @throws the error of the first call that fails
 */
export async function settleSearch(
  { jobs, usages, announcements }: Omit<SettleSearch, 'log'>,
  job: EndedJob,
): Promise<void> {
  const outcomes = await Promise.allSettled([
    usages.free(job, endOf(job)),
    ...(isTrialOrganization(job.orgId)
      ? []
      : [announcements.announce({ type: 'search.ended', detail: describeEnd(job), happenedAt: endOf(job) })]),
  ])
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  await jobs.noteAnnounced(job)
}

/** The event has no URLs, filters or names, because readers of the bus need not belong to the organization. */
function describeEnd(job: EndedJob): SearchEndedEvent {
  const base = {
    id: executionName(job),
    version: 1,
    job_id: job.jobId,
    org_id: job.orgId,
    created_at: formatTimestamp(job.createdAt),
  } as const
  const endedAt = formatTimestamp(endOf(job))
  return job.status === 'completed'
    ? { ...base, status: job.status, completed_at: endedAt }
    : { ...base, status: job.status, failed_at: endedAt, error_word: readFailureWord(job.error) }
}

/**
 * Settles a job that has just ended. An error is only logged, because the sweeper settles the job later, and the step
 * or call that ended it must not fail.
 *
 * @param ended the job as it ended @default - it is read
 */
export async function trySettleSearch(
  deps: SettleSearch & { readonly jobs: Pick<Jobs, 'read'> },
  run: JobRun,
  ended?: EndedJob,
): Promise<void> {
  try {
    const job = ended ?? (await deps.jobs.read(run))
    if (job?.run === run.run && isEnded(job)) await settleSearch(deps, job)
  } catch (error) {
    deps.log('end not announced yet', { job_id: run.jobId, cause: String(error) })
  }
}
