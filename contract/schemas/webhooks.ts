import * as v from 'valibot'
import { feeSchedulesUpdated } from './fee-schedules-updated.ts'
import { searchEnded, searchEndedData } from './search-ended.ts'
import { describeObject, describeValue } from './values.ts'

/**
 * The events of the service by type: the detail that the EventBridge bus carries, and the data that webhooks are sent.
 * `schema/events.ts` has an entry for each.
 */
export const events = {
  'search.ended': {
    detail: searchEnded,
    data: searchEndedData,
    description: 'A search of the organization has completed or failed. It has no URLs and no filters.',
  },
  'fee_schedules.updated': {
    detail: feeSchedulesUpdated,
    data: v.omit(feeSchedulesUpdated, ['id', 'version']),
    description: 'A load has changed what can be searched; one of its pages.',
  },
} as const

/** Bodies of the calls to webhooks, by event type. */
export const webhooks = Object.fromEntries(
  Object.entries(events).map(([type, { data, description }]) => [type, describeWebhook(type, data, description)]),
)

function describeWebhook(type: string, data: v.GenericSchema, description: string) {
  return describeObject(description, {
    type: describeValue(v.literal(type), 'The kind of event.', type),
    timestamp: describeValue(
      v.pipe(v.string(), v.isoTimestamp()),
      'When it happened; the header `webhook-timestamp` says when it was sent.',
      '2026-11-20T09:31:00.250+00:00',
    ),
    data,
  })
}
