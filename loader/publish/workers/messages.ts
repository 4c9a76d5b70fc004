import type { LoadFilter } from '../../../core/catalogue/load-filter.ts'
import type { HttpSettings } from '../../fetch/remote/http-client.ts'
import type { EncodedFile, FileProgress } from '../../write/encode-file.ts'

/** What a worker is told once: the options that all files of a load share. */
export interface WorkerSettings {
  readonly files: readonly string[]
  readonly fileMap: string | undefined
  /** Absent if no file is fetched. */
  readonly fetching: { readonly http: HttpSettings; readonly fetchesAll: boolean } | undefined
  readonly options: {
    readonly partial: boolean
    readonly maxSkipped: number
    readonly strict: boolean
    readonly needsPlan: boolean | undefined
    readonly assumesVersion: boolean | undefined
    readonly repair: boolean | undefined
    readonly filter: LoadFilter | undefined
  }
}

export type ToWorker =
  | { readonly kind: 'settings'; readonly settings: WorkerSettings }
  | {
      readonly kind: 'encode'
      readonly path: string
      /** The URL of a remote file. */
      readonly location: string | undefined
      readonly scratch: string
      /** The first file of each table, by the table's name. */
      readonly tables: Readonly<Record<string, string>>
    }
  | { readonly kind: 'renewed'; readonly address: string; readonly location: string | undefined }

export type FromWorker =
  | { readonly kind: 'progress'; readonly progress: FileProgress }
  | { readonly kind: 'encoded'; readonly file: EncodedFile }
  | { readonly kind: 'refused'; readonly file: string; readonly fault: string; readonly hasChanged: boolean }
  /** The URL of this address was denied; answered by `renewed`. */
  | { readonly kind: 'renew'; readonly address: string; readonly denied: string }
  /** An error that is not the file's. */
  | { readonly kind: 'failed'; readonly message: string }
