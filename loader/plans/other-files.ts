import { identifyAddress, otherKindOf } from '../fetch/file-address.ts'
import { toOneLine } from '../fetch/load-refused.ts'

/** What was found in a table of contents: entries that are no rate files, or as in any file. */
export interface ContentsFinding {
  /** A rule of `findingRules`; of entries the ending of their names, or `folder`. */
  readonly kind: string
  readonly count: number
  /** The first few, without query strings. */
  readonly examples: readonly string[]
}

const maxExamples = 3

/** Counts locations that are no rate files by kind, each once. */
export class OtherFileCounts {
  readonly #byKind = new Map<string, Set<string>>()

  /** @returns whether the location is no rate file */
  take(location: string): boolean {
    const kind = otherKindOf(location)
    if (kind !== undefined) this.#byKind.set(kind, (this.#byKind.get(kind) ?? new Set()).add(identifyAddress(location)))
    return kind !== undefined
  }

  list(): readonly ContentsFinding[] {
    return [...this.#byKind].map(([kind, found]) => ({
      ...{ kind, count: found.size },
      examples: [...found].slice(0, maxExamples).map(toOneLine),
    }))
  }
}
