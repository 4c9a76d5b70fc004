import type { CatalogueEntry } from '../../core/catalogue/catalogue-entry.ts'
import { type FeeSchedule, feeScheduleKey } from '../../core/catalogue/fee-schedule.ts'
import { listAll } from '../../core/catalogue/list-catalogue.ts'
import type { LoadedPlan, SwitchReport } from '../../core/switching/plan-changes.ts'
import { switchFeeSchedules } from '../../core/switching/switch-fee-schedules.ts'
import { toOneLine } from '../../fetch/load-refused.ts'
import { nameSome } from '../../schema/phrases.ts'
import { judgePlans } from '../plans/load-guards.ts'
import { openPlans } from '../plans/open-plans.ts'
import { type LeftOutPlan, leaveOut, planKey, readGivenName } from '../plans/plan-names.ts'
import { readContents } from '../plans/read-contents.ts'
import { readPlans } from '../plans/read-plans.ts'
import type { LoadDeps, LoadRequest } from '../publish/load-request.ts'
import { readSources } from '../publish/sources/read-sources.ts'
import {
  describeFeeSchedule,
  describeFiles,
  type LeftOut,
  type LoadOutcome,
  type LoadReport,
  type Lost,
  NothingLoaded,
} from './load-report.ts'
import { describeEnd, endFailed, type LoadWatch, watchLoad } from './load-watch.ts'

/**
 * Loads in-network files. A fee schedule is switched only if all its files are valid, so a search reads only the old
 * content or only the new one. A fault in a plan of a table of contents leaves out only that plan. Files that were
 * read are kept in the warehouse for a day, so that the next load need not read them again.
 *
 * @throws LoadRefused if nothing can be loaded; then nothing is switched
 * @example
 * const report = await loadFiles({ files: ['2026-11_in-network.json.gz'], payer: 'Acme', plan: 'Gold PPO' }, deps)
 * console.log(report.switched.length, report.leftOut)
 */
export async function loadFiles(request: LoadRequest, deps: LoadDeps): Promise<LoadReport> {
  const startedAt = deps.now()
  const loadId = deps.newId()
  const normalised = normaliseNames(request)
  await deps.records.begin({ loadId, from: describeOrigin(request), startedAt })
  return conductLoad({ loadId, startedAt, request: normalised }, { contents: readContents, files: readSources }, deps)
}

/** @throws LoadRefused for a name that no fee schedule can have */
export function normaliseNames(request: LoadRequest): LoadRequest {
  return {
    ...request,
    payer: request.payer === undefined ? undefined : readGivenName(request.payer, '--payer'),
    plan: request.plan === undefined ? undefined : readGivenName(request.plan, '--plan'),
  }
}

/** Describes for operators from which files a load was started. */
export const describeOrigin = ({ toc, files }: Pick<LoadRequest, 'toc' | 'files'>): string =>
  toOneLine(toc ?? nameSome(files))

/** A load that has been recorded. */
export interface StartedLoad {
  readonly loadId: string
  readonly startedAt: Date
  readonly request: LoadRequest
}

/** Readers of the table of contents and of the files of a load. */
interface LoadReading {
  readonly contents: typeof readContents
  readonly files: typeof readSources
}

/**
 * Opens the plans of a load, reads their files, judges and switches them, and ends the record of the load.
 *
 * @param reading reads the files, or looks up the outcomes of workers that have read them
 * @throws LoadRefused if nothing can be loaded; then nothing is switched
 */
export async function conductLoad(load: StartedLoad, reading: LoadReading, deps: LoadDeps): Promise<LoadReport> {
  const { loadId, startedAt } = load
  using watch = watchLoad(loadId, deps)
  try {
    const outcome = await runLoad(load, reading, watch, { ...deps, signal: watch.signal })
    const endedAt = deps.now()
    await deps.records.end(loadId, { ...describeEnd(outcome), endedAt })
    return { loadId, startedAt, ...outcome, endedAt }
  } catch (error) {
    return await endFailed(error, watch, deps)
  }
}

async function runLoad(
  { loadId, request }: StartedLoad,
  reading: LoadReading,
  watch: LoadWatch,
  deps: LoadDeps,
): Promise<LoadOutcome> {
  watch.signal.throwIfAborted()
  const opened = await openPlans(request, await listAll(deps.catalogue), deps, reading.contents)
  const { listing, vanished, active } = opened
  const outcomes = await reading.files(opened.files, { ...opened, loadId, deps })
  const { plans, leftOut: unfit, judge } = await judgePlans(readPlans(opened, outcomes), request, deps)
  const files = describeFiles(outcomes)
  const leaveOutAll = (plans: readonly LeftOutPlan[]): readonly LeftOut[] =>
    plans.map((each) => ({ ...each, isKept: each.plan !== undefined && active.has(planKey(each.plan)) }))
  refuseTooMany(plans.length, { leftOut: leaveOutAll(unfit), refused: files.refused }, request)
  await watch.look()
  const { filter, add } = request
  if (filter !== undefined) await deps.contents.putFilter(filter)
  deps.onProgress?.({ step: 'switching', feeSchedules: plans.length })
  const noteSwitching = () => deps.records.noteSwitching(loadId, deps.now())
  await noteSwitching()
  const states = vanished.map((entry) => ({ entry, state: { status: 'removed' } }) as const)
  const changes = { loadId, plans, judge, states, filterId: filter?.id, add }
  await deps.codeNames.publish(plans)
  // Noted again, because a load whose process was suspended may have been announced as interrupted meanwhile.
  const outcome = await switchFeeSchedules(changes, deps).finally(noteSwitching)
  const { switched: entries, unchanged } = outcome
  const isRemoved = ({ state }: CatalogueEntry) => state.status === 'removed'
  const switched = entries.filter((entry) => !isRemoved(entry))
  // A plan's name is removed with its variants.
  const removed = entries.filter((entry) => isRemoved(entry) && entry.variantOf !== undefined)
  const leftOut = leaveOutAll([...unfit, ...describeFailed(plans, outcome)])
  if (switched.length + unchanged === 0) refuseTooMany(0, { leftOut, refused: files.refused }, request)
  return { ...files, listing, switched, unchanged, leftOut, removed }
}

/** Plans that could not be switched, or must not be, because of concurrent loads. */
function describeFailed(
  plans: readonly LoadedPlan[],
  { contended, lost, refused }: SwitchReport,
): readonly LeftOutPlan[] {
  const planOf = new Map(plans.map((plan) => [planKey(plan), plan]))
  const describe = (feeSchedule: FeeSchedule, reason: string) => {
    const plan = planOf.get(feeScheduleKey(feeSchedule))
    return plan ? leaveOut(plan, reason) : { name: describeFeeSchedule(feeSchedule), reason }
  }
  return [
    ...contended.map((each) => describe(each, 'other loads kept switching it meanwhile: load it again')),
    ...lost.map((each) =>
      describe(each, 'files that it reads were removed meanwhile, or an earlier version read them: load it again'),
    ),
    ...refused.map((each) => describe(each, each.reason)),
  ]
}

/** @throws NothingLoaded if too few plans are left to switch */
function refuseTooMany(loaded: number, lost: Lost, request: LoadRequest) {
  const fault = findTooFew(loaded, lost.leftOut.length, request)
  if (fault !== undefined) throw new NothingLoaded(request.toc ?? nameSome(request.files), fault, lost)
}

/** Finds that too few plans are left to switch. */
export function findTooFew(loaded: number, leftOut: number, { maxFailed = 1 }: LoadRequest): string | undefined {
  if (loaded === 0) return leftOut === 0 ? 'lists no plans' : 'nothing is loaded'
  if (leftOut / (loaded + leftOut) <= maxFailed) return undefined
  return `nothing is loaded: ${leftOut} of ${loaded + leftOut} plans would be left out, more than --max-failed allows`
}
