import type { PresentedKey } from '../access/api-key.ts'
import { Conflict, NotFound } from '../errors.ts'
import { runPrefix } from '../job/attempt.ts'
import { isEnded } from '../job/job.ts'
import type { Jobs } from '../job/ports.ts'
import { type SettleSearch, settleSearch } from '../job/settle-search.ts'
import type { ResultFiles } from '../workflow/ports.ts'
import { type ReadCallersJob, readCallersJob } from './callers-job.ts'

export interface DeleteSearch extends ReadCallersJob, SettleSearch {
  readonly jobs: Pick<Jobs, 'remove' | 'noteAnnounced'>
  readonly resultFiles: Pick<ResultFiles, 'removeBelow'>
}

/**
 * Deletes an ended job and its files. The job goes first, so that nobody gets a URL of a file that is about to be
 * deleted. After a crash in between no job refers to the files; the bucket's lifecycle deletes them two days after the
 * retention. A job whose end was not announced yet is announced before it is deleted.
 *
 * Only the run that was read is touched, because its id may be reused. The request is kept until it expires: it is
 * stored under its hash, which other jobs of the organization may share.
 *
 * @throws Unauthorized, Forbidden, NotPermitted, NotFound
 * @throws Conflict if the job has not ended
 */
export async function deleteSearch(deps: DeleteSearch, key: PresentedKey, jobId: string): Promise<void> {
  const job = await readCallersJob(deps, key, jobId, 'delete-search')
  if (!isEnded(job)) throw new Conflict('The search has not ended yet; cancel it first, then delete it.')
  let removal = await deps.jobs.remove(job)
  if (removal === 'unannounced') {
    await settleSearch(deps, job)
    removal = await deps.jobs.remove(job)
  }
  // The job was deleted in the meantime, and its id is in use again.
  if (removal !== 'written') throw new NotFound()
  await deps.resultFiles.removeBelow(runPrefix(job))
}
