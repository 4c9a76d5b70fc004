import { authorize } from './access.ts'
import type { PresentedKey } from './api-key.ts'
import { InvalidRequest } from './errors.ts'
import type { QueuedJob } from './job.ts'
import type { Access, Clock, Jobs, Log, Workflow } from './ports.ts'
import { retainRequestUntil } from './retention.ts'
import { hashRequest, parseSearchRequest } from './search-request.ts'
import { findStatementFault } from './statement.ts'

export interface CreateSearch {
  readonly access: Access
  readonly jobs: Jobs
  readonly workflow: Workflow
  readonly retentionDays: number
  readonly now: Clock
  /** A random UUIDv4. */
  readonly newJobId: () => string
  /** A random word of at most 40 letters and digits. */
  readonly newRun: () => string
  readonly log: Log
}

/**
 * Accepts a search: stores request and job, then starts the workflow. Once the job is stored it is accepted, whatever
 * the start said.
 *
 * @param readBody gives the parsed JSON body; called after the key is known to be right, so that a stranger learns
 *   nothing about bodies
 * @throws Unauthorized, Forbidden, InvalidRequest, and what `readBody` throws
 */
export async function createSearch(deps: CreateSearch, key: PresentedKey, readBody: () => unknown): Promise<QueuedJob> {
  const { orgId } = authorize(key, await deps.access.readAccess(key))
  const request = parseSearchRequest(readBody())
  const fault = findStatementFault(request)
  if (fault) throw new InvalidRequest([fault])
  const createdAt = deps.now()
  const job: QueuedJob = {
    orgId,
    jobId: deps.newJobId(),
    run: deps.newRun(),
    status: 'queued',
    createdAt,
    requestHash: hashRequest(request),
  }
  await deps.jobs.create(job, request, retainRequestUntil(createdAt, deps.retentionDays))
  const start = await deps.workflow.start(job)
  if (start.outcome === 'not-started') deps.log('workflow not started', { job_id: job.jobId, cause: start.cause })
  return job
}
