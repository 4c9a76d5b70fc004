import * as v from 'valibot'
import type { Job } from '../../../core/job/job.ts'
import type { EndedAttempt, JobHistory } from '../../../core/job/job-history.ts'
import type { Item } from '../dynamo-client.ts'
import { findJob, isJobItem, storedTime } from './job-items.ts'
import { packedContents, packedPairs, unpackContents } from './packed-contents.ts'

/** The stored form of a job's history, which is part of the job's item. */

const historySchema = v.object({
  processing_at: v.optional(storedTime),
  contents: v.optional(packedContents),
  found_plans: v.optional(packedPairs),
  ended_attempts: v.optional(
    v.array(
      v.object({
        attempt: v.number(),
        outcome: v.picklist(['succeeded', 'failed']),
        bytes_scanned: v.optional(v.number()),
      }),
    ),
    [],
  ),
})

export function writeEndedAttempt({ attempt, outcome, bytesScanned }: EndedAttempt): Item {
  return { attempt, outcome, ...(bytesScanned !== undefined && { bytes_scanned: bytesScanned }) }
}

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
  const { processing_at, contents, found_plans: feeSchedules, ended_attempts } = v.parse(historySchema, item)
  return {
    ...(processing_at && { processingAt: processing_at }),
    ...(contents && { contents: unpackContents(contents) }),
    ...(feeSchedules && { feeSchedules }),
    endedAttempts: ended_attempts.map(({ attempt, outcome, bytes_scanned }) => ({
      attempt,
      outcome,
      ...(bytes_scanned !== undefined && { bytesScanned: bytes_scanned }),
    })),
  }
}
