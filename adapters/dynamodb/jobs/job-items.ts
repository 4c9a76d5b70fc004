import * as v from 'valibot'
import type { EndingHolder } from '../../../core/calls/ports.ts'
import type { CompletedJob, Job, JobHolder, JobKey, QueuedJob } from '../../../core/job/job.ts'
import { jobStatuses } from '../../../core/job/job.ts'
import type { SearchRequest } from '../../../core/search/search-request.ts'
import { countNamed } from '../../../core/search/search-request.ts'
import { chooseUnendedMark, jobItem, listedIndex, unendedIndex, writeListedKey } from '../../../schema/tables.ts'
import type { Item } from '../dynamo-client.ts'
import { packedContents, packedPairs, unpackContents } from './packed-contents.ts'
import { copyShard, shardsSchema } from './stored-shards.ts'

/** The stored form of jobs and requests. `stored-shards.ts` and `job-history-items.ts` have the rest of a job. */

export const storedTime = v.pipe(
  v.string(),
  v.transform((text) => new Date(text)),
)

export const runningQuery = v.object({ query_id: v.string(), attempt: v.number() })

const common = {
  org_id: v.string(),
  job_id: v.string(),
  run: v.string(),
  created_at: storedTime,
  request_hash: v.string(),
}

const jobSchema = v.variant('status', [
  v.object({ ...common, status: v.literal('queued') }),
  v.object({
    ...common,
    status: v.literal('processing'),
    contents: v.optional(packedContents),
    found_plans: v.optional(packedPairs),
    running_query: v.optional(runningQuery),
  }),
  v.object({
    ...common,
    status: v.literal('completed'),
    ended_at: storedTime,
    attempt: v.number(),
    bytes_scanned: v.optional(v.number()),
  }),
  v.object({
    ...common,
    status: v.literal('failed'),
    ended_at: storedTime,
    failure: v.string(),
    running_query: v.optional(runningQuery),
  }),
])

const holderSchema = v.object({ ...common, status: v.picklist(jobStatuses) })

/** A raw DynamoDB attribute: the document client does not unmarshall items attached to errors. */
const returnedText = v.pipe(
  v.object({ S: v.string() }),
  v.transform(({ S }) => S),
)

const returnedHolderSchema = v.pipe(
  v.object({
    org_id: returnedText,
    job_id: returnedText,
    run: returnedText,
    created_at: returnedText,
    request_hash: returnedText,
    status: returnedText,
  }),
  holderSchema,
)

export function jobKeyItem({ orgId, jobId }: JobKey): Item {
  return { org_id: orgId, item: jobItem.job(jobId) }
}

export function shardsKeyItem({ orgId, jobId }: JobKey): Item {
  return { org_id: orgId, item: jobItem.shards(jobId) }
}

export function writeQueuedJob(job: QueuedJob, request: SearchRequest): Item {
  const { jobId, run, createdAt, requestHash, status, keyId } = job
  return {
    ...jobKeyItem(job),
    job_id: jobId,
    run,
    created_at: createdAt.toISOString(),
    request_hash: requestHash,
    status,
    ...(keyId !== undefined && { key_id: keyId }),
    fee_schedules: { count: countNamed(request), first: request.feeSchedules[0] ?? { plan_id: request.planIds?.[0] } },
    [listedIndex.sortKey]: writeListedKey(job),
    [unendedIndex.partitionKey]: chooseUnendedMark(jobId),
    [unendedIndex.sortKey]: createdAt.toISOString(),
  }
}

/** Shards have a separate item, which keeps the job's item small. */
export function writeShards(job: CompletedJob, expiresAt: Date): Item {
  const { orgId, jobId, run, createdAt, attempt, columnsKey, withoutRows, shards } = job
  return {
    ...shardsKeyItem({ orgId, jobId }),
    run,
    created_at: createdAt.toISOString(),
    attempt,
    ...(columnsKey !== undefined && { columns_key: columnsKey }),
    ...(withoutRows && { without_rows: withoutRows }),
    shards: shards.map(copyShard),
    expires_at: epochSeconds(expiresAt),
  }
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
  return describeHolder(v.parse(holderSchema, item))
}

/** Parses the fields that a job has in every state, and the time of its end. */
export function parseEndingHolder(item: Item): EndingHolder {
  const { ended_at } = v.parse(v.object({ ended_at: v.optional(storedTime) }), item)
  return { ...parseJobHolder(item), ...(ended_at && { endedAt: ended_at }) }
}

/**
 * Parses the item attached to a failed condition. Source: DynamoDB API, PutItem, ReturnValuesOnConditionCheckFailure.
 */
export function parseReturnedJobHolder(item: Item): JobHolder {
  return describeHolder(v.parse(returnedHolderSchema, item))
}

function describeHolder(stored: v.InferOutput<typeof holderSchema>): JobHolder {
  return { ...describeBase(stored), status: stored.status }
}

function describeBase({ org_id, job_id, run, created_at, request_hash }: v.InferOutput<typeof holderSchema>) {
  return { orgId: org_id, jobId: job_id, run, createdAt: created_at, requestHash: request_hash }
}

/**
 * Parses a job from its item and, if it is completed, the item of its shards.
 *
 * @throws InconsistentJob if a completed job's shards are missing or belong to another attempt
 */
function parseJob(item: Item, shardsItem: Item | undefined): Job {
  const stored = v.parse(jobSchema, item)
  const base = describeBase(stored)
  switch (stored.status) {
    case 'queued':
      return { ...base, status: stored.status }
    case 'processing': {
      const { status, contents, found_plans: feeSchedules } = stored
      const chosen = contents && { contents: unpackContents(contents), ...(feeSchedules && { feeSchedules }) }
      return { ...base, status, ...chosen, ...parseQuery(stored) }
    }
    case 'completed': {
      if (shardsItem === undefined) throw new InconsistentJob(stored.job_id)
      const {
        run,
        attempt,
        columns_key: columnsKey,
        without_rows: withoutRows,
        shards,
      } = v.parse(shardsSchema, shardsItem)
      if (run !== stored.run || attempt !== stored.attempt) throw new InconsistentJob(stored.job_id)
      return {
        ...base,
        status: stored.status,
        completedAt: stored.ended_at,
        attempt,
        ...(stored.bytes_scanned !== undefined && { bytesScanned: stored.bytes_scanned }),
        ...(columnsKey !== undefined && { columnsKey }),
        ...(withoutRows && { withoutRows }),
        shards,
      }
    }
    case 'failed':
      return {
        ...base,
        status: stored.status,
        failedAt: stored.ended_at,
        error: stored.failure,
        ...parseQuery(stored),
      }
  }
}

function parseQuery({
  running_query: query,
}: {
  readonly running_query?: v.InferOutput<typeof runningQuery> | undefined
}) {
  return query && { query: { queryId: query.query_id, attempt: query.attempt } }
}

/** A job's items do not match. Failing is better than serving another attempt's files. */
export class InconsistentJob extends Error {
  override readonly name = 'InconsistentJob'
  constructor(jobId: string) {
    super(`the shards of job ${jobId} are not those of its completed attempt`)
  }
}

export function epochSeconds(time: Date): number {
  return Math.ceil(time.getTime() / 1000)
}
