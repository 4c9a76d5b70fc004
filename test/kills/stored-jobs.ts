import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb'
import type { LocalStorage } from '../../local/storage.ts'

/** A job as it is stored. */
export interface StoredJob {
  readonly orgId: string
  readonly jobId: string
  readonly status: string
}

/** The jobs table of a data folder. */
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

/** Lists all stored jobs, including those that no client was told of. */
export async function listStoredJobs({ client, table }: JobsTable): Promise<readonly StoredJob[]> {
  const jobs: StoredJob[] = []
  for await (const { Items = [] } of paginateScan({ client }, { TableName: table, ConsistentRead: true })) {
    for (const { org_id, item, job_id, status } of Items)
      if (String(item).startsWith('job#'))
        jobs.push({ orgId: String(org_id), jobId: String(job_id), status: String(status) })
  }
  return jobs
}
