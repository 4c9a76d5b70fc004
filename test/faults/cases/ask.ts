import { QueryCommand } from '@aws-sdk/lib-dynamodb'
import type { SearchBody } from '../../../contract/search-api.ts'
import type { PlannedFault } from '../proxy/fault.ts'
import type { FaultyService } from '../proxy/faulty-service.ts'
import type { CaseClient } from './case-client.ts'
import type { Scenario } from './scenario.ts'
import type { StoredJob } from './stored-job.ts'

/** Maximum number of deletions that a client sends before the case fails. */
const maxAsks = 4

/** A job that has ended, with the scenario and fault of its case. */
export interface EndedCase {
  readonly scenario: Scenario
  readonly fault: PlannedFault | undefined
  readonly job: StoredJob | undefined
  readonly search: SearchBody | undefined
}

/**
 * Calls the API on a job that has ended, as the scenario asks: cancels a cancelled job again, or deletes a completed
 * one.
 *
 * @returns the problems with the answers, one line each
 */
export async function askAfterwards(
  faulty: FaultyService,
  client: CaseClient,
  { scenario, fault, job, search }: EndedCase,
): Promise<readonly string[]> {
  if (job === undefined) return []
  if (scenario.asks === 'cancel') return cancelAgain(client, job, search)
  if (scenario.asks === 'delete' && search?.status === 'completed')
    return deleteJob(faulty, client, job, { urls: search.download_urls, fault })
  return []
}

async function cancelAgain(client: CaseClient, job: StoredJob, before: SearchBody | undefined) {
  const answer = await client.cancelSearch(job.job_id)
  return JSON.stringify(answer) === JSON.stringify(before) ? [] : ['a second cancellation was answered differently']
}

/**
 * Deletes a completed job, and retries until it is gone. If the answer of a deletion is lost, orphaned files may remain
 * until the bucket's lifecycle rule deletes them (core/calls/delete-search.ts); otherwise nothing may remain.
 */
async function deleteJob(
  faulty: FaultyService,
  client: CaseClient,
  job: StoredJob,
  { urls, fault }: { readonly urls: readonly string[]; readonly fault: PlannedFault | undefined },
): Promise<readonly string[]> {
  let asks = 0
  while (asks < maxAsks && !(await client.isGone(job.job_id))) {
    asks += 1
    await client.deleteSearch(job.job_id)
  }
  if (!(await client.isGone(job.job_id))) return ['the job is not deleted']
  if (fault !== undefined && !fault.fault.startsWith('once')) return []
  const answers = await Promise.all(urls.map(async (url) => (await fetch(url)).status))
  const items = await listItems(faulty, job)
  return [
    ...(answers.every((status) => status === 403) ? [] : ['a file of a deleted job still exists']),
    ...items.map((item) => `${item} of a deleted job is still stored`),
  ]
}

/** Items in the jobs table that mention the job. */
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
