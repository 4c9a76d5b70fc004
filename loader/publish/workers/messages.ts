import type { HttpSettings } from '../../fetch/remote/http-client.ts'
import type { EncodedFile, FileProgress } from '../../write/encode-file.ts'
import type { LoadRequest } from '../load-request.ts'

export type ToWorker =
  /** What all files of a load share; without `http`, no file is fetched. */
  | { readonly kind: 'settings'; readonly request: LoadRequest; readonly http: HttpSettings | undefined }
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
