import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge'
import type { Announcements } from '../core/announcements.ts'
import { eventSource, serviceEvents } from '../schema/events.ts'
import { shortRequests } from './request-limits.ts'

/** Longest duration of an announcement: steps and calls wait for it, and a timer repeats one that failed. */
const timeoutMs = 3000

/** Announces what happened as EventBridge events on the account's default bus. */
export function createEventBridgeAnnouncements(
  stage: string,
  client = new EventBridgeClient(shortRequests),
): Announcements {
  return {
    announce: async ({ type, detail, happenedAt }) => {
      const entry = {
        Source: eventSource(stage),
        DetailType: serviceEvents[type].detailType,
        Time: happenedAt,
        Detail: JSON.stringify(detail),
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
