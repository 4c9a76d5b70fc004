import { isTerminal, type JobStatus, type QueuedJob } from '../../core/job/job.ts'
import { jobs } from '../lambdas/search-api.ts'
import { completedBy, expiresAt, failedBy, newJob, request, touchedAt } from './new-job.ts'

/** Stores a job of an organization in a given state; the end of an ended job is announced. */
export async function storeJobOf(orgId: string, status: JobStatus, facts: Partial<QueuedJob> = {}): Promise<QueuedJob> {
  const job = newJob({ orgId, ...facts })
  await jobs.create(job, request, expiresAt)
  if (status !== 'queued') await jobs.begin(job, ['source-1'], touchedAt)
  if (status === 'completed') await jobs.complete(completedBy(job), expiresAt)
  if (status === 'failed') await jobs.fail(failedBy(job), expiresAt)
  if (isTerminal(status)) await jobs.noteAnnounced(job)
  return job
}
