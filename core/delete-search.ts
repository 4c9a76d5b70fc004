import type { PresentedKey } from './api-key.ts'
import { runPrefix } from './attempt.ts'
import { Conflict, NotFound } from './errors.ts'
import { isTerminal } from './job.ts'
import type { ReadOwnJob } from './own-job.ts'
import { readOwnJob } from './own-job.ts'
import type { Jobs, ResultFiles } from './ports.ts'

export interface DeleteSearch extends ReadOwnJob {
  readonly jobs: Pick<Jobs, 'remove'>
  readonly resultFiles: Pick<ResultFiles, 'removeBelow'>
}

/**
 * Deletes a job that has ended, with its files. The job goes first, so that nobody is given a URL of a file that is
 * about to go (design section 4, "Retention"); a URL that was given before stops working with its file. Where this breaks
 * off between the two, no job leads to the files any more, and the lifecycle of their bucket takes them two days after the
 * retention would have.
 *
 * Only what belongs to the run that was read is touched: its id may come back with another run. The request stays until
 * its time is over: it lies under its hash, for every job of the organization with the same request.
 *
 * @throws Unauthorized, Forbidden, NotFound
 * @throws Conflict where the job has not ended
 */
export async function deleteSearch(deps: DeleteSearch, key: PresentedKey, jobId: string): Promise<void> {
  const job = await readOwnJob(deps, key, jobId)
  if (!isTerminal(job.status)) throw new Conflict('The search has not ended yet; cancel it first, then delete it.')
  // Superseded: it was deleted meanwhile, and its id came back.
  if ((await deps.jobs.remove(job)) === 'superseded') throw new NotFound()
  await deps.resultFiles.removeBelow(runPrefix(job))
}
