/** The service's ports to the outside world. Each has one contract suite in test/adapters. */

import type { SearchEndedEvent } from '../contract/search-api.ts'
import type { ColumnSignature } from '../schema/columns/shard-schema.ts'
import type { EndedWord } from '../schema/metrics.ts'
import type { AccessRecord } from './access/access.ts'
import type { PresentedKey } from './access/api-key.ts'
import type {
  Checksum,
  CompletedJob,
  FailedJob,
  Job,
  JobHolder,
  JobKey,
  JobRun,
  JobStatus,
  QueuedJob,
  Shard,
  StartedQuery,
} from './job/job.ts'
import type { EndedAttempt } from './job/job-history.ts'
import type { SearchRequest } from './search/search-request.ts'
import type { ColumnPart } from './search/without-rows.ts'

export type Clock = () => Date

type LogFacts = Readonly<Record<string, string | number>>

/** Writes one line to the operator's log: never a key, a URL or a body. */
export interface Log {
  (event: string, facts: LogFacts): void
  /** Adds facts to every later line about the same request; absent outside requests. */
  readonly note?: (facts: LogFacts) => void
}

/** Counts an ended search by how it ended. */
export type CountEnd = (end: { readonly jobId: string; readonly word: EndedWord }) => void

/** A write that lost a race is an outcome, not an error: there is nothing left to do. */
export type WriteOutcome = 'written' | 'superseded'

/** The outcome of creating a job. */
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
   * Moves a queued job to processing and chooses its contents; does not change a processing job with chosen contents.
   *
   * @param contents see `ProcessingJob.contents`; undefined if not chosen yet
   */
  begin(job: JobRun, contents: readonly string[] | undefined, at: Date): Promise<WriteOutcome>
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

/** Announces ended searches to subscribers. */
export interface Announcements {
  /** Fails unless the announcement was accepted. */
  announce(event: SearchEndedEvent, endedAt: Date): Promise<void>
}

/** Rate limit for forced catalogue refreshes, shared by all jobs. */
export interface ForcedRefreshes {
  /** Claims the right to force a refresh at `at`; superseded unless the last one was claimed at or before `lastBy`. */
  claim(at: Date, lastBy: Date): Promise<WriteOutcome>
}

/** Finds jobs that have not ended or whose end is not announced; only for the sweeper. The index is eventually consistent. */
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
  /** When a step last touched it, or it ended. */
  readonly touchedAt: Date
  readonly query?: StartedQuery
  /** When its first query started; absent while it waits for one. */
  readonly runningSince?: Date
}

/** Looks up a job together with the caller's access, so that a poll costs one round trip. */
export interface JobLookup<Found extends Job = Job> {
  lookUp(key: PresentedKey, jobId: string): Promise<{ readonly access: AccessRecord; readonly job?: Found }>
}

export type WorkflowStart =
  /** The workflow is running, started by this call or an earlier one. */
  | { readonly outcome: 'started' }
  /** An execution of this name exists; it may still run or have ended. */
  | { readonly outcome: 'name-taken' }
  | { readonly outcome: 'not-started'; readonly cause: string }

/** Starts the job's workflow under its execution name. Idempotent. */
export interface Workflow {
  start(job: JobRun): Promise<WorkflowStart>
}

/** Also checks executions; only for the sweeper, because Step Functions allows few such calls per second. */
export interface WatchedWorkflow extends Workflow {
  isRunning(job: JobRun): Promise<boolean>
}

export type QueryStart =
  | { readonly outcome: 'started'; readonly queryId: string }
  /** Athena has no capacity now: retry until the job's deadline. */
  | { readonly outcome: 'throttled' }
  /** The token was already used with a different statement. */
  | { readonly outcome: 'token-used' }

export type QueryState =
  | { readonly state: 'running' }
  | { readonly state: 'succeeded'; readonly manifest: string | undefined; readonly bytesScanned?: number }
  | { readonly state: 'failed'; readonly fault: QueryFault; readonly reason: string; readonly bytesScanned?: number }

/**
 * Why a query failed:
 * - `transient`: an error of Athena itself, worth one more attempt
 * - `throttled`: Athena, Glue or S3 throttled it, worth retrying until the job's deadline
 * - `leftovers`: an interrupted attempt left files at its destination, so the query never ran
 * - `data-limit`: it read more bytes than the workgroup allows
 * - `exhausted`: it needed more memory than Athena gives one query
 * - `timed-out`: it reached Athena's time limit
 * - `permanent`: anything else
 */
export type QueryFault =
  | 'transient'
  | 'throttled'
  | 'leftovers'
  | 'data-limit'
  | 'exhausted'
  | 'timed-out'
  | 'permanent'

/** Runs queries over the warehouse. */
export interface Queries {
  /** Starts a query. Idempotent per token. */
  start(query: { readonly statement: string; readonly token: string }): Promise<QueryStart>
  /** Returns the query's state; `running` if the call is throttled. */
  look(queryId: string): Promise<QueryState>
  stop(queryId: string): Promise<void>
}

/** A column of a SELECT's result: name in lower case, type in Trino's spelling, an array without its element type. */
export interface ResultColumn {
  readonly name: string
  readonly type: string
}

/** The rows of a SELECT as text; NULL is undefined. */
export interface ResultTable {
  readonly columns: readonly ResultColumn[]
  readonly rows: readonly (readonly (string | undefined)[])[]
}

/** Reads the rows of a SELECT; only for an operator's small relations. Search results are in files. */
export interface QueryRows {
  /** Reads all rows of a succeeded query. */
  readAll(queryId: string): Promise<ResultTable>
}

export interface ResultFile {
  /** Key in the results bucket. */
  readonly key: string
  readonly bytes: number
  /** The storage's checksum; absent if it has none. */
  readonly checksum?: Checksum
}

/** The contents of a shard's footer. */
export interface Footer extends ResultFile {
  readonly rows: number
  readonly schema: readonly ColumnSignature[]
  readonly parts: readonly ColumnPart[]
}

/** Stores result files. */
export interface ResultFiles {
  /** Returns the `s3://` address of a prefix in the results bucket. */
  addressOf(prefix: string): string
  /** Lists the keys in a query's manifest, in its order. Fails if one is outside the results bucket. */
  readManifest(manifest: string): Promise<readonly string[]>
  readFooter(key: string): Promise<Footer>
  write(key: string, body: Uint8Array): Promise<void>
  /** Deletes every file whose key starts with the prefix, which ends in `/`. */
  removeBelow(prefix: string): Promise<void>
}

export interface SignedUrls {
  readonly urls: readonly string[]
  /** When the URLs expire: one hour from now, or earlier if the credentials that signed them do. */
  readonly expiresAt: Date
}

/** Signs download URLs. Anyone who has one can read that file until it expires. */
export interface UrlSigner {
  sign(shards: readonly (Pick<Shard, 'key'> & { readonly fileName: string })[]): Promise<SignedUrls>
}
