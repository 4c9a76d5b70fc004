import { randomBytes, randomUUID } from 'node:crypto'
import { issueOrganizationId } from '../../core/access/api-key.ts'
import { attemptPrefix } from '../../core/job/attempt.ts'
import type { CompletedJob, FailedJob, Job, JobRun, JobStatus, QueuedJob } from '../../core/job/job.ts'
import { isTerminal } from '../../core/job/job.ts'
import type { Jobs } from '../../core/job/ports.ts'
import { newJob as newSampleJob, request } from './sample-search.ts'

export const touchedAt = new Date('2026-11-20T09:30:02.500Z')
export const endedAt = new Date('2026-11-20T09:31:07.004Z')
export const expiresAt = new Date('2026-11-27T09:31:07.004Z')

/** A job of an organization that no other test uses. */
export const newJob = (facts: Partial<QueuedJob> = {}): QueuedJob =>
  newSampleJob({ orgId: issueOrganizationId(), jobId: randomUUID(), run: randomBytes(8).toString('hex'), ...facts })

/** The job, completed with two shards. */
export function completedBy({ orgId, jobId, run, createdAt, requestHash }: Job, attempt = 1): CompletedJob {
  const prefix = attemptPrefix({ orgId, jobId, run }, attempt)
  const shards = [
    { key: `${prefix}0000`, bytes: 4096, rows: 12 },
    { key: `${prefix}0001`, bytes: 2048, rows: 3 },
  ]
  return { orgId, jobId, run, createdAt, requestHash, status: 'completed', completedAt: endedAt, attempt, shards }
}

/** The job, failed. */
export function failedBy({ orgId, jobId, run, createdAt, requestHash }: Job, error = 'internal: It broke.'): FailedJob {
  return { orgId, jobId, run, createdAt, requestHash, status: 'failed', failedAt: endedAt, error }
}

export const otherRun = <Run extends JobRun>(job: Run): Run => ({ ...job, run: 'another' })

/** Stores a new job and moves it to a state by the shortest path; the end of an ended job is announced. */
export async function storeJob(jobs: Jobs, status: JobStatus = 'queued', facts: Partial<QueuedJob> = {}): Promise<Job> {
  const job = newJob(facts)
  await jobs.create(job, request, expiresAt)
  if (status !== 'queued') await jobs.begin(job, { contents: ['source-1'] }, touchedAt)
  if (status === 'completed') await jobs.complete(completedBy(job), expiresAt)
  if (status === 'failed') await jobs.fail(failedBy(job), expiresAt)
  if (isTerminal(status)) await jobs.noteAnnounced(job)
  const stored = await jobs.read(job)
  if (stored?.status !== status) throw new Error(`the job is ${stored?.status}, not ${status}`)
  return stored
}
