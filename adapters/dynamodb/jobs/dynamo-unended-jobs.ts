import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { jobStatuses } from '../../../core/job/job.ts'
import type { UnendedJob, UnendedJobs } from '../../../core/job/ports.ts'
import { singleUnendedPartition, unendedIndex, unendedPartitions } from '../../../schema/tables.ts'
import { queryIndex, takeItems } from '../dynamo-client.ts'
import { type Item, readFields, storedTime } from '../stored-fields.ts'
import { tableWrites } from '../table-writes.ts'
import { jobKeyItem, runningQuery } from './job-items.ts'

const itemSchema = v.object({
  org_id: v.string(),
  job_id: v.string(),
  run: v.string(),
  status: v.picklist(jobStatuses),
  created_at: storedTime,
  touched_at: storedTime,
  running_query: v.exactOptional(runningQuery),
  running_since: v.exactOptional(storedTime),
})

/** Reads the sparse index of jobs that have not ended or are not announced (`unendedIndex` in schema/tables.ts). */
export function createDynamoUnendedJobs(client: DynamoDBDocumentClient, table: string): UnendedJobs {
  const { setIf } = tableWrites(client, table)
  const query = async (unended: string, limit: number): Promise<readonly UnendedJob[]> => {
    const jobs = queryIndex(client, {
      table,
      index: unendedIndex,
      condition: '#unended = :unended',
      values: { unended },
      page: { Limit: limit },
    })
    return (await takeItems(jobs, limit)).map(parseUnendedJob)
  }
  return {
    list: async (limit) => {
      // The least recently touched jobs may all be in one partition, so query each with the full limit.
      const jobsByPartition = await Promise.all(
        [...unendedPartitions, singleUnendedPartition].map((partition) => query(partition, limit)),
      )
      return jobsByPartition
        .flat()
        .sort((a, b) => a.touchedAt.getTime() - b.touchedAt.getTime())
        .slice(0, limit)
    },

    postpone: (job, at) =>
      setIf(jobKeyItem(job), {
        fields: { touchedAt: at },
        condition: '#run = :run AND attribute_exists(#unended)',
        values: { run: job.run },
      }),
  }
}

function parseUnendedJob(item: Item): UnendedJob {
  const { runningQuery: query, ...job } = readFields(v.parse(itemSchema, item))
  return { ...job, ...(query && { query }) }
}
