import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import type { JobHolder, QueuedJob } from '../../../core/job/job.ts'
import type { JobCreation } from '../../../core/job/ports.ts'
import type { SearchRequest } from '../../../core/search/search-request.ts'
import { DynamoUnavailable, readItems } from '../dynamo-client.ts'
import { express } from '../stored-fields.ts'
import { jobKeyItem, parseJobHolder, writeQueuedJob } from './job-items.ts'

/** Attempts to put a job whose id is taken and then freed again; each round needs another job to end in between. */
const maxPuts = 5

/** A job to store in a table. */
export interface NewJob {
  readonly table: string
  readonly job: QueuedJob
  readonly request: SearchRequest
  /** A job that ended by this time gives up its id, because DynamoDB deletes expired items days late. */
  readonly endedBefore: Date | undefined
}

/**
 * Stores a new job unless its id is taken. A single conditional write decides between concurrent callers.
 *
 * @throws DynamoUnavailable if the id keeps being taken and freed
 */
export async function putNewJob(client: DynamoDBDocumentClient, newJob: NewJob): Promise<JobCreation> {
  const { table, job } = newJob
  for (let put = 1; put <= maxPuts; put++) {
    const outcome = await putUnlessTaken(client, newJob)
    if (outcome === 'written') return { outcome: 'created' }
    const holder = outcome ?? (await readHolder(client, table, job))
    // Our own run: the response to the put was lost, and a step picked up the job before the SDK retried.
    if (holder?.run === job.run) return { outcome: 'created' }
    if (holder !== undefined) return { outcome: 'id-taken', by: holder }
  }
  throw new DynamoUnavailable('the id of a new job was repeatedly taken and freed again')
}

async function putUnlessTaken(
  client: DynamoDBDocumentClient,
  { table, job, request, endedBefore }: NewJob,
): Promise<'written' | JobHolder | undefined> {
  // The SDK retries a put whose response was lost. If our own run is already stored, the put succeeded.
  const free = ['attribute_not_exists(org_id)', '(#run = :run AND #status = :queued)']
  if (endedBefore) free.push('ended_at <= :ended_before')
  try {
    await client.send(
      new PutCommand({
        TableName: table,
        Item: writeQueuedJob(job, request),
        ConditionExpression: free.join(' OR '),
        ...express(free, { run: job.run, queued: 'queued', endedBefore }),
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    )
    return 'written'
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error
    // The document client leaves items attached to errors as they are.
    return error.Item && parseJobHolder(unmarshall(error.Item))
  }
}

/** DynamoDB returns the item with the failed condition. Reads it from endpoints that do not support this. */
async function readHolder(
  client: DynamoDBDocumentClient,
  table: string,
  job: QueuedJob,
): Promise<JobHolder | undefined> {
  const [item] = await readItems(client, table, [jobKeyItem(job)])
  return item && parseJobHolder(item)
}
