import { randomUUID } from 'node:crypto'
import { type CodeNameWriter, openCodeNameWriter } from '../../../core/vocabulary/code-name-writer.ts'
import { type ListedCodeName, placesOfName } from '../../../core/vocabulary/code-names.ts'
import type { CodeNamesAdmin } from '../../../core/vocabulary/ports.ts'

/** Keeps names of codes in memory, in the order in which they were added. */
export function createMemoryCodeNames(): CodeNamesAdmin {
  const names: ListedCodeName[] = []
  return {
    async *readNames(start) {
      yield names.filter((name) => [...placesOfName(name)].some((place) => place.startsWith(start)))
    },
    readNamesOf: async (publisherKey) => names.filter(({ publisherKeys }) => publisherKeys.includes(publisherKey)),
    addNames: async (publisherKey, added) => {
      for (const name of added) names.push({ ...name, publisherKeys: [publisherKey] })
    },
    mergeNames: async () => {},
    removeNames: async () => void names.splice(0),
  }
}

/** Opens a writer whose names are in memory. */
export const openMemoryNameWriter = (codeNames = createMemoryCodeNames()): CodeNameWriter =>
  openCodeNameWriter(codeNames, randomUUID)
