import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge'
import type { Announcements } from '../core/job/ports.ts'
import { eventSource, searchEndedType } from '../schema/events.ts'

/** How long an announcement may take: steps and calls wait for it, and the sweeper repeats one that failed. */
const timeoutMs = 3000

/** Announces ended searches as EventBridge events on the account's default bus. */
export function createEventBridgeAnnouncements(stage: string, client = new EventBridgeClient({})): Announcements {
  return {
    announce: async (event, endedAt) => {
      const entry = {
        Source: eventSource(stage),
        DetailType: searchEndedType,
        Time: endedAt,
        Detail: JSON.stringify(event),
      }
      const command = new PutEventsCommand({ Entries: [entry] })
      const { FailedEntryCount, Entries } = await client.send(command, { abortSignal: AbortSignal.timeout(timeoutMs) })
      // PutEvents succeeds even if it refuses the entry. Source: EventBridge API Reference, PutEvents.
      if (FailedEntryCount !== 0) throw new EventRefused(Entries?.[0]?.ErrorCode ?? 'unknown')
    },
  }
}

/** EventBridge did not accept an event. */
export class EventRefused extends Error {
  override readonly name = 'EventRefused'
  constructor(code: string) {
    super(`EventBridge refused the event: ${code}`)
  }
}
