import * as v from 'valibot'
import { failureWords, isFailureWord } from '../failure-words.ts'
import { failedAt, status } from './search-progress.ts'
import { completedAt, createdAt, describeValue, jobId } from './values.ts'

const errorWord = describeValue(
  v.picklist(Object.keys(failureWords).filter(isFailureWord)),
  'The reason why the search failed: the word that its `error` begins with.',
  'timeout',
)

const facts = {
  job_id: jobId,
  org_id: describeValue(v.string(), 'Identifier of the organization.', '3xHu2rJuNZ3s'),
  created_at: createdAt,
}

const completed = { ...facts, status: status.completed, completed_at: completedAt }
const failed = { ...facts, status: status.failed, failed_at: failedAt, error_word: errorWord }

/** Data of the event that announces the end of a search. */
export const searchEndedData = v.variant('status', [v.object(completed), v.object(failed)])

const event = {
  id: describeValue(
    v.string(),
    'Identifier of the event, the same each time that it is sent.',
    '2a39443a-064f-4d78-b562-c11683209ccf-ca90742a479b411b',
  ),
  version: describeValue(v.literal(1), 'Version of this shape.', 1),
}

/** Detail of the EventBridge event `Search Ended` with the source `rate-search.<stage>`. */
export const searchEnded = v.pipe(
  v.variant('status', [v.object({ ...event, ...completed }), v.object({ ...event, ...failed })]),
  v.description(
    'Detail of the event that announces the end of a search. It is sent at least once: drop those whose `id` you have seen. It has no URLs and no filters.',
  ),
)
