import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import type { CreationLookup, JobLookup } from '../../../core/calls/ports.ts'
import type { Job } from '../../../core/job/job.ts'
import { jobItem } from '../../../schema/tables.ts'
import { accessItemKeys, parseAccess } from '../dynamo-access.ts'
import { batchGet } from '../dynamo-client.ts'
import { parseUsage, usageKeyItem } from '../dynamo-usages.ts'
import type { Item } from '../stored-fields.ts'
import { findJob, findRecordedJob, jobKeyItem, parseEndingHolder, readWholeJob, shardsKeyItem } from './job-items.ts'

export interface LookupTables {
  readonly jobs: string
  readonly access: string
}

/** Reads key, organization, job and shards from two tables in one strongly consistent batch. */
export const createDynamoJobLookup = (client: DynamoDBDocumentClient, tables: LookupTables) =>
  createLookup(client, tables, findJob)

/** As `createDynamoJobLookup`, with the job's history. */
export const createDynamoRecordedJobLookup = (client: DynamoDBDocumentClient, tables: LookupTables) =>
  createLookup(client, tables, findRecordedJob)

function createLookup<Found extends Job>(
  client: DynamoDBDocumentClient,
  tables: LookupTables,
  find: (items: readonly Item[] | undefined) => Found | undefined,
): JobLookup<Found> {
  return {
    lookUp: (presented, jobId) => {
      const key = { orgId: presented.orgId, jobId }
      return readWholeJob(async () => {
        const itemsByTable = await batchGet(client, {
          [tables.access]: accessItemKeys(presented),
          [tables.jobs]: [jobKeyItem(key), shardsKeyItem(key)],
        })
        const job = find(itemsByTable[tables.jobs])
        return { access: parseAccess(itemsByTable[tables.access] ?? []), ...(job && { job }) }
      })
    },
  }
}

/** Reads key, organization, usage and an idempotency key's job from two tables in one strongly consistent batch. */
export function createDynamoCreationLookup(client: DynamoDBDocumentClient, tables: LookupTables): CreationLookup {
  return {
    lookUp: async (presented, jobId) => {
      const { orgId } = presented
      const itemsByTable = await batchGet(client, {
        [tables.access]: accessItemKeys(presented),
        [tables.jobs]: [usageKeyItem(orgId), ...(jobId === undefined ? [] : [jobKeyItem({ orgId, jobId })])],
      })
      const items = itemsByTable[tables.jobs] ?? []
      const job = items.find(({ item }) => item !== jobItem.usage)
      return {
        access: parseAccess(itemsByTable[tables.access] ?? []),
        usage: parseUsage(items.find(({ item }) => item === jobItem.usage)),
        ...(job && { holder: parseEndingHolder(job) }),
      }
    },
  }
}
