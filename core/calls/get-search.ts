import type { SearchBody } from '../../contract/search-api.ts'
import type { PresentedKey } from '../access/api-key.ts'
import { type ReadOwnJob, readOwnJob } from '../job/own-job.ts'
import { nameShards } from '../job/shard-names.ts'
import type { UrlSigner } from '../ports.ts'
import { describeCompletedSearch, describeSearch, retryAfterSeconds } from '../search/search-body.ts'

export interface GetSearch extends ReadOwnJob {
  readonly signer: UrlSigner
  readonly publicBaseUrl: string
}

export interface SearchAnswer {
  readonly body: SearchBody
  /** Whole seconds until the client should poll again; absent once the job has ended. */
  readonly retryAfter?: number
}

/** Describes a job to the organization that owns it. The URLs of a completed job are signed for each response. */
export async function getSearch(deps: GetSearch, key: PresentedKey, jobId: string): Promise<SearchAnswer> {
  const job = await readOwnJob(deps, key, jobId)
  if (job.status === 'completed') {
    const signed = await deps.signer.sign(nameShards(job))
    return { body: describeCompletedSearch(job, deps.publicBaseUrl, signed) }
  }
  const retryAfter = retryAfterSeconds(job, deps.now())
  return { body: describeSearch(job, deps.publicBaseUrl), ...(retryAfter && { retryAfter }) }
}
