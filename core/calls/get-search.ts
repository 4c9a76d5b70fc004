import type { SearchBody } from '../../contract/search-api.ts'
import type { PresentedKey } from '../access/api-key.ts'
import { type ReadCallersJob, readCallersJob } from './callers-job.ts'
import type { UrlSigner } from './ports.ts'
import { describeCompletedSearch, describeSearch, retryAfterSeconds } from './search-body.ts'
import { signShards } from './sign-shards.ts'

export interface GetSearch extends ReadCallersJob {
  readonly signer: UrlSigner
  readonly publicBaseUrl: string
}

/**
 * Describes a job to the organization that owns it. The URLs of a completed job are signed for each response.
 *
 * @returns the body, and whole seconds until the client should poll again, unless the job has ended
 */
export async function getSearch(
  deps: GetSearch,
  key: PresentedKey,
  jobId: string,
): Promise<{ readonly body: SearchBody; readonly retryAfter?: number }> {
  const job = await readCallersJob(deps, key, jobId)
  if (job.status === 'completed') {
    const signed = await signShards(deps.signer, key, job)
    return { body: describeCompletedSearch(job, deps.publicBaseUrl, signed) }
  }
  const retryAfter = retryAfterSeconds(job, deps.now())
  return { body: describeSearch(job, deps.publicBaseUrl), ...(retryAfter && { retryAfter }) }
}
