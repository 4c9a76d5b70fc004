import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, paginateQuery, paginateScan, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { isTerminal, jobStatuses } from '../../core/job/job.ts'
import { startDynamo } from '../../local/dynamodb/server.ts'
import { eventLog } from '../../local/event-bridge/endpoint.ts'
import type { LocalStorage } from '../../local/storage.ts'

const storedJob = v.object({
  org_id: v.string(),
  item: v.string(),
  job_id: v.string(),
  status: v.picklist(jobStatuses),
  created_at: v.string(),
  running_since: v.optional(v.string()),
})

/** A job as it is stored. */
export type StoredJob = v.InferOutput<typeof storedJob>

/** The jobs table of a service. */
export interface JobsTable {
  readonly client: DynamoDBDocumentClient
  readonly table: string
}

/** @param url of the tables' endpoint @default - that of the running service */
export function connectJobsTable(dataFolder: string, url?: string): JobsTable {
  const { environment, tables }: LocalStorage = JSON.parse(readFileSync(join(dataFolder, 'service.json'), 'utf8'))
  const endpoint = url ?? environment['AWS_ENDPOINT_URL_DYNAMODB'] ?? ''
  const credentials = {
    accessKeyId: environment['AWS_ACCESS_KEY_ID'] ?? '',
    secretAccessKey: environment['AWS_SECRET_ACCESS_KEY'] ?? '',
  }
  const client = new DynamoDBClient({ endpoint, credentials, region: environment['AWS_REGION'] ?? '' })
  return { client: DynamoDBDocumentClient.from(client), table: tables['Jobs'] ?? '' }
}

/** Lists the items of an organization in the jobs table, or of all organizations. */
export async function listItems({ client, table }: JobsTable, orgId?: string): Promise<Record<string, unknown>[]> {
  const scan = { TableName: table, ConsistentRead: true }
  const query = { KeyConditionExpression: 'org_id = :org', ExpressionAttributeValues: { ':org': orgId } }
  const pages = orgId === undefined ? paginateScan({ client }, scan) : paginateQuery({ client }, { ...scan, ...query })
  const items: Record<string, unknown>[] = []
  for await (const { Items = [] } of pages) items.push(...Items)
  return items
}

/** Lists the stored jobs of an organization, or of all, including those that no client was told of. */
export async function listStoredJobs(jobs: JobsTable, orgId?: string): Promise<readonly StoredJob[]> {
  const items = await listItems(jobs, orgId)
  return items.filter(({ item }) => String(item).startsWith('job#')).map((item) => v.parse(storedJob, item))
}

/**
 * Moves the timestamps of jobs back that have not ended or are not announced: the last touch by ten minutes, or all of
 * them by `hours`. The sweeper decides by the stored timestamps, so to it the jobs look abandoned.
 *
 * @param orgId whose jobs @default - those of all organizations
 * @returns the number of those jobs that had not ended
 */
export async function ageJobs(jobs: JobsTable, orgId?: string, hours = 0): Promise<number> {
  const stored = await listStoredJobs(jobs, orgId)
  await Promise.all(stored.map((job) => ageJob(jobs, job, hours)))
  return stored.filter(({ status }) => !isTerminal(status)).length
}

async function ageJob({ client, table }: JobsTable, job: StoredJob, hours: number): Promise<void> {
  const earlier = (time: number, minutes = hours * 60) => new Date(time - minutes * 60_000).toISOString()
  const { created_at, running_since } = job
  const times = {
    touched_at: earlier(Date.now(), 10),
    ...(hours > 0 && { created_at: earlier(Date.parse(created_at)) }),
    ...(hours > 0 && running_since !== undefined && { running_since: earlier(Date.parse(running_since)) }),
  }
  const update = new UpdateCommand({
    TableName: table,
    Key: { org_id: job.org_id, item: job.item },
    UpdateExpression: `SET ${Object.keys(times)
      .map((name) => `${name} = :${name}`)
      .join(', ')}`,
    ConditionExpression: 'attribute_exists(touched_at)',
    ExpressionAttributeValues: Object.fromEntries(Object.entries(times).map(([name, time]) => [`:${name}`, time])),
  })
  await client.send(update).catch((error: unknown) => {
    // The job was settled meanwhile, so the sweeper ignores it.
    if (!(error instanceof Error && error.name === 'ConditionalCheckFailedException')) throw error
  })
}

/** Ages the jobs of a data folder as `ageJobs` does, while no service runs on it. */
export async function ageJobsAtRest(dataFolder: string): Promise<number> {
  const dynamo = await startDynamo(join(dataFolder, 'dynamodb'))
  try {
    return await ageJobs(connectJobsTable(dataFolder, dynamo.url))
  } finally {
    await dynamo.close()
  }
}

/** Returns the jobs whose end is not in the log of events of a data folder. */
export function listUnannounced(dataFolder: string, jobIds: readonly string[]): readonly string[] {
  const events = readFileSync(join(dataFolder, 'logs', eventLog), 'utf8')
  return jobIds.filter((jobId) => !events.includes(`"job_id":"${jobId}"`))
}
