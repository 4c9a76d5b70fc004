import * as v from 'valibot'
import type { Job } from '../../../core/job/job.ts'
import type { JobHistory } from '../../../core/job/job-history.ts'
import type { Item } from '../dynamo-client.ts'
import { readFields, storedTime } from '../stored-fields.ts'
import { findJob, isJobItem, readChoice, storedChoice } from './job-items.ts'

/** The stored form of a job's history, which is part of the job's item. */

const historySchema = v.object({
  processing_at: v.exactOptional(storedTime),
  ...storedChoice,
  ended_attempts: v.optional(
    v.array(
      v.object({
        attempt: v.number(),
        outcome: v.picklist(['succeeded', 'failed']),
        bytes_scanned: v.exactOptional(v.number()),
      }),
    ),
    [],
  ),
})

/**
 * Parses a job with its history from the items of one batch read: the job's item and its shards.
 *
 * @throws InconsistentJob if a completed job's shards are missing or belong to another attempt
 */
export function findRecordedJob(items: readonly Item[] = []): (Job & JobHistory) | undefined {
  const job = findJob(items)
  const item = items.find(isJobItem)
  return job && item && { ...job, ...parseHistory(item) }
}

function parseHistory(item: Item): JobHistory {
  const { endedAttempts, ...history } = readChoice(readFields(v.parse(historySchema, item)))
  return { ...history, endedAttempts: endedAttempts.map(readFields) }
}
