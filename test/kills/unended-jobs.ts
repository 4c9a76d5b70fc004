import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { addSeconds } from '../../core/time.ts'
import { startDynamo } from '../../local/dynamodb/server.ts'
import { jobItem } from '../../schema/tables.ts'
import type { Ready } from './service-process.ts'
import type { SteadyClient } from './steady-client.ts'
import { connectJobsTable, listStoredJobs } from './stored-jobs.ts'

/**
 * Moves the timestamps of jobs that have not ended back by three minutes, so that a test need not wait for the sweeper.
 * No service may be running. Returns the number of those jobs.
 */
export async function ageUnendedJobs(dataFolder: string): Promise<number> {
  const dynamo = await startDynamo(join(dataFolder, 'dynamodb'))
  try {
    const jobs = connectJobsTable(dataFolder, dynamo.url)
    const unended = (await listStoredJobs(jobs)).filter(({ status }) => status === 'queued' || status === 'processing')
    for (const { orgId, jobId } of unended) {
      await jobs.client.send(
        new UpdateCommand({
          TableName: jobs.table,
          Key: { org_id: orgId, item: jobItem.job(jobId) },
          UpdateExpression: 'SET touched_at = :at',
          ConditionExpression: 'attribute_exists(touched_at)',
          ExpressionAttributeValues: { ':at': addSeconds(new Date(), -180).toISOString() },
        }),
      )
    }
    return unended.length
  } finally {
    await dynamo.close()
  }
}

/** Polls until every sent search has ended; gives up after a minute. */
export async function awaitEnds(client: SteadyClient, service: Ready): Promise<void> {
  for (let waited = 0; waited < 600 && client.sent.some(({ end }) => end === undefined); waited++) {
    await client.poll(service)
    await sleep(100)
  }
}
