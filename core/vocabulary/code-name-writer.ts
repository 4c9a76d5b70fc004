import { type CodeName, publisherKeyOf } from './code-names.ts'
import type { CodeNamesAdmin } from './ports.ts'

/** Adds the names that files write, and keeps them in order; for loads and the commands of operators. */
export interface CodeNameWriter {
  /**
   * Stores the names that a publisher's earlier files do not have. Safe to call concurrently, and again after a kill.
   *
   * @param reportingEntityName the publisher, as its file names it
   */
  add(reportingEntityName: string, names: readonly CodeName[]): Promise<void>
  /** Merges what many loads have added. */
  merge(): Promise<void>
  /** Removes all names, of all publishers. */
  remove(): Promise<void>
}

/**
 * Maximum number of names that are stored for a publisher; an honest one has some ten thousand. Further names are not
 * stored.
 */
export const maxNamesOfPublisher = 200_000

/**
 * Opens a writer that reads the stored names of each publisher once. A publisher's names are those of its thousands of
 * files, so all but the first few files add none.
 */
export function openCodeNameWriter(codeNames: Omit<CodeNamesAdmin, 'readNames'>, newId: () => string): CodeNameWriter {
  const storedNames = new Map<string, Promise<Set<string>>>()

  async function addNew(publisherKey: string, names: readonly CodeName[], stored: Set<string>) {
    const isNew = (name: CodeName) => !stored.has(keyOf(name))
    const newNames = [...new Map(names.filter(isNew).map((name) => [keyOf(name), name])).values()]
    const added = newNames.slice(0, maxNamesOfPublisher - stored.size)
    if (added.length > 0) await codeNames.addNames(publisherKey, added, newId())
    for (const name of added) stored.add(keyOf(name))
    return stored
  }

  return {
    add: async (reportingEntityName, names) => {
      if (names.length === 0) return
      const publisherKey = publisherKeyOf(reportingEntityName)
      const before =
        storedNames.get(publisherKey) ??
        codeNames.readNamesOf(publisherKey).then((stored) => new Set(stored.map(keyOf)))
      const after = before.then((stored) => addNew(publisherKey, names, stored))
      storedNames.set(publisherKey, after)
      await after
    },

    merge: () => codeNames.mergeNames(newId),

    remove: async () => {
      storedNames.clear()
      await codeNames.removeNames()
    },
  }
}

/** No part has a control character. */
const keyOf = ({ type, code, name }: CodeName): string => `${type}\t${code}\t${name}`
