import { type AttributeValue, type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb'
import { S3Client } from '@aws-sdk/client-s3'
import { jobItem, jobsTable } from '../../../schema/tables.ts'
import { commandRequests } from '../../request-limits.ts'
import { listPages } from '../../s3/s3-prefix.ts'

type Item = Readonly<Record<string, AttributeValue>>

/** A table with jobs, and the bucket in which the stage that gets them looks for their results. */
export interface ResultsTarget {
  readonly client: DynamoDBClient
  readonly jobsTable: string
  readonly bucket: string
  readonly s3?: S3Client
}

/**
 * Tells which items of jobs may be restored: all except the items of completed jobs that lack files in the bucket. A
 * job is never completed without its files, and a client with URLs of missing files would ask for new URLs forever.
 *
 * @returns a check of one item of the table as DynamoDB stores it
 */
export function checkResults({
  client,
  jobsTable: TableName,
  bucket,
  s3 = new S3Client(commandRequests),
}: ResultsTarget) {
  const readItem = async (orgId: string, item: string): Promise<Item | undefined> => {
    const Key = { [jobsTable.partitionKey]: { S: orgId }, [jobsTable.sortKey]: { S: item } }
    return (await client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }))).Item
  }
  const hasFiles = async (orgId: string, jobId: string): Promise<boolean> => {
    const [job, shards] = await Promise.all(
      [jobItem.job(jobId), jobItem.shards(jobId)].map((item) => readItem(orgId, item)),
    )
    if (job?.['status']?.S !== 'completed') return true
    const keys = shards === undefined ? [] : readKeys(shards)
    const [first] = keys
    if (first === undefined) return false
    const storedKeys = new Set<string | undefined>()
    for await (const page of listPages(s3, bucket, first.slice(0, first.lastIndexOf('/') + 1)))
      for (const { Key } of page) storedKeys.add(Key)
    return keys.every((key) => storedKeys.has(key))
  }

  return async (item: Item): Promise<boolean> => {
    const orgId = item[jobsTable.partitionKey]?.S
    const jobId = readJobId(item[jobsTable.sortKey]?.S ?? '')
    return orgId === undefined || jobId === undefined ? true : hasFiles(orgId, jobId)
  }
}

/** The id of the job that an item is part of; undefined if it is part of none. */
function readJobId(item: string): string | undefined {
  const prefix = [jobItem.job(''), jobItem.shards('')].find((each) => item.startsWith(each))
  return prefix === undefined ? undefined : item.slice(prefix.length)
}

const readKeys = (shards: Item): readonly string[] =>
  (shards['shards']?.L ?? []).flatMap(({ M }) => M?.['key']?.S ?? [])
