import { type Authorize, authorize } from '../access/access.ts'
import type { PresentedKey } from '../access/api-key.ts'
import { NotFound } from '../errors.ts'
import { isJobId, type Job } from '../job/job.ts'
import { isPastRetention } from '../job/retention.ts'
import type { JobLookup } from './ports.ts'

export interface ReadCallersJob<Found extends Job = Job> extends Authorize {
  readonly lookup: JobLookup<Found>
  readonly retentionDays: number
}

/**
 * Reads a job for the organization that owns it.
 *
 * @throws Unauthorized, Forbidden
 * @throws NotFound for an unknown job, another organization's, an expired one or a malformed id, without distinction
 */
export async function readCallersJob<Found extends Job>(
  deps: ReadCallersJob<Found>,
  key: PresentedKey,
  jobId: string,
): Promise<Found> {
  if (!isJobId(jobId)) {
    await authorize(deps, key, await deps.access.readAccess(key))
    throw new NotFound()
  }
  const { access, job } = await deps.lookup.lookUp(key, jobId)
  await authorize(deps, key, access)
  if (job === undefined || isPastRetention(job, deps.retentionDays, deps.now())) throw new NotFound()
  return job
}
