import type { Chosen } from './job.ts'

/** An attempt at a job's query that ended without completing the job. */
export interface EndedAttempt {
  readonly attempt: number
  /** Outcome of its query. A query that succeeded is retried if a file of its result is too large. */
  readonly outcome: 'succeeded' | 'failed'
  /** Bytes that its query read; absent if unknown. */
  readonly bytesScanned?: number
}

/** Facts that are stored with a job in every state. `Job` has the choice of data only until the job's end. */
export interface JobHistory extends Chosen {
  /** When a step picked it up; absent if none has. */
  readonly processingAt?: Date
  /** In ascending order, without the attempt that completed the job or was stopped with it. */
  readonly endedAttempts: readonly EndedAttempt[]
}
