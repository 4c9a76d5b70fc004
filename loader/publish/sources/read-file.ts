import { hash } from 'node:crypto'
import type { Source } from '../../../core/catalogue/content.ts'
import type { Finding } from '../../decode/findings.ts'
import type { FileFinder } from '../../fetch/file-finder.ts'
import type { LoadRefused } from '../../fetch/load-refused.ts'
import type { LoadDeps, LoadRequest } from '../load-request.ts'

/** The outcome of reading a file. */
export type ReadFile =
  | {
      readonly outcome: 'ready'
      readonly source: Source
      /** All files that it refers to; a source records only some. */
      readonly references: Source['references']
      /** See `keyOfReferences`. */
      readonly referencesKey: string
      /** Undefined if the rows of an earlier load were reused without reading it. */
      readonly findings: readonly Finding[] | undefined
    }
  | { readonly outcome: 'refused'; readonly error: LoadRefused }

export type ReadyFile = Extract<ReadFile, { readonly outcome: 'ready' }>

export interface ReadRun {
  /** The publisher of files that do not name one. */
  readonly entity: string | undefined
  readonly loadId: string
  readonly request: LoadRequest
  readonly finder: FileFinder
  readonly deps: LoadDeps
}

/** @param findings absent if the file was not read */
export const readyFile = (
  source: Source,
  references = source.references,
  findings?: ReadyFile['findings'],
): ReadyFile => ({ outcome: 'ready', source, references, referencesKey: keyOfReferences(references), findings })

/** A key of the files that a file refers to, equal if they have the same addresses and content. */
export function keyOfReferences(references: Source['references']): string {
  const sorted = references.map(({ identity, contentHash }) => JSON.stringify([identity, contentHash])).sort()
  return hash('sha256', sorted.join(), 'base64')
}
