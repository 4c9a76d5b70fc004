import type { ReadyFile } from './read-file.ts'

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
