import type { LoadFilter } from '../../core/catalogue/load-filter.ts'
import type { LoadRecords } from '../../core/loads/ports.ts'
import type { SwitchDeps } from '../../core/switching/plan-changes.ts'
import type { CodeNameWriter } from '../../core/vocabulary/code-name-writer.ts'
import type { RemoteFiles } from '../../fetch/remote/remote-files.ts'
import type { LoadOrder } from '../../schema/load-order.ts'
import type { FileProgress } from '../write/encode-file.ts'
import type { Machine } from '../write/machine.ts'
import type { WarehouseFolder } from './warehouse/warehouse-folder.ts'

/** The options of an order that a load in one process has, too. */
type SharedOptions = Omit<LoadOrder, 'files' | 'filterId' | 'userAgent' | 'connections' | 'allowPrivateAddresses'>

/** A request to load files. */
export type LoadRequest = { readonly [Option in keyof SharedOptions]: SharedOptions[Option] | undefined } & {
  /**
   * Local paths of in-network files, or their addresses (see `identifyAddress`), as that of `toc`; together they become
   * the content of the fee schedules that they name.
   */
  readonly files: readonly string[]
  /** A JSON file that says which local file an address in these files means. */
  readonly fileMap?: string | undefined
  /** True to fetch the files that local files list or refer to; those of remote files are always fetched. */
  readonly fetch?: boolean | undefined
  /** Keeps a part of the rates. @default - all are loaded */
  readonly filter?: LoadFilter | undefined
}

export type GivenNames = Pick<LoadRequest, 'payer' | 'plan'>

/** Calls back at an interval in seconds until it is stopped. */
export type Repeat = (seconds: number, call: () => void) => { stop(): void }

export interface LoadDeps extends SwitchDeps {
  readonly warehouse: WarehouseFolder
  readonly records: LoadRecords
  readonly codeNames: CodeNameWriter
  /** The process that reads files; workers are their own. */
  readonly machine: Machine
  /** Fetches remote files. @default - they are refused */
  readonly remote?: RemoteFiles
  readonly onProgress?: (progress: LoadProgress) => void
  /** Number of processes that read files. @default - this process reads them */
  readonly workers?: number
  /** Ends the load; active contents stay active. */
  readonly signal?: AbortSignal
  /** Repeats the load's signs of life. @default - it gives one before it switches, and none while it reads */
  readonly repeat?: Repeat
}

/** A file and its number among those of its load; `index` is from 1 to `of`. */
export interface FileOfLoad {
  readonly file: string
  readonly index: number
  readonly of: number
}

export type LoadProgress =
  /** The table of contents is read; `size` is undefined if its server does not say. */
  | { readonly step: 'listing'; readonly file: string; readonly bytesRead: number; readonly size: number | undefined }
  /** `known`: its rows are in the warehouse already, from this load or an earlier one. */
  | ({ readonly step: 'reading' | 'written' | 'known' | 'refused' } & FileOfLoad)
  | ({ readonly step: 'read' } & FileOfLoad & FileProgress)
  | { readonly step: 'switching'; readonly feeSchedules: number }
