import { writtenJobId } from '../../contract/limits.ts'
import type { SummaryRequest } from '../../contract/summaries.ts'
import type { FeeSchedule } from '../catalogue/fee-schedule.ts'
import type { ChosenNppesMonth } from '../nppes/nppes-months.ts'

/** A search job: its data in each state, and the transitions between states. */

/**
 * Identifies a job. An id derived from an idempotency key can be reused after its job is deleted; `run` tells the two
 * apart.
 */
export interface JobKey {
  readonly orgId: string
  /** UUIDv4. */
  readonly jobId: string
}

export interface JobRun extends JobKey {
  /** Random, created with the job. Execution name, attempt prefixes and query tokens are derived from it. */
  readonly run: string
}

interface JobBase extends JobRun {
  readonly createdAt: Date
  /** Key of the stored request, so that a replay with another body cannot change what runs. */
  readonly requestHash: string
  /** The options of its summary, as in its request; absent if it is a search for rows. */
  readonly summary?: SummaryRequest
}

export interface QueuedJob extends JobBase {
  readonly status: 'queued'
  /** The key that created it, which is only stored, for the operator. */
  readonly keyId?: string
  /** Bytes that it took of its key's limit of the day; absent if the key has none. */
  readonly bytesTaken?: number
}

/** The contents and the NPPES month that a search reads. Chosen once, so that every attempt reads the same. */
export interface Chosen {
  /**
   * The content of each of the search's fee schedules, in their order; empty over an operator's own relation. Absent
   * until they are chosen.
   */
  readonly contents?: readonly string[]
  /** The fee schedules of these contents, in the same order; absent unless the request names plan ids. */
  readonly feeSchedules?: readonly FeeSchedule[]
  /** The NPPES month that was active when the contents were chosen. */
  readonly nppesMonth?: ChosenNppesMonth
}

export interface ProcessingJob extends JobBase, Chosen {
  readonly status: 'processing'
  /** The current query, so that it can be stopped; absent until the first is started. */
  readonly query?: StartedQuery
  /** As of the queued job. */
  readonly bytesTaken?: number
}

export interface StartedQuery {
  readonly queryId: string
  /** Counted from 1. Each attempt has its own prefix and query token. */
  readonly attempt: number
}

export interface Shard {
  /** Key in the results bucket. */
  readonly key: string
  readonly bytes: number
  readonly rows: number
  /** The storage's checksum; absent if it has none. */
  readonly checksum?: Checksum
}

/** A checksum that the storage computed. Source: Amazon S3 API, HeadObject, x-amz-checksum-type. */
export interface Checksum {
  readonly algorithm: 'CRC32' | 'CRC32C' | 'CRC64NVME' | 'SHA1' | 'SHA256'
  /** A `COMPOSITE` checksum is made of the checksums of the parts of a multipart upload. */
  readonly type: 'FULL_OBJECT' | 'COMPOSITE'
  /** In Base64; a composite one ends in `-` and the number of parts. */
  readonly value: string
}

export interface CompletedJob extends JobBase {
  readonly status: 'completed'
  readonly completedAt: Date
  readonly attempt: number
  /** Bytes that the attempt's query read; absent if unknown. */
  readonly bytesScanned?: number
  /** Identifies the columns of the shards (`columnsKey` in schema/columns/shard-schema.ts); absent if unknown. */
  readonly columnsKey?: string
  /** A bit for each value that was asked for, see `findWithoutRows`; absent if unknown. */
  readonly withoutRows?: Uint8Array
  /** True if the search has more rows than its limit, false if it has not; absent if it has no limit. */
  readonly truncated?: boolean
  /** Never empty: an empty result has one shard without rows. */
  readonly shards: readonly Shard[]
}

export interface FailedJob extends JobBase {
  readonly status: 'failed'
  readonly failedAt: Date
  /** A word of `failureWords`, a colon and a sentence. */
  readonly error: string
  /** The job's last query, so that it can be stopped; absent if none was noted. */
  readonly query?: StartedQuery
}

export type Job = QueuedJob | ProcessingJob | CompletedJob | FailedJob

export type JobStatus = Job['status']

export type EndedJob = CompletedJob | FailedJob

/** The fields that a job has in every state, enough to identify it. */
export type JobHolder = Pick<Job, keyof JobBase | 'status'>

/** The only table of transitions. `queued` to `failed` is for jobs that no step could pick up, see docs/adr/0003. */
export const transitions = {
  queued: ['processing', 'failed'],
  processing: ['completed', 'failed'],
  completed: [],
  failed: [],
} as const satisfies Record<JobStatus, readonly JobStatus[]>

export const jobStatuses = ['queued', 'processing', 'completed', 'failed'] as const satisfies readonly JobStatus[]

/** True if the state is final: a terminal job never changes. */
export function isTerminal(status: JobStatus): status is 'completed' | 'failed' {
  return transitions[status].length === 0
}

export function isEnded(job: Job): job is EndedJob {
  return isTerminal(job.status)
}

export const terminalStatuses: readonly JobStatus[] = jobStatuses.filter(isTerminal)

/** Lists the states from which a job may move to `status`, the condition of every write that moves it there. */
export function predecessorsOf(status: JobStatus): readonly JobStatus[] {
  return jobStatuses.filter((from) => transitions[from].some((to) => to === status))
}

/** The fields of a job that say when it ended. */
export type JobEnd =
  | { readonly status: 'queued' | 'processing' }
  | { readonly status: 'completed'; readonly completedAt: Date }
  | { readonly status: 'failed'; readonly failedAt: Date }

/** Returns when a job ended; undefined if it has not. */
export function endOf(job: Extract<JobEnd, { status: 'completed' | 'failed' }>): Date
export function endOf(job: JobEnd): Date | undefined
export function endOf(job: JobEnd): Date | undefined {
  if (job.status === 'completed') return job.completedAt
  return job.status === 'failed' ? job.failedAt : undefined
}

/** True if the text has the form of a job id. */
export const isJobId = (text: string): boolean => writtenJobId.test(text)

/**
 * Name of the job's execution. Starting it is idempotent, because Step Functions starts a name only once. At most 80
 * characters.
 */
export function executionName({ jobId, run }: JobRun): string {
  return `${jobId}-${run}`
}
