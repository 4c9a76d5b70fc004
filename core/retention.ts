import type { Job } from './job.ts'
import { endOf } from './job.ts'
import { addSeconds } from './timestamp.ts'

const daySeconds = 24 * 60 * 60

/** How long a job and its files are kept, counted from the job's end: a result must not go while it is being made. */
export function retainUntil(endedAt: Date, retentionDays: number): Date {
  return addSeconds(endedAt, retentionDays * daySeconds)
}

/** A job that ended at this time or before has outlived its retention. */
export function retentionCutoff(now: Date, retentionDays: number): Date {
  return addSeconds(now, -retentionDays * daySeconds)
}

/**
 * Whether a job's time is over. Asked at every read, since DynamoDB removes expired items days late.
 * Source: DynamoDB developer guide, "Working with expired items and time to live".
 */
export function isPastRetention(job: Job, retentionDays: number, now: Date): boolean {
  const endedAt = endOf(job)
  return endedAt !== undefined && endedAt <= retentionCutoff(now, retentionDays)
}

/**
 * Days for which a request is kept, from its creation: it must outlive the run of its job. A stage whose jobs may wait and
 * run for longer is refused when its stack is synthesised.
 */
export function requestDays(retentionDays: number): number {
  return retentionDays + 2
}

/** When a request is removed. It is stored before its job, and every job with the same hash reads it. */
export function retainRequestUntil(createdAt: Date, retentionDays: number): Date {
  return addSeconds(createdAt, requestDays(retentionDays) * daySeconds)
}
