import { effectOf, type Route } from '../../contract/routes.ts'
import { type Authorize, authorize, authorizeKey, type Caller } from '../access/access.ts'
import type { PresentedKey } from '../access/api-key.ts'
import { NotFound } from '../errors.ts'
import { isJobId, type Job } from '../job/job.ts'
import { isPastRetention } from '../job/retention.ts'
import type { JobLookup } from './ports.ts'

export interface ReadCallersJob<Found extends Job = Job> extends Authorize {
  readonly lookup: JobLookup<Found>
  readonly retentionDays: number
}

/** Reads a job for the organization that owns it, as `lookUpCallersJob` does. */
export const readCallersJob = async <Found extends Job>(...request: LookUp<Found>): Promise<Found> =>
  (await lookUpCallersJob(...request)).job

type LookUp<Found extends Job> = Parameters<typeof lookUpCallersJob<Found>>

/**
 * Reads a job and its caller, for the organization that owns the job.
 *
 * @param operation the call that needs the job
 * @throws Unauthorized, Forbidden, NotPermitted
 * @throws NotFound for an unknown job, another organization's, an expired one or a malformed id, without distinction
 */
export async function lookUpCallersJob<Found extends Job>(
  deps: ReadCallersJob<Found>,
  key: PresentedKey,
  jobId: string,
  operation: Route['operation'],
): Promise<{ readonly caller: Caller; readonly job: Found }> {
  const effect = effectOf(operation)
  if (!isJobId(jobId)) {
    await authorizeKey(deps, key, effect)
    throw new NotFound()
  }
  const { access, job } = await deps.lookup.lookUp(key, jobId)
  const caller = await authorize(deps, key, access, effect)
  if (job === undefined || isPastRetention(job, deps.retentionDays, deps.now())) throw new NotFound()
  return { caller, job }
}
