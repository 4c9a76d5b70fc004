import type { LoadFilter } from '../../core/catalogue/load-filter.ts'
import type { FileProgress, StagedFile } from '../staging/stage-file.ts'

/** What a worker is told once: the options that all files of a load share. */
export interface WorkerSettings {
  readonly files: readonly string[]
  readonly fileMap: string | undefined
  /** Threads of its staging database. */
  readonly threads: number
  readonly options: {
    readonly partial: boolean
    readonly maxSkipped: number
    readonly strict: boolean
    readonly filter: LoadFilter | undefined
  }
}

export type ToWorker =
  | { readonly kind: 'settings'; readonly settings: WorkerSettings }
  | {
      readonly kind: 'stage'
      readonly path: string
      readonly scratch: string
      /** The first file of each table, by the table's name. */
      readonly tables: Readonly<Record<string, string>>
    }

export type FromWorker =
  | { readonly kind: 'progress'; readonly progress: FileProgress }
  | { readonly kind: 'staged'; readonly file: StagedFile }
  | { readonly kind: 'refused'; readonly file: string; readonly fault: string }
  /** An error that is not the file's. */
  | { readonly kind: 'failed'; readonly message: string }
