import { randomUUID } from 'node:crypto'
import { type CodeNameWriter, openCodeNameWriter } from '../../../core/vocabulary/code-name-writer.ts'
import type { CodeName, NameList } from '../../../core/vocabulary/code-names.ts'
import type { CodeNamesAdmin } from '../../../core/vocabulary/ports.ts'

export interface MemoryCodeNames extends CodeNamesAdmin {
  readonly lists: NameList[]
  readonly namesOfSources: Map<string, readonly CodeName[]>
}

/** Keeps names of codes in memory, in the order in which they were added. */
export function createMemoryCodeNames(): MemoryCodeNames {
  const lists: NameList[] = []
  const namesOfSources = new Map<string, readonly CodeName[]>()
  let latestVersion = ''
  return {
    lists,
    namesOfSources,
    readVersion: async () => latestVersion,
    async *readLists(payerKey) {
      const payerKeys = new Set(lists.map((list) => list.payerKey))
      for (const key of payerKey === undefined ? payerKeys : [payerKey])
        yield* lists.filter((list) => list.payerKey === key)
    },
    writeSourceNames: async (sourceId, names) => void namesOfSources.set(sourceId, names),
    readSourceNames: async (sourceId) => namesOfSources.get(sourceId),
    addList: async (list) => void lists.push(list),
    removeList: async (payerKey, id) => {
      const index = lists.findIndex((list) => list.payerKey === payerKey && list.id === id)
      if (index !== -1) lists.splice(index, 1)
    },
    writeVersion: async (version) => {
      latestVersion = version
    },
    removeFormerItems: async () => {},
    removeAll: async () => {
      lists.splice(0)
      namesOfSources.clear()
    },
  }
}

/** Opens a writer whose names are in memory. */
export const openMemoryNameWriter = (
  codeNames = createMemoryCodeNames(),
  now = () => new Date('2026-11-20T09:30:00Z'),
): CodeNameWriter => openCodeNameWriter(codeNames, randomUUID, now)
