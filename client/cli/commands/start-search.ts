import type { Estimate, Manifest, NamedFeeSchedule, SearchRequest } from '../../api.ts'
import { ApiError, SearchFailed } from '../../errors.ts'
import type { RateSearchClient } from '../../rate-search-client.ts'
import type { Session } from '../command.ts'
import type { SearchStateFile } from '../search-state.ts'
import { UsageError } from '../usage-error.ts'
import { refuseMissing } from './missing-fee-schedules.ts'

/** Which search of an earlier run of the command is good enough: each by default, up-to-date ones, or none. */
export type Reuse = 'each' | 'current' | 'none'

/** The search of a command. */
export interface StartedSearch {
  readonly jobId: string
  /** Whether an earlier run of the command created it. */
  readonly reused: boolean
  /** How much it reads; absent if an earlier run created it, or the service did not say. */
  readonly estimate?: Estimate | undefined
}

/**
 * Creates the search, or finds the one that an earlier run of the command created.
 *
 * @param asking estimates the search before it is created
 * @throws SearchFailed if the earlier one has failed, UsageError if a fee schedule does not exist
 */
export async function startOnce(
  session: Session,
  asking: RateSearchClient,
  file: SearchStateFile,
  request: SearchRequest,
  reuse: Reuse,
): Promise<StartedSearch> {
  const { client, progress, world } = session
  const before = await file.read()
  let state = before ?? (await file.begin({ idempotency_key: world.newId() }))
  const earlier = state.job_id
  if (earlier !== undefined) {
    if (reuse !== 'none' && (await isUsable(session, asking, request, earlier, reuse)))
      return { jobId: earlier, reused: true }
    // Derived, so that two runs that replace the same search create one.
    state = { idempotency_key: `after-${earlier}` }
    await file.write(state)
  }
  try {
    const estimate = await checkFirst(session, asking, request)
    const { job_id } = await client.create(request, { idempotencyKey: state.idempotency_key, signal: world.signal })
    await file.write({ ...state, job_id })
    progress.say(`created search ${job_id}`)
    return { jobId: job_id, reused: false, estimate }
  } catch (error) {
    // No search was created, so there is nothing to resume but an earlier one.
    const isRefused = error instanceof ApiError && error.status >= 400 && error.status < 429
    if (isRefused || error instanceof UsageError)
      await (before?.job_id === undefined ? file.remove() : file.write(before))
    throw error
  }
}

async function isUsable(
  { client, progress, world }: Session,
  asking: RateSearchClient,
  request: SearchRequest,
  jobId: string,
  reuse: Reuse,
): Promise<boolean> {
  const manifest = await client.manifest(jobId, { signal: world.signal }).catch((error: unknown) => {
    if (!(error instanceof ApiError && error.type === 'not_found')) throw error
  })
  if (manifest === undefined) {
    progress.say(`search ${jobId} is gone: it was deleted, or the time for which results are kept is over`)
    return false
  }
  const { status, created_at } = manifest
  if (status === 'failed' && reuse === 'each') {
    progress.warn('this search has failed before; --again or --if-newer creates it anew')
    throw new SearchFailed({ job_id: jobId, created_at, status_url: '', status, error: manifest.error })
  }
  if (status === 'failed') return false
  const superseded = isSuperseded(manifest)
  if (status === 'completed' && reuse === 'current' && superseded !== false) {
    const known = superseded
      ? 'rates were replaced or removed'
      : 'the service cannot tell whether newer rates were loaded'
    progress.say(`${known} since search ${jobId}, created ${created_at}`)
    return false
  }
  if (status === 'completed' && reuse === 'current') {
    const hasOthers = await hasOtherPlans(manifest, asking, request, world.signal)
    if (hasOthers) {
      progress.say(`other plans have the plan ids than when search ${jobId} was created, ${created_at}`)
      return false
    }
    if (hasOthers === undefined)
      progress.warn(
        'the service did not say which plans have the plan ids now; they may be others than this search has',
      )
  }
  progress.say(`going on with search ${jobId}, created ${created_at}; --again creates it anew`)
  return true
}

/** Whether the plan ids of a request mean other plans now than a search has read; undefined if the service does not say. */
async function hasOtherPlans(
  { fee_schedules: read }: Manifest,
  asking: RateSearchClient,
  request: SearchRequest,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  if (!request.fee_schedules.some((each) => 'plan_id' in each)) return false
  const names = (all: readonly NamedFeeSchedule[]) => JSON.stringify(all.map(({ payer, plan }) => [payer, plan]))
  const estimate = await asking.estimate(request, { signal }).catch(() => undefined)
  signal.throwIfAborted()
  return estimate && names(estimate.fee_schedules) !== names(read)
}

/** Whether newer rates were loaded than a search has read; null if the service does not know. */
export function isSuperseded({ fee_schedules }: Pick<Manifest, 'fee_schedules'>): boolean | null {
  const known = fee_schedules.map(({ superseded }) => superseded)
  return known.includes(true) || (known.every((each) => each === false) ? false : null)
}

/**
 * Warns of what looks wrong before a search is created, which works without this answer, too.
 *
 * @returns the estimate, if the service gave one
 * @throws UsageError if a fee schedule does not exist, or none has its plan ids
 */
async function checkFirst(
  { progress, world }: Session,
  asking: RateSearchClient,
  request: SearchRequest,
): Promise<Estimate | undefined> {
  const estimate = await asking.estimate(request, { signal: world.signal }).catch(() => undefined)
  world.signal.throwIfAborted()
  if (estimate === undefined) return undefined
  for (const { path, message } of estimate.warnings.slice(0, 5)) progress.warn(`${path}: ${message}`)
  refuseMissing(estimate, request)
  return estimate
}
