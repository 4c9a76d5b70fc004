import { DescribeExecutionCommand, type SFNClient } from '@aws-sdk/client-sfn'
import { QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import type { CaseRecord } from '../proxy/fault-proxy.ts'
import type { FaultyService } from '../proxy/faulty-service.ts'

const storedJob = v.object({
  org_id: v.string(),
  item: v.string(),
  job_id: v.string(),
  created_at: v.string(),
  running_since: v.optional(v.string()),
})

export type StoredJob = v.InferOutput<typeof storedJob>

/** Lists the stored jobs of an organization, including those that no client was told of. */
export async function listJobs({ dynamo, jobsTable }: FaultyService, orgId: string): Promise<readonly StoredJob[]> {
  const { Items = [] } = await dynamo.send(
    new QueryCommand({
      TableName: jobsTable,
      ConsistentRead: true,
      KeyConditionExpression: 'org_id = :org AND begins_with(#item, :job)',
      ExpressionAttributeNames: { '#item': 'item' },
      ExpressionAttributeValues: { ':org': orgId, ':job': 'job#' },
    }),
  )
  return Items.map((item) => v.parse(storedJob, item))
}

/**
 * Moves the timestamps of a job that has not ended back: the last touch by ten minutes, or all of them by `hours`. The
 * sweeper decides by the stored timestamps, so to it the job looks abandoned.
 */
export async function ageJob({ dynamo, jobsTable }: FaultyService, job: StoredJob, hours = 0): Promise<void> {
  const earlier = (time: string, minutes = hours * 60) => new Date(Date.parse(time) - minutes * 60_000).toISOString()
  const { created_at, running_since } = job
  const times = {
    touched_at: earlier(new Date().toISOString(), 10),
    ...(hours > 0 && { created_at: earlier(created_at) }),
    ...(hours > 0 && running_since !== undefined && { running_since: earlier(running_since) }),
  }
  const update = new UpdateCommand({
    TableName: jobsTable,
    Key: { org_id: job.org_id, item: job.item },
    UpdateExpression: `SET ${Object.keys(times)
      .map((name) => `${name} = :${name}`)
      .join(', ')}`,
    ConditionExpression: 'attribute_exists(touched_at)',
    ExpressionAttributeValues: Object.fromEntries(Object.entries(times).map(([name, time]) => [`:${name}`, time])),
  })
  await dynamo.send(update).catch((error: unknown) => {
    // The job has ended meanwhile, so the sweeper ignores it.
    if (!(error instanceof Error && error.name === 'ConditionalCheckFailedException')) throw error
  })
}

/** Returns true while an execution of the case is running. */
export async function isMoving(client: SFNClient, { executions, held }: CaseRecord): Promise<boolean> {
  if (held.size > 0) return true
  const states = await Promise.all(
    [...executions].map((executionArn) => client.send(new DescribeExecutionCommand({ executionArn }))),
  )
  return states.some(({ status }) => status === 'RUNNING')
}
