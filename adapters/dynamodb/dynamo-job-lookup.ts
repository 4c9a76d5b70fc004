import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import type { JobLookup } from '../../core/ports.ts'
import { accessKeys, parseAccess } from './dynamo-access.ts'
import { batchGet } from './dynamo-client.ts'
import { findJob, jobKeyItem, shardsKeyItem } from './job-items.ts'
import { readWholeJob } from './whole-job.ts'

export interface LookupTables {
  readonly jobs: string
  readonly access: string
}

/** Reads key, organization, job and shards from two tables in one strongly consistent batch. */
export function createDynamoJobLookup(client: DynamoDBDocumentClient, tables: LookupTables): JobLookup {
  return {
    lookUp: (presented, jobId) => {
      const key = { orgId: presented.orgId, jobId }
      return readWholeJob(async () => {
        const found = await batchGet(client, {
          [tables.access]: accessKeys(presented),
          [tables.jobs]: [jobKeyItem(key), shardsKeyItem(key)],
        })
        const job = findJob(found[tables.jobs])
        return { access: parseAccess(found[tables.access] ?? []), ...(job && { job }) }
      })
    },
  }
}
