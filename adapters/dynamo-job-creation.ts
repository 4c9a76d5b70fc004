import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { PutCommand } from '@aws-sdk/lib-dynamodb'
import type { JobHolder, QueuedJob } from '../core/job.ts'
import type { JobCreation } from '../core/ports.ts'
import { batchGet, DynamoUnavailable } from './dynamo-client.ts'
import { jobKeyItem, parseJobHolder, parseReturnedJobHolder, writeQueuedJob } from './job-items.ts'

/** How often a job is put where its id is taken and then free again: each time takes a whole job's end in between. */
const mostPuts = 5

/**
 * Puts a new job, unless its id is taken: one conditional write decides between any number of callers.
 *
 * @param endedBefore a job that had ended by then gives its id up, since DynamoDB removes expired items days late
 * @throws DynamoUnavailable where the id is taken and free again without end
 */
export async function putNewJob(
  client: DynamoDBDocumentClient,
  TableName: string,
  job: QueuedJob,
  endedBefore: Date | undefined,
): Promise<JobCreation> {
  for (let put = 1; put <= mostPuts; put++) {
    const found = await putUnlessTaken(client, TableName, job, endedBefore)
    if (found === 'written') return { outcome: 'created' }
    const holder = found ?? (await readHolder(client, TableName, job))
    // Its own run: the answer to the put was lost, the SDK put it again, and a step had picked it up by then.
    if (holder?.run === job.run) return { outcome: 'created' }
    if (holder !== undefined) return { outcome: 'id-taken', by: holder }
  }
  throw new DynamoUnavailable('the id of a new job was taken and free again, time after time')
}

async function putUnlessTaken(
  client: DynamoDBDocumentClient,
  TableName: string,
  job: QueuedJob,
  endedBefore: Date | undefined,
): Promise<'written' | JobHolder | undefined> {
  // The SDK repeats a put whose answer was lost: then the job is there already, and it is this very one.
  const free = ['attribute_not_exists(org_id)', '(#run = :run AND #status = :queued)']
  if (endedBefore) free.push('ended_at <= :ended_before')
  try {
    await client.send(
      new PutCommand({
        TableName,
        Item: writeQueuedJob(job),
        ConditionExpression: free.join(' OR '),
        ExpressionAttributeNames: { '#run': 'run', '#status': 'status' },
        ExpressionAttributeValues: {
          ':run': job.run,
          ':queued': 'queued',
          ...(endedBefore && { ':ended_before': endedBefore.toISOString() }),
        },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    )
    return 'written'
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error
    return error.Item && parseReturnedJobHolder(error.Item)
  }
}

/** DynamoDB gives the item along with the refusal; an endpoint that does not know how is asked for it. */
async function readHolder(
  client: DynamoDBDocumentClient,
  TableName: string,
  job: QueuedJob,
): Promise<JobHolder | undefined> {
  const found = await batchGet(client, { [TableName]: [jobKeyItem(job)] })
  const item = found[TableName]?.[0]
  return item && parseJobHolder(item)
}
