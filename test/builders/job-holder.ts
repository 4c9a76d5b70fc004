import { endOf, type Job, type JobHolder, type JobRun } from '../../core/job/job.ts'
import type { JobCreation } from '../../core/job/ports.ts'

/** Returns the outcome of creating a job while another is stored under its id; the same run counts as created. */
export function decideCreation(stored: Job | undefined, { run }: JobRun, endedBefore: Date | undefined): JobCreation {
  const endedAt = stored && endOf(stored)
  const isOver = endedAt !== undefined && endedBefore !== undefined && endedAt <= endedBefore
  if (stored === undefined || isOver || stored.run === run) return { outcome: 'created' }
  return { outcome: 'id-taken', by: describeHolder(stored) }
}

/** The fields that a job has in every state. */
export function describeHolder({ orgId, jobId, run, status, createdAt, requestHash, summary }: Job): JobHolder {
  return { orgId, jobId, run, status, createdAt, requestHash, ...(summary && { summary }) }
}
