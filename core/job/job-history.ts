import type { FeeSchedule } from '../catalogue/fee-schedule.ts'
import type { ChosenReference } from '../loads/reference.ts'

/** An attempt at a job's query that ended without completing the job. */
export interface EndedAttempt {
  readonly attempt: number
  /** How its query ended. A query that succeeded is retried if a file of its result is too large. */
  readonly outcome: 'succeeded' | 'failed'
  /** Bytes that its query read; absent if unknown. */
  readonly bytesScanned?: number
}

/** What is stored of a job beyond its state. */
export interface JobHistory {
  /** When a step picked it up; absent if none has. */
  readonly processingAt?: Date
  /** See `ProcessingJob.contents`; kept when the job ends. */
  readonly contents?: readonly string[]
  /** See `ProcessingJob.feeSchedules`; kept when the job ends. */
  readonly feeSchedules?: readonly FeeSchedule[]
  /** See `ProcessingJob.reference`; kept when the job ends. */
  readonly reference?: ChosenReference
  /** In ascending order. The attempt that completed the job, and one that was stopped with it, are not among them. */
  readonly endedAttempts: readonly EndedAttempt[]
}
