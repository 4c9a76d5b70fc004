import type { SearchEndedEvent } from '../../contract/search-api.ts'
import type { Announcements } from '../../core/announcements.ts'

export interface MemoryAnnouncements extends Announcements {
  /** Details of every announced end of a search, in order. */
  readonly made: SearchEndedEvent[]
  /** While this is set, no announcement is accepted. */
  fault: Error | undefined
}

export function createMemoryAnnouncements(): MemoryAnnouncements {
  const announcements: MemoryAnnouncements = {
    made: [],
    fault: undefined,
    announce: async ({ type, detail }) => {
      if (announcements.fault) throw announcements.fault
      if (type === 'search.ended') announcements.made.push(detail)
    },
  }
  return announcements
}
