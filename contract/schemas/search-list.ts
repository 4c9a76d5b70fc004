import * as v from 'valibot'
import { shownFilters } from '../filters.ts'
import { maxListedPlans, maxListedValues, searchPages } from '../limits.ts'
import { askedFeeSchedule } from './fee-schedules.ts'
import { failedAt, processingAt, resultBytes, resultRows, status, truncated } from './search-progress.ts'
import { appliedSummary } from './summaries.ts'
import {
  completedAt,
  createdAt,
  describeObject,
  describeValue,
  failureText,
  jobId,
  nextCursor,
  ordinal,
  pageSize,
} from './values.ts'

const namesOf = (areProviders: boolean) =>
  shownFilters
    .filter((filter) => 'parent' in filter === areProviders)
    .map(({ name }) => `\`${name}\``)
    .join(', ')

export const listedFilter = describeObject('A filter of a search in a list.', {
  name: describeValue(
    v.string(),
    `Name of the list in a request: ${namesOf(false)}; of \`providers\`: ${namesOf(true)}.`,
    'billing_codes',
  ),
  count: describeValue(ordinal, 'Number of its values.', 3),
  first: describeValue(
    v.array(v.string()),
    `The first of its values, at most ${maxListedValues}, each as text; sorted.`,
    ['27447', '73721', '99213'],
  ),
})

const listItemBase = {
  job_id: jobId,
  created_at: createdAt,
  fee_schedule_count: describeValue(
    v.pipe(ordinal, v.maxValue(200)),
    'Number of fee schedules that the search names.',
    1,
  ),
  first_fee_schedule: askedFeeSchedule,
  next_fee_schedules: v.exactOptional(
    v.pipe(
      v.array(askedFeeSchedule),
      v.maxLength(maxListedPlans - 1),
      v.description(
        'The fee schedules after the first, so that lists can tell searches apart; absent if there are none, and from searches that were created before lists had them.',
      ),
    ),
  ),
  filters: v.exactOptional(
    v.pipe(
      v.array(listedFilter),
      v.description(
        'The other filters of the search, so that lists can tell searches apart; absent from searches that were created before lists had it.',
      ),
    ),
  ),
  as_of: v.exactOptional(
    describeValue(v.pipe(v.string(), v.isoDate()), 'The day of the search, if it names one.', '2026-11-20'),
  ),
  summary: v.exactOptional(appliedSummary),
}

export const queuedListItem = describeObject('A search in a list that waits to run.', {
  ...listItemBase,
  status: status.queued,
})

export const processingListItem = describeObject('A search in a list that runs.', {
  ...listItemBase,
  status: status.processing,
  processing_at: processingAt,
})

export const completedListItem = describeObject('A completed search in a list.', {
  ...listItemBase,
  status: status.completed,
  processing_at: processingAt,
  completed_at: completedAt,
  rows: resultRows,
  bytes: resultBytes,
  truncated: v.exactOptional(truncated),
})

export const failedListItem = describeObject('A search in a list that failed or was cancelled.', {
  ...listItemBase,
  status: status.failed,
  processing_at: v.exactOptional(processingAt),
  failed_at: failedAt,
  error: failureText,
})

export const searchListItem = v.pipe(
  v.variant('status', [queuedListItem, processingListItem, completedListItem, failedListItem]),
  v.description('A search in a list. Ask for the search itself to get its URLs.'),
)

export const searchesPage = describeObject(
  'One page of the searches of an organization. With a filter a page can be short or empty, and still not be the last.',
  {
    searches: v.pipe(
      v.array(searchListItem),
      v.maxLength(searchPages.max),
      v.description('One page, the newest search first.'),
    ),
    next_cursor: nextCursor,
  },
)

export const statusFilter = describeValue(
  v.picklist(['queued', 'processing', 'completed', 'failed']),
  'Only searches in this state.',
  'failed',
)

export const searchesLimit = describeValue(pageSize(searchPages), 'Maximum number of searches in a page.', 10)
