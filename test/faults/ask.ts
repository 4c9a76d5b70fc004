import { QueryCommand } from '@aws-sdk/lib-dynamodb'
import type { SearchBody } from '../../contract/search-api.ts'
import type { CaseClient } from './case-client.ts'
import type { PlannedFault } from './fault.ts'
import type { FaultyService } from './faulty-service.ts'
import type { Scenario } from './scenario.ts'
import type { StoredJob } from './stored-job.ts'

/** How often a client asks for the same thing, at most, until it is done. */
const mostAsks = 4

/** A job that has come to its end, and what the case was about. */
export interface EndedCase {
  readonly scenario: Scenario
  readonly fault: PlannedFault | undefined
  readonly job: StoredJob | undefined
  readonly search: SearchBody | undefined
}

/**
 * Asks for what the scenario's client wants of a job that has ended: a cancelled one is cancelled again, a completed one
 * deleted.
 *
 * @returns what is wrong with the answers, a line each
 */
export async function askAfterwards(
  faulty: FaultyService,
  client: CaseClient,
  { scenario, fault, job, search }: EndedCase,
): Promise<readonly string[]> {
  if (job === undefined) return []
  if (scenario.asks === 'cancel') return cancelAgain(client, job, search)
  if (scenario.asks === 'delete' && search?.status === 'completed')
    return deleteJob(faulty, client, job, search.download_urls, fault)
  return []
}

async function cancelAgain(client: CaseClient, job: StoredJob, before: SearchBody | undefined) {
  const answer = await client.cancelSearch(job.job_id)
  return JSON.stringify(answer) === JSON.stringify(before) ? [] : ['cancelling again gave another answer']
}

/**
 * Deletes a completed job, and asks again until it is gone. Where the answer of a deletion is lost, what is left of its
 * files is nobody's and goes with their lifecycle (core/delete-search.ts); otherwise nothing may be left.
 */
async function deleteJob(
  faulty: FaultyService,
  client: CaseClient,
  job: StoredJob,
  urls: readonly string[],
  fault: PlannedFault | undefined,
): Promise<readonly string[]> {
  let asks = 0
  while (asks < mostAsks && !(await client.isGone(job.job_id))) {
    asks += 1
    await client.deleteSearch(job.job_id)
  }
  if (!(await client.isGone(job.job_id))) return ['the job is not deleted']
  if (fault !== undefined && !fault.fault.startsWith('once')) return []
  const answers = await Promise.all(urls.map(async (url) => (await fetch(url)).status))
  const items = await listItems(faulty, job)
  return [
    ...(answers.every((status) => status === 404) ? [] : ['a file of a deleted job is there']),
    ...items.map((item) => `${item} of a deleted job is stored`),
  ]
}

/** The items of the jobs table that name the job. */
async function listItems({ dynamo, jobsTable }: FaultyService, job: StoredJob): Promise<readonly string[]> {
  const { Items = [] } = await dynamo.send(
    new QueryCommand({
      TableName: jobsTable,
      ConsistentRead: true,
      KeyConditionExpression: 'org_id = :org',
      ExpressionAttributeValues: { ':org': job.org_id },
    }),
  )
  return Items.map(({ item }) => String(item)).filter((item) => item.includes(job.job_id))
}
