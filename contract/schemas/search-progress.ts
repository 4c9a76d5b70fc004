import * as v from 'valibot'
import { count, describeValue, timestamp } from './values.ts'

/** Fields of lists and manifests that a search itself does not have. */

export const processingAt = describeValue(
  timestamp,
  'When the search started to run; absent if it never did, or if that was not recorded.',
  '2026-11-20T19:45:09.102+00:00',
)

export const failedAt = describeValue(
  timestamp,
  'When the search failed or was cancelled.',
  '2026-11-20T19:45:09.431+00:00',
)

export const resultRows = describeValue(count, 'Rows of the result.', 16)
export const resultBytes = describeValue(count, 'Size of all files of the result, in bytes.', 21_734)

export const truncated = describeValue(
  v.boolean(),
  'True if the search has more rows than its `limit`, so that the result has only some of them; false if the result has every row. Present if the search has a `limit`.',
  true,
)

export const status = {
  queued: describeValue(v.literal('queued'), 'The search has not started to run.', 'queued'),
  processing: describeValue(v.literal('processing'), 'The search runs.', 'processing'),
  running: describeValue(
    v.picklist(['queued', 'processing']),
    '`queued` until the search starts to run, then `processing`.',
    'queued',
  ),
  completed: describeValue(v.literal('completed'), 'The search has its result.', 'completed'),
  failed: describeValue(v.literal('failed'), 'The search failed or was cancelled.', 'failed'),
}
