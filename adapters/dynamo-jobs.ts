import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { DeleteCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { JobRun, JobStatus } from '../core/job.ts'
import { predecessorsOf, terminalStatuses } from '../core/job.ts'
import type { Jobs } from '../core/ports.ts'
import { unendedIndex } from '../core/tables.ts'
import { writeConditionally } from './conditional-write.ts'
import type { Item } from './dynamo-client.ts'
import { batchGet } from './dynamo-client.ts'
import { putNewJob } from './dynamo-job-creation.ts'
import {
  epochSeconds,
  findJob,
  jobKeyItem,
  parseRequest,
  requestKeyItem,
  shardsKeyItem,
  writeRequest,
  writeShards,
} from './job-items.ts'
import { readWholeJob } from './whole-job.ts'

/**
 * Jobs in DynamoDB (`jobsTable` in core/tables.ts). Every write that moves a job is conditional on its run and on the
 * transition table, so whoever comes late changes nothing.
 */
export function createDynamoJobs(client: DynamoDBDocumentClient, TableName: string): Jobs {
  /** Updates a job that is in one of the states `from` and in its own run. */
  const update = (job: JobRun, from: readonly JobStatus[], change: string, values: Item, condition = '') => {
    const states = nameStates(from)
    return writeConditionally(() =>
      client.send(
        new UpdateCommand({
          TableName,
          Key: jobKeyItem(job),
          UpdateExpression: change,
          ConditionExpression: `#run = :run AND #status IN (${Object.keys(states).join(', ')})${condition}`,
          ExpressionAttributeNames: { '#run': 'run', '#status': 'status' },
          ExpressionAttributeValues: { ':run': job.run, ...states, ...values },
        }),
      ),
    )
  }

  return {
    create: async (job, request, requestExpiresAt, endedBefore) => {
      const Item = writeRequest(job.orgId, job.requestHash, request, requestExpiresAt)
      await client.send(new PutCommand({ TableName, Item }))
      return putNewJob(client, TableName, job, endedBefore)
    },

    read: (key) =>
      readWholeJob(async () => {
        const found = await batchGet(client, { [TableName]: [jobKeyItem(key), shardsKeyItem(key)] })
        return findJob(found[TableName])
      }),

    readRequest: async (orgId, requestHash) => {
      const found = await batchGet(client, { [TableName]: [requestKeyItem(orgId, requestHash)] })
      const item = found[TableName]?.[0]
      return item && parseRequest(item)
    },

    begin: (job, sources, at) => {
      const change = `SET #status = :to, touched_at = :at${sources === undefined ? '' : ', source_ids = :sources'}`
      const unchosen = ' AND attribute_not_exists(source_ids)'
      const values = { ':to': 'processing', ':at': at.toISOString(), ...(sources && { ':sources': sources }) }
      return update(job, [...predecessorsOf('processing'), 'processing'], change, values, unchosen)
    },

    noteQuery: (job, { queryId, attempt }, at) => {
      const values = { ':query': { query_id: queryId, attempt }, ':at': at.toISOString() }
      return update(
        job,
        ['processing'],
        'SET running_query = :query, touched_at = :at, running_since = if_not_exists(running_since, :at)',
        values,
      )
    },

    touch: (job, at) => update(job, ['queued', 'processing'], 'SET touched_at = :at', { ':at': at.toISOString() }),

    complete: async (job, expiresAt) => {
      // Claimed first: once a job is completed, no other attempt may touch its shards.
      const latest = ' AND (attribute_not_exists(attempt) OR attempt <= :attempt)'
      const attempt = { ':attempt': job.attempt }
      const from = predecessorsOf('completed')
      const claim = await update(job, from, 'SET attempt = :attempt', attempt, latest)
      if (claim === 'superseded') return claim
      // Shards before the job: it must never be seen completed without them. An overtaken attempt loses here or below.
      const shards = await writeConditionally(() =>
        client.send(
          new PutCommand({
            TableName,
            Item: writeShards(job, expiresAt),
            // Of two runs the later one's: a step of a run that was deleted must not take the shards from the next.
            ConditionExpression:
              'attribute_not_exists(org_id) OR (#run = :run AND attempt <= :attempt) OR (#run <> :run AND created_at < :created)',
            ExpressionAttributeNames: { '#run': 'run' },
            ExpressionAttributeValues: { ':run': job.run, ':created': job.createdAt.toISOString(), ...attempt },
          }),
        ),
      )
      if (shards === 'superseded') return shards
      const change = `SET #status = :to, ended_at = :at, expires_at = :expires ${leaveIndex}`
      const values = { ...attempt, ...ending('completed', job.completedAt, expiresAt) }
      return update(job, from, change, values, ' AND attempt = :attempt')
    },

    fail: (job, expiresAt) => {
      const change = `SET #status = :to, ended_at = :at, failure = :failure, expires_at = :expires ${leaveIndex}`
      const values = { ':failure': job.error, ...ending('failed', job.failedAt, expiresAt) }
      return update(job, predecessorsOf('failed'), change, values)
    },

    remove: async (job) => {
      const ended = nameStates(terminalStatuses)
      const removal = await writeConditionally(() =>
        client.send(
          new DeleteCommand({
            TableName,
            Key: jobKeyItem(job),
            // The SDK repeats a removal whose answer was lost: then the job is not there any more.
            ConditionExpression: `attribute_not_exists(org_id) OR (#run = :run AND #status IN (${Object.keys(ended).join(', ')}))`,
            ExpressionAttributeNames: { '#run': 'run', '#status': 'status' },
            ExpressionAttributeValues: { ':run': job.run, ...ended },
          }),
        ),
      )
      if (removal === 'superseded') return removal
      await writeConditionally(() =>
        client.send(
          new DeleteCommand({
            TableName,
            Key: shardsKeyItem(job),
            ConditionExpression: '#run = :run',
            ExpressionAttributeNames: { '#run': 'run' },
            ExpressionAttributeValues: { ':run': job.run },
          }),
        ),
      )
      return removal
    },
  }
}

/** States as the values of an expression. */
const nameStates = (statuses: readonly JobStatus[]) =>
  Object.fromEntries(statuses.map((status, index) => [`:state${index}`, status]))

/** A job that has ended is nothing for the sweeper: without the keys it is not in the index. */
const leaveIndex = `REMOVE ${unendedIndex.partitionKey}, ${unendedIndex.sortKey}`

function ending(to: JobStatus, endedAt: Date, expiresAt: Date): Item {
  return { ':to': to, ':at': endedAt.toISOString(), ':expires': epochSeconds(expiresAt) }
}
