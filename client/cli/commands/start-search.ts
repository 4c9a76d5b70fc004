import type { Estimate, Manifest, NamedFeeSchedule, SearchRequest } from '../../api.ts'
import { UsageError } from '../../command-line/command-errors.ts'
import { ApiError, SearchFailed } from '../../errors.ts'
import type { RateSearchClient } from '../../rate-search-client.ts'
import type { Session } from '../command.ts'
import type { SearchStateFile } from '../search-state.ts'
import { refuseMissing } from './missing-fee-schedules.ts'

/** The searches of earlier runs that a command may continue: `each` by default, only `current` ones, or `none`. */
export type Reuse = 'each' | 'current' | 'none'

/** The search of a command. */
export interface StartedSearch {
  readonly jobId: string
  /** True if an earlier run of the command created it. */
  readonly reused: boolean
  /** Absent if an earlier run created the search, or the service gave no estimate. */
  readonly estimate?: Estimate | undefined
}

/** The client that estimates a search before it is created, the file that remembers it, and the permitted reuse. */
interface StartOptions {
  readonly estimator: RateSearchClient
  readonly file: SearchStateFile
  readonly reuse: Reuse
}

/**
 * Creates the search, or finds the one that an earlier run of the command created.
 *
 * @throws SearchFailed if the earlier one has failed, UsageError if a fee schedule does not exist
 */
export async function startOnce(
  session: Session,
  request: SearchRequest,
  { estimator, file, reuse }: StartOptions,
): Promise<StartedSearch> {
  const { client, progress, world } = session
  const before = await file.read()
  let state = before ?? (await file.begin({ idempotency_key: world.newId() }))
  const earlier = state.job_id
  if (earlier !== undefined) {
    if (reuse !== 'none' && (await isUsable(session, { jobId: earlier, request }, estimator, reuse)))
      return { jobId: earlier, reused: true }
    // Derived, so that two runs that replace the same search create one.
    state = { idempotency_key: `after-${earlier}` }
    await file.write(state)
  }
  try {
    const estimate = await estimateFirst(session, estimator, request)
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
  { jobId, request }: { readonly jobId: string; readonly request: SearchRequest },
  estimator: RateSearchClient,
  reuse: Exclude<Reuse, 'none'>,
): Promise<boolean> {
  const manifest = await client.manifest(jobId, { signal: world.signal }).catch((error: unknown) => {
    if (!(error instanceof ApiError && error.type === 'not_found')) throw error
  })
  if (manifest === undefined) {
    progress.say(`search ${jobId} no longer exists: it was deleted, or its retention has ended`)
    return false
  }
  const { status, created_at } = manifest
  if (status === 'failed' && reuse === 'each') {
    progress.warn('this search already failed; use --again or --if-newer to run it again')
    throw new SearchFailed({ job_id: jobId, created_at, status_url: '', status, error: manifest.error })
  }
  if (status === 'failed') return false
  const superseded = isSuperseded(manifest)
  if (status === 'completed' && reuse === 'current' && superseded !== false) {
    const reason = superseded
      ? 'rates have been replaced or removed'
      : 'the service cannot tell whether newer rates have been loaded'
    progress.say(`${reason} since search ${jobId}, created ${created_at}`)
    return false
  }
  if (status === 'completed' && reuse === 'current') {
    const isOfOtherPlans = await hasOtherPlans(manifest, estimator, request, world.signal)
    if (isOfOtherPlans) {
      progress.say(`the plan ids now belong to different plans than when search ${jobId} was created, ${created_at}`)
      return false
    }
    if (isOfOtherPlans === undefined)
      progress.warn(
        'the service did not say which plans have the plan ids now; they may differ from the plans in this result',
      )
  }
  progress.say(`continuing search ${jobId}, created ${created_at}; use --again to run it again`)
  return true
}

/**
 * Compares the plans that the plan ids of a request mean now with those that a search has read.
 *
 * @returns true if they differ, undefined if the service does not say
 */
async function hasOtherPlans(
  { fee_schedules: searchedPlans }: Manifest,
  estimator: RateSearchClient,
  request: SearchRequest,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  if (!request.fee_schedules.some((each) => 'plan_id' in each)) return false
  const names = (all: readonly NamedFeeSchedule[]) => JSON.stringify(all.map(({ payer, plan }) => [payer, plan]))
  const estimate = await estimator.estimate(request, { signal }).catch(() => undefined)
  signal.throwIfAborted()
  return estimate && names(estimate.fee_schedules) !== names(searchedPlans)
}

/** Returns true if newer rates have been loaded than a search has read; null if the service does not know. */
export function isSuperseded({ fee_schedules }: Pick<Manifest, 'fee_schedules'>): boolean | null {
  const states = fee_schedules.map(({ superseded }) => superseded)
  if (states.includes(true)) return true
  return states.every((state) => state === false) ? false : null
}

/**
 * Estimates a search before it is created, and warns of what looks wrong. The search also runs without an estimate.
 *
 * @returns the estimate, if the service gave one
 * @throws UsageError if a fee schedule does not exist, or none has its plan ids
 */
async function estimateFirst(
  { progress, world }: Session,
  estimator: RateSearchClient,
  request: SearchRequest,
): Promise<Estimate | undefined> {
  const estimate = await estimator.estimate(request, { signal: world.signal }).catch(() => undefined)
  world.signal.throwIfAborted()
  if (estimate === undefined) return undefined
  for (const { path, message } of estimate.warnings.slice(0, 5)) progress.warn(`${path}: ${message}`)
  refuseMissing(estimate, request)
  return estimate
}
