import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { QueryCommand } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import type { UnendedJobs } from '../core/ports.ts'
import { unendedIndex, unendedMark } from '../core/tables.ts'
import { runningQuery, storedTime } from './job-items.ts'

const itemSchema = v.object({
  org_id: v.string(),
  job_id: v.string(),
  run: v.string(),
  status: v.picklist(['queued', 'processing']),
  created_at: storedTime,
  touched_at: storedTime,
  running_query: v.optional(runningQuery),
  running_since: v.optional(storedTime),
})

/** The sparse index of jobs that have not ended (`unendedIndex` in core/tables.ts). */
export function createDynamoUnendedJobs(client: DynamoDBDocumentClient, table: string): UnendedJobs {
  return {
    list: async (limit) => {
      const { Items = [] } = await client.send(
        new QueryCommand({
          TableName: table,
          IndexName: unendedIndex.name,
          KeyConditionExpression: `${unendedIndex.partitionKey} = :mark`,
          ExpressionAttributeValues: { ':mark': unendedMark },
          Limit: limit,
        }),
      )
      return Items.map((item) => {
        const { org_id, job_id, run, status, created_at, touched_at, ...running } = v.parse(itemSchema, item)
        const { running_query: query, running_since: runningSince } = running
        return {
          ...{ orgId: org_id, jobId: job_id, run, status, createdAt: created_at, touchedAt: touched_at },
          ...(query && { query: { queryId: query.query_id, attempt: query.attempt } }),
          ...(runningSince && { runningSince }),
        }
      })
    },
  }
}
