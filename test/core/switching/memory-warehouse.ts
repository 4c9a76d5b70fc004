import { isDeepStrictEqual } from 'node:util'
import type { Source } from '../../../core/catalogue/content.ts'
import type { ContentName, CurrentContent, StoredUnit, Warehouse } from '../../../core/switching/ports.ts'
import type { Clock } from '../../../core/time.ts'
import { currentUnit } from '../../../schema/columns/warehouse-tables.ts'

export interface MemoryWarehouse extends Warehouse {
  /** The names and sources that make the rows of each content. */
  readonly contents: Map<string, { readonly names: readonly ContentName[]; readonly sources: readonly Source[] }>
  /** The ids of the stored versions of what searches read. */
  listVersions(): readonly string[]
  /** The entries that the view `rates_current` shows. */
  readCurrent(): readonly CurrentContent[]
  /** Stores a source, as a load does. */
  store(source: Source): void
}

/** A warehouse in memory, whose sources have no rates. */
export function createMemoryWarehouse(now: Clock): MemoryWarehouse {
  const parts = new Map<string, StoredUnit>()
  const contents: MemoryWarehouse['contents'] = new Map()
  const versions = new Map<string, { readonly version: number; readonly current: readonly CurrentContent[] }>()
  const put = (part: Omit<StoredUnit, 'touchedAt'>) => void parts.set(part.id, { ...part, touchedAt: now() })
  return {
    contents,
    listVersions: () => [...versions.keys()],
    readCurrent: () => [...versions.values()].sort((a, b) => b.version - a.version)[0]?.current ?? [],
    store: ({ sourceId: id, loadId, tableBytes: bytes = 0 }) => put({ id, loadId, bytes }),
    writeContent: async (id, names, sources) => {
      const bytes = names.length * sources.length
      contents.set(id, { names, sources })
      put({ id, bytes })
      return bytes
    },
    writeCurrent: async (version, current) => {
      const { id } = currentUnit(version)
      const stored = versions.get(id)
      if (stored !== undefined && !isDeepStrictEqual(stored.current, current)) return 'superseded'
      versions.set(id, { version, current })
      return 'written'
    },
    remove: async (removed) => {
      for (const { id } of removed) for (const stored of [parts, contents, versions]) stored.delete(id)
    },
    list: async () => [...parts.values()].sort((a, b) => a.touchedAt.getTime() - b.touchedAt.getTime()),
    cleanWorkspaces: async () => {},
  }
}
