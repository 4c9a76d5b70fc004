import type { LoadFilter } from '../../core/catalogue/load-filter.ts'
import type { LoadRecords } from '../../core/loads/ports.ts'
import type { knownMajor } from '../decode/schema-version.ts'
import type { RemoteFiles } from '../fetch/remote/remote-files.ts'
import type { SignedLocations } from '../fetch/remote/signed-locations.ts'
import type { FileProgress } from '../write/encode-file.ts'
import type { SwitchDeps } from './catalogue/plan-changes.ts'

/** The names that the operator gives instead of those in the files. */
export interface GivenNames {
  readonly payer?: string | undefined
  readonly plan?: string | undefined
}

/** What is to be loaded. */
export interface LoadRequest extends GivenNames {
  /**
   * Local paths of in-network files, or their addresses (see `identifyAddress`); together they become the content of
   * the fee schedules that they name.
   */
  readonly files: readonly string[]
  /** A table of contents, by path or address: it says which plans there are and which files they consist of. */
  readonly toc?: string | undefined
  /** A JSON file that says which local file an address in these files means. */
  readonly fileMap?: string | undefined
  /** Whether files are fetched that local files list or refer to; those of remote files always are. */
  readonly fetch?: boolean | undefined
  /** Whether a fee schedule is switched without the files that are missing or refused, and marked partial. */
  readonly partial?: boolean | undefined
  /** Whether the active files stay active, except for those that are replaced by a file of the same identity. */
  readonly add?: boolean | undefined
  /** Whether a fee schedule may shrink by more than `maxShrink`. */
  readonly replace?: boolean | undefined
  /** Whether plans that the table of contents does not list any more stay active. */
  readonly keepMissing?: boolean | undefined
  /** The largest share of its rates, codes or NPIs that a fee schedule may lose, and of its plans a table of contents. */
  readonly maxShrink?: number | undefined
  /** The largest share of the plans that may be left out; 1 if absent. */
  readonly maxFailed?: number | undefined
  /** The largest share of a file's prices that may be skipped; 1 % if absent. */
  readonly maxSkipped?: number | undefined
  /** Whether the first value that would be skipped refuses its file. */
  readonly strict?: boolean | undefined
  /** As which major version files and tables of contents of a newer schema are read; absent: they are refused. */
  readonly assumeVersion?: typeof knownMajor | undefined
  /** Whether faults of JSON that have one cure are repaired; absent: they refuse their file. */
  readonly repair?: boolean | undefined
  /** Whether names and descriptions of items are left out, because they may be somebody's property. */
  readonly withoutDescriptions?: boolean | undefined
  /** Which rates are loaded; all if absent. */
  readonly filter?: LoadFilter | undefined
}

/** Calls back at an interval in seconds until it is stopped. */
export type Repeat = (seconds: number, call: () => void) => { stop(): void }

export interface LoadDeps extends SwitchDeps {
  readonly records: LoadRecords
  /** Fetches remote files; without it they are refused. */
  readonly remote?: RemoteFiles<SignedLocations>
  readonly onProgress?: (progress: LoadProgress) => void
  /** Number of processes that read files; 1 if absent: then this process reads them. */
  readonly workers?: number
  /** Ends the load; what was active stays active. */
  readonly signal?: AbortSignal
  /** Repeats the load's signs of life; absent: it gives one before it switches, and none while it reads. */
  readonly repeat?: Repeat
}

/** Which file of how many; `index` from 1 to `of`. */
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
