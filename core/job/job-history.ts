import type { Chosen } from './job.ts'

/** An attempt at a job's query that ended without completing the job. */
export interface EndedAttempt {
  readonly attempt: number
  /** How its query ended. A query that succeeded is retried if a file of its result is too large. */
  readonly outcome: 'succeeded' | 'failed'
  /** Bytes that its query read; absent if unknown. */
  readonly bytesScanned?: number
}

/** What is stored of a job beyond its state; what it reads is kept when it ends. */
export interface JobHistory extends Chosen {
  /** When a step picked it up; absent if none has. */
  readonly processingAt?: Date
  /** In ascending order. The attempt that completed the job, and one that was stopped with it, are not among them. */
  readonly endedAttempts: readonly EndedAttempt[]
}
