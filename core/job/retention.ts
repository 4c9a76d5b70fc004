import { requestDays } from '../../schema/request-days.ts'
import { addSeconds } from '../time.ts'
import { endOf, type JobEnd } from './job.ts'

const daySeconds = 24 * 60 * 60

/**
 * Returns the time at which a job and its files expire. Retention counts from the job's end, so that nothing expires
 * while it is being created.
 */
export function retainUntil(endedAt: Date, retentionDays: number): Date {
  return addSeconds(endedAt, retentionDays * daySeconds)
}

/** Returns the latest end of jobs that are past their retention. */
export function retentionCutoff(now: Date, retentionDays: number): Date {
  return addSeconds(now, -retentionDays * daySeconds)
}

/**
 * Returns whether a job is past its retention. Checked on every read, because DynamoDB deletes expired items days late.
 * Source: DynamoDB developer guide, "Working with expired items and time to live".
 */
export function isPastRetention(job: JobEnd, retentionDays: number, now: Date): boolean {
  const endedAt = endOf(job)
  return endedAt !== undefined && endedAt <= retentionCutoff(now, retentionDays)
}

/**
 * Returns the time at which a stored request expires. It lives longer than a job, because it is stored before its job
 * and shared by all jobs with the same hash.
 */
export function retainRequestUntil(createdAt: Date, retentionDays: number): Date {
  return addSeconds(createdAt, requestDays(retentionDays) * daySeconds)
}
