import type { EventDetails } from '../contract/search-api.ts'

/** An event to announce, with the time at which it happened. */
export type Announcement = {
  [Type in keyof EventDetails]: { readonly type: Type; readonly detail: EventDetails[Type]; readonly happenedAt: Date }
}[keyof EventDetails]

/** Announces events to subscribers of the bus. */
export interface Announcements {
  /** Fails unless the announcement was accepted. */
  announce(announcement: Announcement): Promise<void>
}
