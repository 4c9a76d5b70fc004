import { internalFailure } from '../failure.ts'
import { type EndSearch, failAbandonedSearch } from '../job/end-search.ts'
import type { JobRun } from '../job/job.ts'
import type { Log } from '../log.ts'
import type { Queries } from '../search/ports.ts'

export interface RecordFailure extends EndSearch {
  readonly queries: Pick<Queries, 'stop'>
  readonly log: Log
}

export interface UnexpectedError {
  readonly name: string
  readonly cause: string
}

/**
 * Fails a job whose workflow broke, and stops its query. The client gets a fixed sentence; the error goes to the log.
 */
export async function recordFailure(deps: RecordFailure, job: JobRun, error: UnexpectedError): Promise<void> {
  deps.log('workflow broke', { job_id: job.jobId, error: error.name, cause: error.cause })
  await failAbandonedSearch(deps, job, internalFailure)
}
