/** A search job: what it is in each of its states, and how it comes from one to the next. */

/** Which job, and which life of it: an id made from an idempotency key can come back after the job is deleted. */
export interface JobKey {
  readonly orgId: string
  /** UUIDv4. Source: specification, "Search job", job_id. */
  readonly jobId: string
}

export interface JobRun extends JobKey {
  /** Random, made with the job: execution name, attempt prefixes and query tokens are made from it. */
  readonly run: string
}

interface JobBase extends JobRun {
  readonly createdAt: Date
  /** Under which the request is stored: what runs cannot be changed by a replay with another body. */
  readonly requestHash: string
}

export interface QueuedJob extends JobBase {
  readonly status: 'queued'
}

export interface ProcessingJob extends JobBase {
  readonly status: 'processing'
  /**
   * The content of each of the request's fee schedules, in their order; empty over an operator's own relation. Chosen
   * once, so that every attempt reads the same; absent until then.
   */
  readonly contents?: readonly string[]
  /** The query that runs now, for whoever must stop it; absent until the first is started. */
  readonly query?: StartedQuery
}

export interface StartedQuery {
  readonly queryId: string
  /** Counted from 1. Each attempt has a prefix and a query token of its own. */
  readonly attempt: number
}

/** One Parquet file of a result. */
export interface Shard {
  /** Key in the results bucket. */
  readonly key: string
  readonly bytes: number
  readonly rows: number
}

export interface CompletedJob extends JobBase {
  readonly status: 'completed'
  readonly completedAt: Date
  readonly attempt: number
  /** Never empty: a result without rows is one shard of no rows. */
  readonly shards: readonly Shard[]
}

export interface FailedJob extends JobBase {
  readonly status: 'failed'
  readonly failedAt: Date
  /** A word of the table of failures, a colon and a sentence. */
  readonly error: string
  /** The query that was the job's last, for whoever ended the job before it ended; absent where none was noted. */
  readonly query?: StartedQuery
}

export type Job = QueuedJob | ProcessingJob | CompletedJob | FailedJob

export type JobStatus = Job['status']

/** What is the same of a job in every state: enough to know it again. */
export type JobHolder = Pick<Job, keyof QueuedJob>

/**
 * The one table of transitions. Source: specification, "States and transitions"; `queued` to `failed` is for jobs that
 * no worker could pick up, see docs/adr/0003.
 */
export const transitions = {
  queued: ['processing', 'failed'],
  processing: ['completed', 'failed'],
  completed: [],
  failed: [],
} as const satisfies Record<JobStatus, readonly JobStatus[]>

/** Every state, in the order of a job's life. */
export const jobStatuses = ['queued', 'processing', 'completed', 'failed'] as const satisfies readonly JobStatus[]

/** A terminal job never changes state again. */
export function isTerminal(status: JobStatus): status is 'completed' | 'failed' {
  return transitions[status].length === 0
}

/** The states of a job that has ended. */
export const terminalStatuses: readonly JobStatus[] = jobStatuses.filter(isTerminal)

/** The states from which a job may come to `status`: the condition of every write that moves a job there. */
export function predecessorsOf(status: JobStatus): readonly JobStatus[] {
  return jobStatuses.filter((from) => transitions[from].some((to) => to === status))
}

/** When a job ended, or undefined while it runs. */
export function endOf(job: Job): Date | undefined {
  if (job.status === 'completed') return job.completedAt
  return job.status === 'failed' ? job.failedAt : undefined
}

/** A job id as the service makes them; anything else cannot be a job. */
export function isJobId(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(text)
}

/** The name of the job's execution: one run is started once, whoever asks how often. At most 80 characters. */
export function executionName({ jobId, run }: JobRun): string {
  return `${jobId}-${run}`
}
