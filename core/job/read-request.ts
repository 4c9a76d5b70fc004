import type { SearchRequest } from '../search/search-request.ts'
import type { Job } from './job.ts'
import type { Jobs } from './ports.ts'

/** Reads the request of a job that has not been deleted. */
export async function readRequest(
  { jobs }: { readonly jobs: Pick<Jobs, 'readRequest'> },
  { orgId, jobId, requestHash }: Pick<Job, 'orgId' | 'jobId' | 'requestHash'>,
): Promise<SearchRequest> {
  const request = await jobs.readRequest(orgId, requestHash)
  if (request === undefined) throw new Error(`the request of job ${jobId} is not stored`)
  return request
}
