import type { SearchBody } from '../../contract/search-api.ts'
import type { PresentedKey } from '../access/api-key.ts'
import type { Parameters } from '../paging/page-query.ts'
import { type AwaitEnd, awaitEnd, readWait } from './await-end.ts'
import { type ReadCallersJob, readCallersJob } from './callers-job.ts'
import type { UrlSigner } from './ports.ts'
import { describeCompletedSearch, describeSearch, retryAfterSeconds } from './search-body.ts'
import { signShards } from './sign-shards.ts'

export interface GetSearch extends ReadCallersJob {
  readonly signer: UrlSigner
  readonly publicBaseUrl: string
  /**
   * Dependencies of a wait; its lookup gives up soon, so that the call answers in time. @default - a call with `wait`
   * answers at once
   */
  readonly waiting?: Omit<AwaitEnd, 'now'> & Pick<ReadCallersJob, 'lookup'>
}

/**
 * Describes a job to the organization that owns it, after a wait for its end if `wait` asks for one. The URLs of a
 * completed job are signed for each response.
 *
 * @param parameters the query string; `wait` is the only parameter
 * @throws Unauthorized, Forbidden, NotFound, InvalidRequest
 * @returns the body, and whole seconds until the client should poll again, unless the job has ended
 */
export async function getSearch(
  deps: GetSearch,
  key: PresentedKey,
  jobId: string,
  parameters: Parameters = {},
): Promise<{ readonly body: SearchBody; readonly retryAfter?: number }> {
  const startedAt = deps.now()
  const readJob = ({ lookup }: Pick<ReadCallersJob, 'lookup'>) =>
    readCallersJob({ ...deps, lookup }, key, jobId, 'get-search')
  const first = await readJob(deps)
  const seconds = readWait(parameters)
  const { waiting, now } = deps
  const job = waiting
    ? await awaitEnd({ ...waiting, now }, { job: first, seconds, startedAt }, () => readJob(waiting))
    : first
  if (job.status === 'completed') {
    const signed = await signShards(deps.signer, key, job)
    return { body: describeCompletedSearch(job, deps.publicBaseUrl, signed) }
  }
  const retryAfter = retryAfterSeconds(job, deps.now())
  return { body: describeSearch(job, deps.publicBaseUrl), ...(retryAfter && { retryAfter }) }
}
