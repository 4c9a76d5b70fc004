import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import type { JobSummary, ListedJob } from '../../../core/job/job-list.ts'
import type { JobList } from '../../../core/job/ports.ts'
import { listedIndex, writeListedKey } from '../../../schema/tables.ts'
import { type Item, queryItems, readItems, takeItems } from '../dynamo-client.ts'
import { jobKeyItem, storedTime } from './job-items.ts'

const keySchema = v.object({ [listedIndex.sortKey]: v.string() })

const common = {
  org_id: v.string(),
  job_id: v.string(),
  created_at: storedTime,
  fee_schedules: v.object({
    count: v.number(),
    first: v.union([
      v.object({ payer: v.string(), plan: v.string() }),
      v.pipe(
        v.object({ plan_id: v.string() }),
        v.transform(({ plan_id }) => ({ planId: plan_id })),
      ),
    ]),
  }),
}

const summarySchema = v.variant('status', [
  v.object({ ...common, status: v.literal('queued') }),
  v.object({ ...common, status: v.literal('processing'), processing_at: storedTime }),
  v.object({
    ...common,
    status: v.literal('completed'),
    processing_at: storedTime,
    ended_at: storedTime,
    result_rows: v.number(),
    result_bytes: v.number(),
  }),
  v.object({
    ...common,
    status: v.literal('failed'),
    processing_at: v.optional(storedTime),
    ended_at: storedTime,
    failure: v.string(),
  }),
])

/** Lists jobs by the index of their creation (`listedIndex` in schema/tables.ts), and reads them from the table. */
export function createDynamoJobList(client: DynamoDBDocumentClient, table: string): JobList {
  return {
    list: async (orgId, limit, after) => {
      const items = queryItems(client, {
        TableName: table,
        IndexName: listedIndex.name,
        KeyConditionExpression: `${listedIndex.partitionKey} = :org`,
        ExpressionAttributeValues: { ':org': orgId },
        ScanIndexForward: false,
        Limit: limit,
        ...(after && { ExclusiveStartKey: keyOf(orgId, after) }),
      })
      return (await takeItems(items, limit)).map(parseKey)
    },

    read: async (orgId, jobs) => {
      // DynamoDB refuses a read that names a key twice.
      const ids = new Set(jobs.map(({ jobId }) => jobId))
      const items = await readItems(
        client,
        table,
        [...ids].map((jobId) => jobKeyItem({ orgId, jobId })),
      )
      const found = new Map(items.map(parseSummary).map((summary) => [writeListedKey(summary), summary]))
      // By id and time: the index may still have the job that had the id before.
      return jobs.flatMap((job) => found.get(writeListedKey(job)) ?? [])
    },
  }
}

const keyOf = (orgId: string, job: ListedJob): Item => ({
  ...jobKeyItem({ orgId, jobId: job.jobId }),
  [listedIndex.sortKey]: writeListedKey(job),
})

function parseKey(item: Item): ListedJob {
  const [createdAt = '', jobId = ''] = v.parse(keySchema, item)[listedIndex.sortKey].split('#')
  return { createdAt: new Date(createdAt), jobId }
}

function parseSummary(item: Item): JobSummary {
  const stored = v.parse(summarySchema, item)
  const base = {
    orgId: stored.org_id,
    jobId: stored.job_id,
    createdAt: stored.created_at,
    feeScheduleCount: stored.fee_schedules.count,
    firstFeeSchedule: stored.fee_schedules.first,
  }
  switch (stored.status) {
    case 'queued':
      return { ...base, status: stored.status }
    case 'processing':
      return { ...base, status: stored.status, processingAt: stored.processing_at }
    case 'completed':
      return {
        ...base,
        status: stored.status,
        processingAt: stored.processing_at,
        completedAt: stored.ended_at,
        rows: stored.result_rows,
        bytes: stored.result_bytes,
      }
    case 'failed':
      return {
        ...base,
        status: stored.status,
        ...(stored.processing_at && { processingAt: stored.processing_at }),
        failedAt: stored.ended_at,
        error: stored.failure,
      }
  }
}
