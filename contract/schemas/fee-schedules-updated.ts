import * as v from 'valibot'
import { count, describeObject, describeValue, ordinal } from './values.ts'

const changedFeeSchedule = describeObject('A fee schedule that the load changed, by plan id.', {
  plan: describeValue(v.string(), 'Name of the plan, as published.', 'Harbor PPO Gold'),
  plan_ids: describeValue(v.array(v.string()), 'Its plan id, if it has one.', ['ein|041234567']),
  change: describeValue(
    v.picklist(['switched', 'removed']),
    'The change: searches read new files for it, or no longer find it.',
    'switched',
  ),
})

/**
 * Detail of the EventBridge events `Fee Schedules Updated` with the source `rate-search.<stage>`, which announce what a
 * load changed. Each is sent at least once.
 */
export const feeSchedulesUpdated = v.object({
  id: describeValue(v.string(), 'Identifier of the event, the same each time that it is sent.', '5d1c0f2b9a7e4c36'),
  version: describeValue(v.literal(1), 'Version of this shape.', 1),
  load_id: describeValue(v.string(), 'Identifier of the load.', '9f8e7d6c5b4a39281706'),
  status: describeValue(
    v.picklist(['completed', 'failed', 'cancelled', 'interrupted']),
    'The end of the load. A load that did not complete is announced only if it changed something; an interrupted one may go on, and is then announced again.',
    'completed',
  ),
  ended_at: describeValue(v.pipe(v.string(), v.isoTimestamp()), 'When it ended.', '2026-11-20T09:30:04.120+00:00'),
  counts: describeObject('The changes of the whole load.', {
    switched: describeValue(count, 'Fee schedules by plan id that have new files.', 2),
    removed: describeValue(count, 'Those that searches no longer find.', 0),
    unchanged: describeValue(count, 'Those that had these files before; 0 if the load did not complete.', 1),
    left_out: describeValue(count, 'Plans that the load left out; 0 if it did not complete.', 0),
  }),
  page: describeValue(ordinal, 'Number of this event among those of the load, from 1.', 1),
  pages: describeValue(ordinal, 'Number of events of the load.', 1),
  payer: v.optional(describeValue(v.string(), 'Payer of these plans; absent if none changed.', 'Blue Harbor Health')),
  fee_schedules: v.pipe(
    v.array(changedFeeSchedule),
    v.description('At most 100 fee schedules of one payer, ordered by plan.'),
  ),
})
