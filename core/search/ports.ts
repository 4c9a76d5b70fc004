import type { WarehouseTable } from '../../schema/columns/warehouse-tables.ts'
import type { WriteOutcome } from '../write-outcome.ts'

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
 * - `files-removed`: a file of other fee schedules was removed while it ran, worth retrying until the job's deadline
 * - `file-missing`: a file of its own contents does not exist
 * - `nothing-read`: it read no file, although its contents have rows
 * - `leftovers`: an interrupted attempt left files at its destination, so the query never ran
 * - `data-limit`: it read more bytes than the workgroup allows
 * - `exhausted`: it needed more memory than Athena gives one query
 * - `timed-out`: it reached Athena's time limit
 * - `permanent`: anything else
 */
export type QueryFault =
  | 'transient'
  | 'throttled'
  | 'files-removed'
  | 'file-missing'
  | 'nothing-read'
  | 'leftovers'
  | 'data-limit'
  | 'exhausted'
  | 'timed-out'
  | 'permanent'

/** The lists of files that search tables read (docs/adr/0043). */
export interface FileLists {
  /** Writes a search's list for a table, or writes it again. @param list its addresses are distinct */
  write(list: {
    readonly table: WarehouseTable
    readonly searchId: string
    readonly addresses: readonly string[]
  }): Promise<void>
}

/** The times at which lists of files did not work in a stage, although folders did (docs/adr/0043). */
export interface ListFaults {
  /** Returns the latest noted time; undefined if there is none. */
  read(): Promise<Date | undefined>
  /** Notes a time. Superseded if one after `before` is noted already. */
  note(at: Date, before: Date): Promise<WriteOutcome>
}

export interface Queries {
  /** Starts a query. Idempotent per token. */
  start(query: { readonly statement: string; readonly token: string }): Promise<QueryStart>
  /** Returns the query's state; `running` if the call is throttled. */
  look(queryId: string): Promise<QueryState>
  stop(queryId: string): Promise<void>
}
