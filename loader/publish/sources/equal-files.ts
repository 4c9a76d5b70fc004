import { hash } from 'node:crypto'
import type { Source } from '../../../core/catalogue/content.ts'
import type { ReadyFile } from './read-file.ts'

/** Finds files of equal content among those of a load, which are one source: that of the first. */
export class EqualFiles {
  readonly #byHash = new Map<string, ReadyFile>()

  /** @param packedHash SHA-256 of the file as published, in hex */
  find(packedHash: string): ReadyFile | undefined {
    const file = this.#byHash.get(packedHash)
    return file === undefined || file.source.partial ? undefined : file
  }

  /**
   * A file with one of these hashes, of its JSON text or of its bytes, whose source also serves another file: it refers
   * to files of the same content, and none of them is missing.
   */
  findSame(referencesKey: string, ...hashes: readonly string[]): ReadyFile | undefined {
    const files = hashes.map((each) => this.find(each))
    return files.find((file) => file?.referencesKey === referencesKey)
  }

  /** Returns the file, or the one that is the same as it. */
  unite(file: ReadyFile, packedHash?: string): ReadyFile {
    const hashes = [file.source.contentHash, ...(packedHash === undefined ? [] : [packedHash])]
    const same = this.findSame(file.referencesKey, ...hashes)
    if (same === undefined) for (const each of hashes) this.#byHash.set(each, file)
    return same ?? file
  }
}

/** A key of the files that a file refers to, equal if they have the same addresses and content. */
export function keyOfReferences(references: Source['references']): string {
  const sorted = references.map(({ identity, contentHash }) => JSON.stringify([identity, contentHash])).sort()
  return hash('sha256', sorted.join(), 'base64')
}
