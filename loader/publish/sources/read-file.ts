import { hash } from 'node:crypto'
import type { Source } from '../../../core/catalogue/content.ts'
import type { FileFinder, FileToRead } from '../../../fetch/file-finder.ts'
import { LoadRefused } from '../../../fetch/load-refused.ts'
import type { LoadPosition } from '../../../schema/columns/prefixed-id.ts'
import type { Finding } from '../../decode/findings.ts'
import type { LoadDeps, LoadRequest } from '../load-request.ts'

/** A file of a load, with its position in it. */
export interface PlacedFile extends FileToRead, Pick<LoadPosition, 'position'> {}

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

/**
 * A file that the load did not read, through no fault of the file. Its plans are left out even if they may be partial:
 * their active contents must not be replaced because workers were lost.
 */
export class NotRead extends LoadRefused {}

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

/**
 * Finds files of equal content among those of a load, which are one source: that of the first. A file that refers to
 * missing ones shares its source with no other.
 */
export class EqualFiles {
  readonly #found = new Map<string, ReadyFile>()

  /** @param key as `keyOfContent`, or SHA-256 of the file as published, in hex */
  find(key: string): ReadyFile | undefined {
    return this.#found.get(key)
  }

  /** Returns the file, or the one that is the same as it. */
  unite(file: ReadyFile): ReadyFile {
    const { contentHash, etag, partial } = file.source
    const key = keyOfContent(contentHash, file.referencesKey)
    const same = this.find(key)
    if (same === undefined && !partial) for (const each of [key, etag ?? key]) this.#found.set(each, file)
    return same ?? file
  }
}

/** Equal for files of the same JSON text that refer to files of the same addresses and content. */
export const keyOfContent = (contentHash: string, referencesKey: string) => `${contentHash} ${referencesKey}`
