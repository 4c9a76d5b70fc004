import { effectOf } from '../../contract/routes.ts'
import { type Authorize, authorize } from '../access/access.ts'
import type { PresentedKey } from '../access/api-key.ts'
import { requireSummary } from '../access/permissions.ts'
import { IdempotencyMismatch, InvalidRequest } from '../errors.ts'
import { deriveJobId, findIdempotencyKeyFaults } from '../job/idempotency-key.ts'
import { isTerminal, type JobHolder, type JobRun, type QueuedJob } from '../job/job.ts'
import type { Jobs } from '../job/ports.ts'
import { retainRequestUntil, retentionCutoff } from '../job/retention.ts'
import type { Limits } from '../limits/usage.ts'
import { type OpenRates, openRates } from '../own-relation/open-rates.ts'
import { requireServed } from '../rates/rates.ts'
import { parseSearchRequest } from '../search/parse-search-request.ts'
import { hashRequest } from '../search/search-request.ts'
import { findStatementFault } from '../search/statement.ts'
import type { Workflow } from '../workflow/ports.ts'
import { type AdmitSearch, admitSearch, giveBack } from './admit-search.ts'
import type { CreationLookup } from './ports.ts'

export interface CreateSearch extends Authorize, OpenRates, AdmitSearch {
  readonly creationLookup: CreationLookup
  readonly jobs: Pick<Jobs, 'create'>
  /** Default limits of an organization. */
  readonly limits: Limits
  readonly workflow: Workflow
  readonly retentionDays: number
  /** A random UUIDv4. */
  readonly newJobId: () => string
  /** A random string of at most 40 letters and digits. */
  readonly newRun: () => string
}

/** An accepted search, with the job as it was when it was created. */
export interface AcceptedSearch {
  readonly job: QueuedJob
  /** True if an earlier request created the job. */
  readonly isReplay: boolean
}

/**
 * Accepts a search: stores the request and the job, then starts the workflow. The search is accepted once the job is
 * stored, even if the workflow does not start. With an idempotency key the job id is derived from the key, so any
 * number of requests with the same key and body create one job; replays do not count towards the limits.
 *
 * If storing the job fails, it may be stored all the same: what it took of the limits stays taken, a slot until the
 * sweeper finds no job, bytes until the day ends.
 *
 * @param readBody returns the parsed JSON body; called only after authorization, so that requests without a valid key
 *   learn nothing about bodies
 * @param idempotencyKey the header as sent; absent: each request creates a job
 * @throws Unauthorized, Forbidden, NotPermitted, InvalidRequest, IdempotencyMismatch, RateLimited, BytesLimited, and
 *   the errors of `readBody`
 */
export async function createSearch(
  deps: CreateSearch,
  key: PresentedKey,
  readBody: () => unknown,
  idempotencyKey?: string,
): Promise<AcceptedSearch> {
  const keyFaults = idempotencyKey === undefined ? [] : findIdempotencyKeyFaults(idempotencyKey)
  const derivedId = idempotencyKey === undefined ? undefined : deriveJobId(key.orgId, idempotencyKey)
  const { access, usage, holder } = await deps.creationLookup.lookUp(key, derivedId)
  const caller = await authorize(deps, key, access, effectOf('create-search'))
  const { orgId, limits: ownLimits } = caller
  const request = parseSearchRequest(readBody(), keyFaults, deps.now())
  requireSummary(caller.key, request)
  const fault = findStatementFault(request)
  if (fault) throw new InvalidRequest([fault])
  const createdAt = deps.now()
  const job: QueuedJob = {
    orgId,
    jobId: derivedId ?? deps.newJobId(),
    run: deps.newRun(),
    status: 'queued',
    createdAt,
    requestHash: hashRequest(request),
    ...(request.summary && { summary: request.summary }),
  }
  deps.log.note?.({ job_id: job.jobId })
  const { retentionDays } = deps
  const cutoff = retentionCutoff(createdAt, retentionDays)
  if (holder !== undefined && !(holder.endedAt !== undefined && holder.endedAt <= cutoff))
    return replay(deps, job, holder)
  const rates = openRates(deps)
  await requireServed(rates, request)
  const claim = { ...job, at: createdAt, limits: { ...deps.limits, ...ownLimits } }
  const byteClaim = await admitSearch(deps, rates, { key: caller.key, request, claim, usage })
  const creation = await deps.jobs.create(
    { ...job, keyId: key.keyId, ...(byteClaim && { bytesTaken: byteClaim.bytes }) },
    request,
    retainRequestUntil(createdAt, retentionDays),
    cutoff,
  )
  if (creation.outcome === 'created') {
    await startWorkflow(deps, job)
    return { job, isReplay: false }
  }
  if (derivedId === undefined) throw new Error(`the random job id ${job.jobId} is taken`)
  // Another request created the job in the meantime. That job may already have ended and freed its slot.
  await giveBack(deps, byteClaim)
  if (isTerminal(creation.by.status)) await deps.usages.free(job, createdAt)
  return replay(deps, job, creation.by)
}

/** Answers a request whose job exists. @throws IdempotencyMismatch if that job has another body */
async function replay(deps: CreateSearch, job: QueuedJob, existing: JobHolder): Promise<AcceptedSearch> {
  const { orgId, jobId, run, status, createdAt, requestHash } = existing
  if (requestHash !== job.requestHash) throw new IdempotencyMismatch()
  const { summary } = job
  const holder: JobHolder = { orgId, jobId, run, status, createdAt, requestHash, ...(summary && { summary }) }
  // The process that created the job may have died before starting the workflow. Starting it again is idempotent.
  if (holder.status === 'queued') await startWorkflow(deps, holder)
  return { job: { ...holder, status: 'queued' }, isReplay: true }
}

async function startWorkflow({ workflow, log }: CreateSearch, job: JobRun): Promise<void> {
  const start = await workflow.start(job)
  if (start.outcome === 'not-started') log('workflow not started', { job_id: job.jobId, cause: start.cause })
}
