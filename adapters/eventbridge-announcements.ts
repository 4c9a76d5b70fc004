import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge'
import type { SearchEndedEvent } from '../contract/search-api.ts'
import { executionName } from '../core/job/job.ts'
import { formatTimestamp } from '../core/job/timestamp.ts'
import type { Announcements, SearchEnd } from '../core/ports.ts'
import { eventSource, searchEndedType } from '../schema/events.ts'

/** How long an announcement may take: steps and calls wait for it, and the sweeper repeats one that fails. */
const timeoutMs = 3000

/** Announces ends as EventBridge events on the account's default bus. */
export function createEventBridgeAnnouncements(stage: string, client = new EventBridgeClient({})): Announcements {
  return {
    announce: async (end) => {
      const entry = {
        Source: eventSource(stage),
        DetailType: searchEndedType,
        Time: end.endedAt,
        Detail: JSON.stringify(describeEnd(end)),
      }
      const abortSignal = AbortSignal.timeout(timeoutMs)
      const { FailedEntryCount, Entries } = await client.send(new PutEventsCommand({ Entries: [entry] }), {
        abortSignal,
      })
      // PutEvents succeeds even if it refuses the entry. Source: EventBridge API, PutEvents.
      if (FailedEntryCount !== 0) throw new EventRefused(Entries?.[0]?.ErrorCode ?? 'unknown')
    },
  }
}

function describeEnd(end: SearchEnd): SearchEndedEvent {
  const { orgId, jobId, createdAt, endedAt } = end
  const base = {
    id: executionName(end),
    version: 1,
    job_id: jobId,
    org_id: orgId,
    created_at: formatTimestamp(createdAt),
  } as const
  const at = formatTimestamp(endedAt)
  if (end.status === 'completed') return { ...base, status: end.status, completed_at: at }
  return { ...base, status: end.status, failed_at: at, error_word: end.word ?? 'internal' }
}

/** EventBridge did not accept an event. */
export class EventRefused extends Error {
  override readonly name = 'EventRefused'
  constructor(code: string) {
    super(`EventBridge refused the event: ${code}`)
  }
}
