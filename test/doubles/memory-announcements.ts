import type { SearchEndedEvent } from '../../contract/search-api.ts'
import type { Announcements } from '../../core/job/ports.ts'

export interface MemoryAnnouncements extends Announcements {
  /** Every announcement that was made, in order. */
  readonly made: SearchEndedEvent[]
  /** While this is set, none is accepted. */
  fault: Error | undefined
}

export function createMemoryAnnouncements(): MemoryAnnouncements {
  const announcements: MemoryAnnouncements = {
    made: [],
    fault: undefined,
    announce: async (event) => {
      if (announcements.fault) throw announcements.fault
      announcements.made.push(event)
    },
  }
  return announcements
}
