import type { EndedWord } from '../../schema/metrics.ts'
import type { SearchRequest } from '../search/search-request.ts'
import type { WriteOutcome } from '../write-outcome.ts'
import type {
  Chosen,
  CompletedJob,
  FailedJob,
  Job,
  JobHolder,
  JobKey,
  JobRun,
  JobStatus,
  QueuedJob,
  StartedQuery,
} from './job.ts'
import type { EndedAttempt } from './job-history.ts'
import type { JobListItem, ListedJob } from './job-list.ts'

export type CountEnd = (end: { readonly jobId: string; readonly word: EndedWord }) => void

export type JobCreation =
  | { readonly outcome: 'created' }
  /** Another run has the id; nothing was changed. */
  | { readonly outcome: 'id-taken'; readonly by: JobHolder }

/** Stores jobs. Every read is strongly consistent; every write is conditional on the run and the transition table. */
export interface Jobs {
  /**
   * Stores the request under its hash, then the job unless its id is taken. A job that ended by `endedBefore` (absent:
   * none) is past its retention and gives up its id.
   */
  create(job: QueuedJob, request: SearchRequest, requestExpiresAt: Date, endedBefore?: Date): Promise<JobCreation>
  read(key: JobKey): Promise<Job | undefined>
  readRequest(orgId: string, requestHash: string): Promise<SearchRequest | undefined>
  /**
   * Moves a queued job to processing and stores what it reads; does not change a processing job with chosen contents.
   *
   * @param chosen empty if its contents are not chosen yet
   */
  begin(job: JobRun, chosen: Chosen, at: Date): Promise<WriteOutcome>
  /** Records the job's running query. Superseded unless the job is processing. */
  noteQuery(job: JobRun, query: StartedQuery, at: Date): Promise<WriteOutcome>
  /**
   * Records an attempt that ended without completing the job. Superseded unless the job is processing and no attempt of
   * this or a higher number is recorded.
   */
  noteAttempt(job: JobRun, attempt: EndedAttempt, at: Date): Promise<WriteOutcome>
  /** Marks the job as active, so that the sweeper skips it. Superseded if the job has ended. */
  touch(job: JobRun, at: Date): Promise<WriteOutcome>
  complete(job: CompletedJob, expiresAt: Date): Promise<WriteOutcome>
  fail(job: JobRun & Pick<FailedJob, 'failedAt' | 'error'>, expiresAt: Date): Promise<WriteOutcome>
  /** Takes an ended job out of the index of unended jobs. Idempotent. */
  noteAnnounced(job: JobRun): Promise<WriteOutcome>
  /** Deletes an ended job, then its shards, unless its end is still to be announced. Idempotent. */
  remove(job: JobRun): Promise<WriteOutcome | 'unannounced'>
}

/**
 * Finds jobs that have not ended or whose end is not announced; only for the sweeper. The index is eventually
 * consistent.
 */
export interface UnendedJobs {
  /** Lists up to `limit` jobs, least recently touched first. */
  list(limit: number): Promise<readonly UnendedJob[]>
  /** Lets an ended job wait behind the others, because it cannot be announced now. */
  postpone(job: JobRun, at: Date): Promise<WriteOutcome>
}

/** An unended job as the index has it. */
export interface UnendedJob extends JobRun {
  readonly status: JobStatus
  readonly createdAt: Date
  /** Time of the last step, or of the job's end. */
  readonly touchedAt: Date
  readonly query?: StartedQuery
  /** When its first query started; absent while it waits for one. */
  readonly runningSince?: Date
}

/** Reads the fields that jobs have in every state, for many jobs at once and strongly consistent. */
export interface JobHolders {
  /** Leaves out jobs that do not exist. */
  readHolders(keys: readonly JobKey[]): Promise<readonly JobHolder[]>
}

export interface JobList {
  /**
   * Up to `limit` jobs, newest first. Eventually consistent: a new job may be missing, and a deleted one still listed.
   *
   * @param after the position to continue from. @default - the beginning
   */
  list(orgId: string, limit: number, after?: ListedJob): Promise<readonly ListedJob[]>
  /** Reads these jobs, in the same order, with strongly consistent reads; missing ones are omitted. */
  read(orgId: string, jobs: readonly ListedJob[]): Promise<readonly JobListItem[]>
}
