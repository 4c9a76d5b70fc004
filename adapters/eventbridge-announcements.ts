import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge'
import type { LoadAnnouncements } from '../core/events/ports.ts'
import type { Announcements } from '../core/job/ports.ts'
import { eventSource, feeSchedulesUpdatedType, searchEndedType } from '../schema/events.ts'

/** How long an announcement may take: steps and calls wait for it, and a timer repeats one that failed. */
const timeoutMs = 3000

/** Announces ended searches and loads as EventBridge events on the account's default bus. */
export function createEventBridgeAnnouncements(
  stage: string,
  client = new EventBridgeClient({}),
): Announcements & LoadAnnouncements {
  const announceAs = (DetailType: string) => async (event: object, Time: Date) => {
    const entry = { Source: eventSource(stage), DetailType, Time, Detail: JSON.stringify(event) }
    const command = new PutEventsCommand({ Entries: [entry] })
    const { FailedEntryCount, Entries } = await client.send(command, { abortSignal: AbortSignal.timeout(timeoutMs) })
    // PutEvents succeeds even if it refuses the entry. Source: EventBridge API Reference, PutEvents.
    if (FailedEntryCount !== 0) throw new EventRefused(Entries?.[0]?.ErrorCode ?? 'unknown')
  }
  return { announce: announceAs(searchEndedType), announceLoad: announceAs(feeSchedulesUpdatedType) }
}

/** EventBridge did not accept an event. */
export class EventRefused extends Error {
  override readonly name = 'EventRefused'
  constructor(code: string) {
    super(`EventBridge refused the event: ${code}`)
  }
}
