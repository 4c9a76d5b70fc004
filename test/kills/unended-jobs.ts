import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { jobItem } from '../../core/tables.ts'
import { addSeconds } from '../../core/timestamp.ts'
import { startDynamo } from '../../local/dynamodb.ts'
import type { Ready } from './service-process.ts'
import type { SteadyClient } from './steady-client.ts'
import { connectJobsTable, listStoredJobs } from './stored-jobs.ts'

/**
 * Makes the jobs that have not ended three minutes older than they are, while no service runs: the sweeper's own time is too
 * long for a test. Gives how many there are.
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

/** Polls until every search that was sent has ended; a minute at most. */
export async function awaitEnds(client: SteadyClient, service: Ready): Promise<void> {
  for (let waited = 0; waited < 600 && client.sent.some(({ end }) => end === undefined); waited++) {
    await client.poll(service)
    await sleep(100)
  }
}
