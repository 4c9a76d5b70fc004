import * as v from 'valibot'
import type { EndingHolder } from '../../../core/calls/ports.ts'
import type { Chosen, CompletedJob, Job, JobHolder, JobKey, QueuedJob } from '../../../core/job/job.ts'
import { jobStatuses } from '../../../core/job/job.ts'
import type { JobHistory } from '../../../core/job/job-history.ts'
import { listFilters, listNamedPlans, type NamedPlans } from '../../../core/search/filter-words.ts'
import { countNamed, type SearchRequest } from '../../../core/search/search-request.ts'
import { chooseUnendedPartition, jobItem, listedIndex, unendedIndex, writeListedKey } from '../../../schema/tables.ts'
import { epochSeconds, type Item, readFields, storedTime, writeFields } from '../stored-fields.ts'
import { packedContents, packedPairs } from './packed-contents.ts'
import { storedSummary } from './request-items.ts'

/** The stored form of jobs. */

export const runningQuery = v.pipe(v.object({ query_id: v.string(), attempt: v.number() }), v.transform(readFields))

/** The data that a job's query reads: contents, fee schedules by plan id, and the NPPES month. */
export const storedChoice = {
  contents: v.exactOptional(packedContents),
  found_plans: v.exactOptional(packedPairs),
  nppes: v.exactOptional(v.pipe(v.object({ nppes_month_id: v.string(), month: v.string() }), v.transform(readFields))),
}

export const readChoice = <Fields extends { foundPlans?: Chosen['feeSchedules']; nppes?: Chosen['nppesMonth'] }>({
  foundPlans: feeSchedules,
  nppes: nppesMonth,
  ...others
}: Fields) => ({ ...others, ...(feeSchedules && { feeSchedules }), ...(nppesMonth && { nppesMonth }) })

const common = {
  org_id: v.string(),
  job_id: v.string(),
  run: v.string(),
  created_at: storedTime,
  request_hash: v.string(),
  summary: v.exactOptional(storedSummary),
}

const jobSchema = v.variant('status', [
  v.object({ ...common, status: v.literal('queued'), bytes_taken: v.exactOptional(v.number()) }),
  v.object({
    ...common,
    status: v.literal('processing'),
    bytes_taken: v.exactOptional(v.number()),
    ...storedChoice,
    running_query: v.exactOptional(runningQuery),
  }),
  v.object({
    ...common,
    status: v.literal('completed'),
    ended_at: storedTime,
    attempt: v.number(),
    bytes_scanned: v.exactOptional(v.number()),
    truncated: v.exactOptional(v.boolean()),
  }),
  v.object({
    ...common,
    status: v.literal('failed'),
    ended_at: storedTime,
    failure: v.string(),
    running_query: v.exactOptional(runningQuery),
  }),
])

/** Results of earlier versions lack checksums, the key of their columns and the values without rows. */
const shardSchema = v.object({
  key: v.string(),
  bytes: v.number(),
  rows: v.number(),
  checksum: v.exactOptional(
    v.object({
      algorithm: v.picklist(['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256']),
      type: v.picklist(['FULL_OBJECT', 'COMPOSITE']),
      value: v.string(),
    }),
  ),
})

const shardsSchema = v.object({
  run: v.string(),
  attempt: v.number(),
  columns_key: v.exactOptional(v.string()),
  without_rows: v.exactOptional(v.instance(Uint8Array)),
  shards: v.pipe(v.array(shardSchema), v.minLength(1)),
})

const holderSchema = v.object({ ...common, status: v.picklist(jobStatuses) })

export function jobKeyItem({ orgId, jobId }: JobKey): Item {
  return { org_id: orgId, item: jobItem.job(jobId) }
}

export function shardsKeyItem({ orgId, jobId }: JobKey): Item {
  return { org_id: orgId, item: jobItem.shards(jobId) }
}

export function writeQueuedJob(job: QueuedJob, request: SearchRequest): Item {
  const { orgId: _, ...fields } = job
  const [first, ...next] = listNamedPlans(request).map(writeNamed)
  return {
    ...jobKeyItem(job),
    ...writeFields(fields),
    filters: listFilters(request),
    ...(request.asOf !== undefined && { as_of: request.asOf }),
    fee_schedules: { count: countNamed(request), first, ...(next.length > 0 && { next }) },
    [listedIndex.sortKey]: writeListedKey(job),
    [unendedIndex.partitionKey]: chooseUnendedPartition(job.jobId),
    [unendedIndex.sortKey]: job.createdAt.toISOString(),
  }
}

const writeNamed = (named: NamedPlans) => ('planId' in named ? { plan_id: named.planId } : named)

/** Shards have a separate item, which keeps the job's item small. */
export function writeShards(job: CompletedJob, expiresAt: Date): Item {
  const { run, createdAt, attempt, columnsKey, withoutRows, shards } = job
  const fields = { run, createdAt, attempt, columnsKey, withoutRows, shards, expiresAt: epochSeconds(expiresAt) }
  return { ...shardsKeyItem(job), ...writeFields(fields) }
}

/**
 * Parses a job from the items of one batch read: the job's item and its shards.
 *
 * @throws InconsistentJob if a completed job's shards are missing or belong to another attempt
 */
export function findJob(items: readonly Item[] = []): Job | undefined {
  const job = items.find(isJobItem)
  return (
    job &&
    parseJob(
      job,
      items.find((item) => !isJobItem(item)),
    )
  )
}

export function isJobItem({ item }: Item): boolean {
  return typeof item === 'string' && item.startsWith(jobItem.job(''))
}

/** Parses the fields that a job has in every state. */
export function parseJobHolder(item: Item): JobHolder {
  return readFields(v.parse(holderSchema, item))
}

/** Parses the fields that a job has in every state, and the time of its end. */
export function parseEndingHolder(item: Item): EndingHolder {
  return { ...parseJobHolder(item), ...readFields(v.parse(v.object({ ended_at: v.exactOptional(storedTime) }), item)) }
}

/**
 * Parses a job from its item and, if it is completed, the item of its shards.
 *
 * @throws InconsistentJob if a completed job's shards are missing or belong to another attempt
 */
function parseJob(item: Item, shardsItem: Item | undefined): Job {
  const fields = readFields(v.parse(jobSchema, item))
  switch (fields.status) {
    case 'queued':
      return fields
    case 'processing': {
      const { runningQuery: query, ...job } = readChoice(fields)
      return { ...job, ...(query && { query }) }
    }
    case 'completed': {
      if (shardsItem === undefined) throw new InconsistentJob(fields.jobId)
      const { run, attempt, ...result } = readFields(v.parse(shardsSchema, shardsItem))
      if (run !== fields.run || attempt !== fields.attempt) throw new InconsistentJob(fields.jobId)
      const { endedAt: completedAt, ...job } = fields
      return { ...job, completedAt, ...result }
    }
    case 'failed': {
      const { endedAt: failedAt, failure: error, runningQuery: query, ...job } = fields
      return { ...job, failedAt, error, ...(query && { query }) }
    }
  }
}

/** A job's history, which is part of its item. */
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

/** A job's items do not match. Failing is better than serving another attempt's files. */
export class InconsistentJob extends Error {
  override readonly name = 'InconsistentJob'
  constructor(jobId: string) {
    super(`the shards of job ${jobId} are not those of its completed attempt`)
  }
}

/**
 * Reads a job, and retries once if its items do not match. A batch read is not a snapshot, so a job may be completed or
 * deleted between the reads of its item and its shards; a second read starts after that write. Source: DynamoDB
 * developer guide, "Isolation levels", BatchGetItem.
 *
 * @throws InconsistentJob if the items do not match twice in a row
 */
export async function readWholeJob<Found>(read: () => Promise<Found>): Promise<Found> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof InconsistentJob)) throw error
    return read()
  }
}
