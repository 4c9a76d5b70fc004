import type { SearchBody } from '../contract/search-api.ts'
import { authorize } from './access.ts'
import type { PresentedKey } from './api-key.ts'
import { NotFound } from './errors.ts'
import type { CompletedJob, Job } from './job.ts'
import { isJobId } from './job.ts'
import type { Access, Clock, JobLookup, UrlSigner } from './ports.ts'
import { isPastRetention } from './retention.ts'
import { describeCompletedSearch, describeSearch, retryAfterSeconds } from './search-body.ts'

export interface GetSearch {
  readonly access: Access
  readonly jobs: JobLookup
  readonly signer: UrlSigner
  readonly publicBaseUrl: string
  readonly retentionDays: number
  readonly now: Clock
}

export interface SearchAnswer {
  readonly body: SearchBody
  /** Whole seconds until a client should look again; absent once the job has ended. */
  readonly retryAfter?: number
}

/**
 * Shows a job to the organization that owns it. A completed job's URLs are signed anew for each answer.
 *
 * @throws Unauthorized, Forbidden
 * @throws NotFound alike for an unknown job, another organization's, an expired one and a malformed id
 */
export async function getSearch(deps: GetSearch, key: PresentedKey, jobId: string): Promise<SearchAnswer> {
  const job = await readOwnJob(deps, key, jobId)
  if (job.status === 'completed') {
    const signed = await deps.signer.sign(nameDownloads(job))
    return { body: describeCompletedSearch(job, deps.publicBaseUrl, signed) }
  }
  const retryAfter = retryAfterSeconds(job, deps.now())
  return { body: describeSearch(job, deps.publicBaseUrl), ...(retryAfter && { retryAfter }) }
}

async function readOwnJob(deps: GetSearch, key: PresentedKey, jobId: string): Promise<Job> {
  if (!isJobId(jobId)) {
    authorize(key, await deps.access.readAccess(key))
    throw new NotFound()
  }
  const { access, job } = await deps.jobs.lookUp(key, jobId)
  authorize(key, access)
  if (job === undefined || isPastRetention(job, deps.retentionDays, deps.now())) throw new NotFound()
  return job
}

/** Athena's files have no suffix, which users take for broken: each shard is saved under a name that tools recognise. */
function nameDownloads({ jobId, shards }: CompletedJob) {
  return shards.map(({ key }, index) => ({ key, fileName: `${jobId}-${String(index + 1).padStart(4, '0')}.parquet` }))
}
