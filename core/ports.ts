/** What the service needs from the world, in its own words. Each port has one contract in test/adapters. */
import type { AccessRecord, Organization } from './access.ts'
import type { PresentedKey, StoredKey } from './api-key.ts'
import type { CatalogueEntry } from './catalogue-entry.ts'
import type { FeeSchedule } from './fee-schedule.ts'
import type { CompletedJob, FailedJob, Job, JobHolder, JobKey, JobRun, QueuedJob, Shard, StartedQuery } from './job.ts'
import type { EndedWord } from './metrics.ts'
import type { SearchRequest } from './search-request.ts'
import type { ColumnSignature } from './shard-schema.ts'

export type Clock = () => Date

/** Writes one line of the operator's log: never a key, a URL or a body. */
export type Log = (event: string, facts: Readonly<Record<string, string | number>>) => void

/** Counts a search that has ended, under how it ended. */
export type CountEnd = (end: { readonly jobId: string; readonly word: EndedWord }) => void

/** Reads keys: every read is strongly consistent, so that a revoked key is refused by the next request. */
export interface Access {
  readAccess(key: PresentedKey): Promise<AccessRecord>
}

/** Manages organizations and keys; for the operator's command alone. */
export interface AccessAdmin extends Access {
  putOrganization(organization: Organization): Promise<void>
  putKey(key: StoredKey, label: string, createdAt: Date): Promise<void>
  listOrganizations(): Promise<readonly Organization[]>
  listKeys(orgId: string): Promise<readonly (StoredKey & { readonly label: string; readonly createdAt: Date })[]>
  /** @returns false where there is no such key */
  revokeKey(orgId: string, keyId: string, revokedAt: Date): Promise<boolean>
  /** @returns false where there is no such organization */
  deactivateOrganization(orgId: string): Promise<boolean>
}

/** A write that lost to another one is an outcome, not an error: whoever comes late has nothing left to do. */
export type WriteOutcome = 'written' | 'superseded'

/** What became of a new job. */
export type JobCreation =
  | { readonly outcome: 'created' }
  /** Another run has its id and keeps it: nothing was changed. */
  | { readonly outcome: 'id-taken'; readonly by: JobHolder }

/** The jobs. Every read is strongly consistent; every write is conditional on the run and the transition table. */
export interface Jobs {
  /**
   * Stores the request under its hash, then the job, unless its id is taken. A job that had ended by `endedBefore`
   * (absent: none) has outlived its retention and gives its id up.
   */
  create(job: QueuedJob, request: SearchRequest, requestExpiresAt: Date, endedBefore?: Date): Promise<JobCreation>
  read(key: JobKey): Promise<Job | undefined>
  readRequest(orgId: string, requestHash: string): Promise<SearchRequest | undefined>
  /** Brings a queued job to processing and chooses its sources; a processing job whose sources are chosen stays as it is. */
  begin(job: JobRun, sources: readonly string[] | undefined, at: Date): Promise<WriteOutcome>
  /** Notes which query runs for the job; only a job that is processing takes it. */
  noteQuery(job: JobRun, query: StartedQuery, at: Date): Promise<WriteOutcome>
  /** Says that the job is looked after, so that the sweeper leaves it alone; only a job that has not ended takes it. */
  touch(job: JobRun, at: Date): Promise<WriteOutcome>
  complete(job: CompletedJob, expiresAt: Date): Promise<WriteOutcome>
  fail(job: JobRun & Pick<FailedJob, 'failedAt' | 'error'>, expiresAt: Date): Promise<WriteOutcome>
  /** Removes a job that has ended, then its shards; one that is not there any more is as good as removed. */
  remove(job: JobRun): Promise<WriteOutcome>
}

/** The refreshes of the catalogue that missed fee schedules force; all jobs share one count. */
export interface ForcedRefreshes {
  /** Takes the right to force one at `at`: 'superseded' unless the last one was forced at `lastBy` or before. */
  claim(at: Date, lastBy: Date): Promise<WriteOutcome>
}

/** Finds the jobs that have not ended; for the sweeper alone. The index lags a little behind the jobs. */
export interface UnendedJobs {
  /** At most `limit` jobs, the longest untouched first. */
  list(limit: number): Promise<readonly UnendedJob[]>
}

/** What the index knows of a job that has not ended. */
export interface UnendedJob extends JobRun {
  readonly status: 'queued' | 'processing'
  readonly createdAt: Date
  /** When a step last looked after it. */
  readonly touchedAt: Date
  readonly query?: StartedQuery
  /** When its first query started; absent while it waits for one. */
  readonly runningSince?: Date
}

/** Looks one of an organization's jobs up together with who asks: a poll costs one round trip. */
export interface JobLookup {
  lookUp(key: PresentedKey, jobId: string): Promise<{ readonly access: AccessRecord; readonly job?: Job }>
}

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[]
  /** Where the next page starts; absent on the last one. */
  readonly next?: FeeSchedule
}

/** Which fee schedules exist. */
export interface Catalogue {
  find(feeSchedules: readonly FeeSchedule[]): Promise<readonly CatalogueEntry[]>
  /** Fee schedules of one payer by plan, or of all payers: a payer's plans come together and in order. */
  list(query: {
    readonly payer?: string
    readonly limit: number
    readonly after?: FeeSchedule
  }): Promise<Page<CatalogueEntry>>
}

/** Changes the catalogue; for the loader, and for the timer that reads an operator's own relation. */
export interface CatalogueAdmin extends Catalogue {
  /** Puts the entry in place of the version that it was made from (absent: of none). */
  replace(entry: CatalogueEntry, replacedVersion: string | undefined): Promise<WriteOutcome>
  /** Removes the entry if it has this version. */
  remove(feeSchedule: FeeSchedule, version: string): Promise<WriteOutcome>
}

export type WorkflowStart =
  /** It runs, by this call or by an earlier one. */
  | { readonly outcome: 'started' }
  /** There was an execution of this name before; it may run or have ended. */
  | { readonly outcome: 'name-taken' }
  | { readonly outcome: 'not-started'; readonly cause: string }

/** Starts the job's workflow under its execution name: once, however often it is called. */
export interface Workflow {
  start(job: JobRun): Promise<WorkflowStart>
}

/** Also looks at executions; for the sweeper alone, since Step Functions allows few looks a second. */
export interface WatchedWorkflow extends Workflow {
  isRunning(job: JobRun): Promise<boolean>
}

export type QueryStart =
  | { readonly outcome: 'started'; readonly queryId: string }
  /** Athena has no room now: try again later, for as long as the job may wait. */
  | { readonly outcome: 'throttled' }
  /** The token was used with another statement. */
  | { readonly outcome: 'token-used' }

export type QueryState =
  | { readonly state: 'running' }
  | { readonly state: 'succeeded'; readonly manifest: string | undefined }
  | { readonly state: 'failed'; readonly fault: QueryFault; readonly reason: string }

/**
 * Why a query failed:
 * - `transient`: an error of Athena itself, worth one more attempt
 * - `throttled`: Athena, Glue or S3 throttled it, worth an attempt whenever they have room
 * - `leftovers`: an earlier attempt that was cut short left files at its destination; it never began
 * - `data-limit`: it read more bytes than the workgroup allows
 * - `exhausted`: it needed more memory than Athena gives one query
 * - `timed-out`: it ran to Athena's own limit
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
  /** Starts a query once per token, however often it is called. */
  start(query: { readonly statement: string; readonly token: string }): Promise<QueryStart>
  /** A throttled look counts as `running`. */
  look(queryId: string): Promise<QueryState>
  stop(queryId: string): Promise<void>
}

/** A column of a SELECT's result: its name in lower case, its type as Trino spells it, an array's without its element. */
export interface ResultColumn {
  readonly name: string
  readonly type: string
}

/** The rows of a SELECT, as text; NULL is undefined. */
export interface ResultTable {
  readonly columns: readonly ResultColumn[]
  readonly rows: readonly (readonly (string | undefined)[])[]
}

/** Reads what a SELECT found; for small relations of an operator's own. What searches find is in files. */
export interface QueryRows {
  /** All rows of a query that has succeeded, page by page. */
  readAll(queryId: string): Promise<ResultTable>
}

export interface ResultFile {
  /** Key in the results bucket. */
  readonly key: string
  readonly bytes: number
}

/** What a shard's own footer says. */
export interface Footer extends ResultFile {
  readonly rows: number
  readonly schema: readonly ColumnSignature[]
}

/** The files of results. */
export interface ResultFiles {
  /** The address that a query writes below, for a prefix of the results bucket. */
  addressOf(prefix: string): string
  /** The keys that a query's manifest lists: only files of the results bucket, in the manifest's order. */
  readManifest(manifest: string): Promise<readonly string[]>
  readFooter(key: string): Promise<Footer>
  write(key: string, body: Uint8Array): Promise<void>
  /** Removes every file whose key begins with the prefix, which ends in `/`. */
  removeBelow(prefix: string): Promise<void>
}

export interface SignedUrls {
  readonly urls: readonly string[]
  /** When the first of them ends: an hour from now, or when the credentials that signed them end. */
  readonly expiresAt: Date
}

/** Signs download addresses: anyone who has one may read that one file until it expires. */
export interface UrlSigner {
  sign(shards: readonly (Pick<Shard, 'key'> & { readonly fileName: string })[]): Promise<SignedUrls>
}
