import type { CatalogueAdmin, ContentsAdmin } from '../core/catalogue/ports.ts'
import type { LoadRecords } from '../core/loads/load-record.ts'

/** A catalogue and contents that accept and discard every write, for measured loads that are never searched by name. */
export function createUnreadCatalogue(): {
  readonly catalogue: CatalogueAdmin
  readonly contents: ContentsAdmin
  readonly records: LoadRecords
} {
  const nothing = async () => undefined
  const none = async () => []
  const written = async () => 'written' as const
  async function* empty() {}
  return {
    catalogue: {
      find: none,
      list: async () => ({ items: [] }),
      listVariants: none,
      listNames: async () => ({ items: [] }),
      replace: written,
      remove: written,
    },
    contents: {
      readContents: none,
      readSourceRefs: none,
      readFilter: nothing,
      putContent: nothing,
      retireContent: written,
      removeContent: written,
      listContents: empty,
      putSources: nothing,
      readSources: none,
      findSources: none,
      touchSources: none,
      removeSource: written,
      listSources: empty,
      putFilter: nothing,
      openLoad: nothing,
      pinSources: nothing,
      touchLoad: nothing,
      closeLoad: nothing,
      listOpenLoads: none,
    },
    records: {
      begin: nothing,
      touch: nothing,
      end: written,
      cancel: written,
      resume: written,
      noteUndone: written,
      read: nothing,
      list: none,
    },
  }
}
