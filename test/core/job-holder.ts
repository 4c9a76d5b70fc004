import type { Job, JobHolder, JobRun } from '../../core/job.ts'
import { endOf } from '../../core/job.ts'
import type { JobCreation } from '../../core/ports.ts'

/** What becomes of a new job where this one is stored under its id: created, also where it is there already. */
export function decideCreation(stored: Job | undefined, { run }: JobRun, endedBefore: Date | undefined): JobCreation {
  const endedAt = stored && endOf(stored)
  const isOver = endedAt !== undefined && endedBefore !== undefined && endedAt <= endedBefore
  if (stored === undefined || isOver || stored.run === run) return { outcome: 'created' }
  return { outcome: 'id-taken', by: describeHolder(stored) }
}

/** What is the same of a job in every state. */
export function describeHolder({ orgId, jobId, run, status, createdAt, requestHash }: Job): JobHolder {
  return { orgId, jobId, run, status, createdAt, requestHash }
}
