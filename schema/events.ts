import type { EventDetails } from '../contract/search-api.ts'

/** An event type of the service, as webhooks name it. */
export type WebhookEvent = keyof EventDetails

/** The facts about an event that its schema in `contract/schemas/webhooks.ts` does not have. */
interface ServiceEvent {
  /** `detail-type` of the event on the EventBridge bus. */
  readonly detailType: string
  /** Whose webhooks are called: those of the organization in `org_id`, or those of all organizations. */
  readonly audience: 'organization' | 'all'
  /** Fields of the detail with the time at which it happened; the first that is present counts. */
  readonly timeFields: readonly [string, ...string[]]
}

/**
 * The events that the service sends. Detail types, bus rules, rights to send, the reading of bus events and the choices
 * of `npm run webhooks` are derived from this table.
 */
export const serviceEvents = {
  'search.ended': {
    detailType: 'Search Ended',
    audience: 'organization',
    timeFields: ['completed_at', 'failed_at', 'created_at'],
  },
  'fee_schedules.updated': {
    detailType: 'Fee Schedules Updated',
    audience: 'all',
    timeFields: ['ended_at'],
  },
} as const satisfies Record<WebhookEvent, ServiceEvent>

/** The event types, in the order of the table. */
export const webhookEvents = Object.keys(serviceEvents).filter(isWebhookEvent)

function isWebhookEvent(type: string): type is WebhookEvent {
  return Object.hasOwn(serviceEvents, type)
}

/** `source` of a stage's events. */
export function eventSource(stage: string): string {
  return `rate-search.${stage}`
}
