/** The ports of the workflow: executions, and files of results. */

import type { ColumnSignature } from '../../schema/columns/shard-schema.ts'
import type { Checksum, JobRun } from '../job/job.ts'
import type { ColumnChunk } from '../search/without-rows.ts'

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
  readonly chunks: readonly ColumnChunk[]
}

export interface ResultFiles {
  /** Returns the `s3://` address of a prefix in the results bucket. */
  addressOf(prefix: string): string
  /** Lists the keys in a query's manifest, in its order. Fails if one is outside the results bucket. */
  readManifest(manifest: string): Promise<readonly string[]>
  readFooter(key: string): Promise<Footer>
  /** Writes a shard. @returns its footer, as `readFooter` would */
  write(key: string, body: Uint8Array): Promise<Footer>
  /** Deletes every file whose key starts with the prefix, which ends in `/`. */
  removeBelow(prefix: string): Promise<void>
}
