import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import type { JobListItem, ListedJob } from '../../../core/job/job-list.ts'
import type { JobList } from '../../../core/job/ports.ts'
import { listedIndex, writeListedKey } from '../../../schema/tables.ts'
import { queryIndex, readItems, takeItems } from '../dynamo-client.ts'
import { type Item, readFields, storedTime } from '../stored-fields.ts'
import { jobKeyItem } from './job-items.ts'
import { storedSummary } from './request-items.ts'

const keySchema = v.object({ [listedIndex.sortKey]: v.string() })

const storedNamed = v.union([
  v.object({ payer: v.string(), plan: v.string() }),
  v.pipe(
    v.object({ plan_id: v.string() }),
    v.transform(({ plan_id }) => ({ planId: plan_id })),
  ),
])

const common = {
  org_id: v.string(),
  job_id: v.string(),
  created_at: storedTime,
  filters: v.exactOptional(v.array(v.object({ name: v.string(), count: v.number(), first: v.array(v.string()) }))),
  as_of: v.exactOptional(v.string()),
  summary: v.exactOptional(storedSummary),
  fee_schedules: v.object({
    count: v.number(),
    first: storedNamed,
    next: v.exactOptional(v.array(storedNamed)),
  }),
}

const listItemSchema = v.variant('status', [
  v.object({ ...common, status: v.literal('queued') }),
  v.object({ ...common, status: v.literal('processing'), processing_at: storedTime }),
  v.object({
    ...common,
    status: v.literal('completed'),
    processing_at: storedTime,
    ended_at: storedTime,
    result_rows: v.number(),
    result_bytes: v.number(),
    truncated: v.exactOptional(v.boolean()),
  }),
  v.object({
    ...common,
    status: v.literal('failed'),
    processing_at: v.exactOptional(storedTime),
    ended_at: storedTime,
    failure: v.string(),
  }),
])

/** Lists jobs by the index of their creation (`listedIndex` in schema/tables.ts), and reads them from the table. */
export function createDynamoJobList(client: DynamoDBDocumentClient, table: string): JobList {
  return {
    list: async (orgId, limit, after) => {
      const start = after && { ExclusiveStartKey: keyOf(orgId, after) }
      const page = { ScanIndexForward: false, Limit: limit, ...start }
      const keys = queryIndex(client, {
        table,
        index: listedIndex,
        page,
        condition: '#org_id = :org_id',
        values: { orgId },
      })
      return (await takeItems(keys, limit)).map(parseKey)
    },

    read: async (orgId, jobs) => {
      // DynamoDB refuses a read that names a key twice.
      const ids = new Set(jobs.map(({ jobId }) => jobId))
      const items = await readItems(
        client,
        table,
        [...ids].map((jobId) => jobKeyItem({ orgId, jobId })),
      )
      const listItems = new Map(items.map(parseListItem).map((item) => [writeListedKey(item), item]))
      // Compared by id and time: the index may still have the job that had the id before.
      return jobs.flatMap((job) => listItems.get(writeListedKey(job)) ?? [])
    },
  }
}

const keyOf = (orgId: string, job: ListedJob): Item => ({
  ...jobKeyItem({ orgId, jobId: job.jobId }),
  [listedIndex.sortKey]: writeListedKey(job),
})

function parseKey(item: Item): ListedJob {
  const [createdAt, jobId] = v.parse(keySchema, item)[listedIndex.sortKey].split('#')
  if (createdAt === undefined || jobId === undefined) throw new TypeError('a job in the list has no time or id')
  return { createdAt: new Date(createdAt), jobId }
}

function parseListItem(item: Item): JobListItem {
  const { feeSchedules, ...stored } = readFields(v.parse(listItemSchema, item))
  const { count, first, next } = feeSchedules
  const request = { feeScheduleCount: count, firstFeeSchedule: first, ...(next && { nextFeeSchedules: next }) }
  if (stored.status === 'completed') {
    const { endedAt: completedAt, resultRows: rows, resultBytes: bytes, ...job } = stored
    return { ...job, ...request, completedAt, rows, bytes }
  }
  if (stored.status === 'failed') {
    const { endedAt: failedAt, failure: error, ...job } = stored
    return { ...job, ...request, failedAt, error }
  }
  return { ...stored, ...request }
}
