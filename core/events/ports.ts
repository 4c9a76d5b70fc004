/** The ports of events. */

import type { FeeSchedulesUpdatedEvent } from '../../contract/search-api.ts'

/** Announces to subscribers what loads changed. */
export interface LoadAnnouncements {
  /** Fails unless the announcement was accepted. */
  announceLoad(event: FeeSchedulesUpdatedEvent, endedAt: Date): Promise<void>
}
