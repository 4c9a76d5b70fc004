import type { SearchBody } from '../../../contract/search-api.ts'
import type { ContractClient } from '../../harness/contract-client.ts'
import { listItems, type StoredJob } from '../../harness/stored-jobs.ts'
import type { PlannedFault } from '../proxy/fault.ts'
import type { FaultyService } from '../proxy/faulty-service.ts'
import type { Scenario } from './scenario.ts'

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
  client: ContractClient,
  { scenario, fault, job, search }: EndedCase,
): Promise<readonly string[]> {
  if (job === undefined) return []
  if (scenario.asks === 'cancel')
    return (await client.cancelSearch(job.job_id)) ? [] : ['a second cancellation was not answered']
  if (scenario.asks === 'delete' && search?.status === 'completed')
    return deleteJob(faulty, client, job, { urls: search.download_urls, fault })
  return []
}

/**
 * Deletes a completed job, and retries until it is gone. If the answer of a deletion is lost, orphaned files may remain
 * until the bucket's lifecycle rule deletes them (core/calls/delete-search.ts); otherwise nothing may remain.
 */
async function deleteJob(
  faulty: FaultyService,
  client: ContractClient,
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
  const items = (await listItems(faulty.jobs, job.org_id)).map(({ item }) => String(item))
  return [
    ...(answers.every((status) => status === 403) ? [] : ['a file of a deleted job still exists']),
    ...items.filter((item) => item.includes(job.job_id)).map((item) => `${item} of a deleted job is still stored`),
  ]
}
