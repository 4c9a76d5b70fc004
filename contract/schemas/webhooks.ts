import * as v from 'valibot'
import { feeSchedulesUpdated } from './fee-schedules-updated.ts'
import { searchEndedData } from './search-ended.ts'
import { describeObject, describeValue } from './values.ts'

const describeWebhook = <Data extends v.GenericSchema>(type: string, data: Data, description: string) =>
  describeObject(description, {
    type: describeValue(v.literal(type), 'What happened.', type),
    timestamp: describeValue(
      v.pipe(v.string(), v.isoTimestamp()),
      'When it happened; the header `webhook-timestamp` says when it was sent.',
      '2026-11-20T09:31:00.250+00:00',
    ),
    data,
  })

export const webhooks = {
  'search.ended': describeWebhook(
    'search.ended',
    searchEndedData,
    'A search of the organization has completed or failed. It has no URLs and no filters.',
  ),
  'fee_schedules.updated': describeWebhook(
    'fee_schedules.updated',
    v.omit(feeSchedulesUpdated, ['id', 'version']),
    'A load has changed what can be searched; one of its pages.',
  ),
} as const
