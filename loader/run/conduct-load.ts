import type { CatalogueEntry } from '../../core/catalogue/catalogue-entry.ts'
import { type FeeSchedule, feeScheduleKey } from '../../core/catalogue/fee-schedule.ts'
import { listAll } from '../../core/catalogue/list-catalogue.ts'
import type { LoadEnd } from '../../core/loads/load-record.ts'
import { nameSome } from '../../core/name-some.ts'
import { PrintableError } from '../../schema/printable-error.ts'
import { judgePlans } from '../plans/load-guards.ts'
import { openPlans } from '../plans/open-plans.ts'
import { type LeftOutPlan, leaveOut, planKey } from '../plans/plan-names.ts'
import type { readContents } from '../plans/read-contents.ts'
import { readPlans } from '../plans/read-plans.ts'
import type { LoadedPlan, SwitchReport } from '../publish/catalogue/plan-changes.ts'
import { switchFeeSchedules } from '../publish/catalogue/switch-fee-schedules.ts'
import type { LoadDeps, LoadRequest } from '../publish/load-request.ts'
import type { readSources } from '../publish/sources/read-sources.ts'
import type { LeftOut, LoadReport, Lost } from './load-report.ts'
import {
  describeFeeSchedule,
  describeFiles,
  describeReasons,
  describeRefused,
  listSome,
  NothingLoaded,
} from './load-report.ts'
import { LoadCancelled, LoadEnded, type LoadWatch, watchLoad } from './load-watch.ts'

/** A load that has been recorded. */
export interface StartedLoad {
  readonly loadId: string
  readonly startedAt: Date
  readonly request: LoadRequest
}

/** How a load learns what its table of contents lists, and what its files contain. */
interface LoadReading {
  readonly contents: typeof readContents
  readonly files: typeof readSources
}

/**
 * Finds out what a load consists of, judges its plans and switches them, and ends its record.
 *
 * @param reading how its files are read, or were read by others
 * @throws LoadRefused if nothing can be loaded; then nothing is switched
 */
export async function conductLoad(load: StartedLoad, reading: LoadReading, deps: LoadDeps): Promise<LoadReport> {
  const { loadId, startedAt } = load
  return underWatch(loadId, deps, async (watch) => {
    const outcome = await runLoad(load, reading, watch, { ...deps, signal: watch.signal })
    const endedAt = deps.now()
    await deps.records.end(loadId, { state: 'completed', endedAt, ...keepChanges(outcome), ...keepReasons(outcome) })
    return { loadId, startedAt, ...outcome, endedAt }
  })
}

/** The process was told to end, and the load goes on in another. */
export class LoadInterrupted extends PrintableError {}

/**
 * Does work of a load while giving its signs of life. The load has ended if the work fails.
 *
 * @throws what the work throws, or the reason why it was stopped
 */
export async function underWatch<Result>(
  loadId: string,
  deps: LoadDeps,
  work: (watch: LoadWatch) => Promise<Result>,
): Promise<Result> {
  using watch = watchLoad(loadId, deps)
  try {
    return await work(watch)
  } catch (error) {
    // Work that was stopped says so in its own words.
    const reason: unknown = watch.signal.aborted ? watch.signal.reason : error
    if (!(reason instanceof LoadInterrupted || reason instanceof LoadEnded)) {
      // A record that cannot be written must not hide the reason.
      await deps.records.end(loadId, { ...describeFailure(reason), endedAt: deps.now() }).catch(() => undefined)
    }
    throw reason
  }
}

function describeFailure(error: unknown): Omit<LoadEnd, 'endedAt'> {
  if (error instanceof LoadCancelled) return { state: 'cancelled' }
  if (error instanceof NothingLoaded) return { state: 'failed', reason: error.message, ...keepReasons(error) }
  return { state: 'failed', reason: error instanceof PrintableError ? error.message : 'an unexpected error' }
}

/** Maximum length of a reason and of a fee schedule in a record, which is one item of DynamoDB (400 KB). */
const [maxReason, maxName] = [400, 200]

/** Maximum number of refused files, and of changed fee schedules, in a record. */
const maxKept = 200

/** What the record of a load keeps of the plans that it left out, and of the files that it refused. */
function keepReasons({ leftOut, refused }: Lost): Pick<LoadEnd, 'leftOut' | 'refused'> {
  return {
    ...(leftOut.length > 0 && { leftOut: cut(listSome(describeReasons(leftOut)), maxReason) }),
    ...(refused.length > 0 && { refused: cut(describeRefused(refused.slice(0, maxKept)), maxReason) }),
  }
}

/** What the record of a load keeps of what it changed. */
function keepChanges(outcome: LoadOutcome): Pick<LoadEnd, 'counts' | 'changed'> {
  const { files, takenOver, unchanged, removed, leftOut } = outcome
  const switched = outcome.switched.filter(({ variantOf }) => variantOf !== undefined)
  const lines = [
    ...removed.map((feeSchedule) => `removed: ${describeFeeSchedule(feeSchedule)}`),
    ...switched.map((entry) => `switched: ${describeFeeSchedule(entry)}`),
  ]
  const counts = { switched: switched.length, unchanged, removed: removed.length, leftOut: leftOut.length }
  return { counts: { files: files.length, takenOver, ...counts }, changed: cut(listSome(lines, maxKept), maxName) }
}

const cut = (lines: readonly string[], longest: number) =>
  lines.map((line) => line.trim().slice(0, longest).toWellFormed())

type LoadOutcome = Omit<LoadReport, 'loadId' | 'startedAt' | 'endedAt'>

async function runLoad(
  { loadId, request }: StartedLoad,
  reading: LoadReading,
  watch: LoadWatch,
  deps: LoadDeps,
): Promise<LoadOutcome> {
  watch.signal.throwIfAborted()
  const opened = await openPlans(request, await listAll(deps.catalogue), deps, reading.contents)
  const { listing, vanished, active } = opened
  const read = await reading.files(opened.files, { ...opened, loadId, deps })
  const { plans, leftOut: unfit } = await judgePlans(readPlans(opened, read), request, deps)
  const files = describeFiles(read)
  const leaveOutAll = (left: readonly LeftOutPlan[]): readonly LeftOut[] =>
    left.map((each) => ({ ...each, isKept: each.plan !== undefined && active.has(planKey(each.plan)) }))
  refuseTooMany(plans.length, { leftOut: leaveOutAll(unfit), refused: files.refused }, request)
  await watch.look()
  const { filter, add } = request
  if (filter !== undefined) await deps.contents.putFilter(filter)
  deps.onProgress?.({ step: 'switching', feeSchedules: plans.length })
  const noteSwitching = () => deps.records.noteSwitching(loadId, deps.now())
  await noteSwitching()
  const states = vanished.map((entry) => ({ entry, state: { status: 'removed' } }) as const)
  // Noted again, because a load whose process was suspended may have been announced as interrupted meanwhile.
  const changes = { loadId, plans, states, filterId: filter?.id, add }
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

/** Plans that could not be switched because of concurrent loads. */
function describeFailed(plans: readonly LoadedPlan[], { contended, lost }: SwitchReport): readonly LeftOutPlan[] {
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
  ]
}

/** @throws NothingLoaded if too few plans are left to switch */
function refuseTooMany(loaded: number, lost: Lost, { toc, files, maxFailed = 1 }: LoadRequest) {
  const { leftOut } = lost
  const file = toc ?? nameSome(files)
  if (loaded === 0) throw new NothingLoaded(file, leftOut.length === 0 ? 'lists no plans' : 'nothing is loaded', lost)
  const share = leftOut.length / (loaded + leftOut.length)
  if (share <= maxFailed) return
  const counts = `${leftOut.length} of ${loaded + leftOut.length} plans would be left out`
  throw new NothingLoaded(file, `nothing is loaded: ${counts}, more than --max-failed allows`, lost)
}
