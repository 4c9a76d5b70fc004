import type { CatalogueEntry } from '../core/catalogue/catalogue-entry.ts'
import type { FeeSchedule } from '../core/catalogue/fee-schedule.ts'
import { feeScheduleKey } from '../core/catalogue/fee-schedule.ts'
import { listAll } from '../core/catalogue/list-catalogue.ts'
import type { LoadCounts, LoadEnd } from '../core/catalogue/load-record.ts'
import { PrintableError } from '../schema/printable-error.ts'
import type { SwitchReport } from './catalogue/plan-changes.ts'
import { switchFeeSchedules } from './catalogue/switch-fee-schedules.ts'
import { showAddress } from './files/file-address.ts'
import type { FileToRead } from './files/files-to-load.ts'
import { isActive, judgePlans } from './load-guards.ts'
import type { LeftOut, LoadReport } from './load-report.ts'
import { describeFiles } from './load-report.ts'
import type { LoadDeps, LoadRequest } from './load-request.ts'
import { LoadCancelled, LoadWatch } from './load-watch.ts'
import { nameSome } from './name-some.ts'
import { NothingLoaded } from './nothing-loaded.ts'
import { openPlans } from './plans/open-plans.ts'
import type { NamedPlan } from './plans/plan-names.ts'
import { planKey, readGivenName, showPlan } from './plans/plan-names.ts'
import type { LeftOutPlan, ReadPlan, ReadPlans } from './plans/read-plans.ts'
import { readListedPlans, readNamedPlans } from './plans/read-plans.ts'
import type { Succession } from './plans/vanished-plans.ts'
import { findSuccession } from './plans/vanished-plans.ts'
import type { TableOfContents } from './published/table-of-contents.ts'
import { readSources } from './sources/read-sources.ts'

/**
 * Loads in-network files. A fee schedule is switched only if all its files are valid, so a search reads only the old
 * content or only the new one. A fault in a plan of a table of contents leaves out only that plan. Files that were read
 * are kept in the warehouse for a day, so that the next load need not read them again.
 *
 * @throws LoadRefused if nothing can be loaded; then nothing is switched
 * @example
 * const report = await loadFiles({ files: ['2026-11_in-network-rates.json.gz'], payer: 'Acme', plan: 'Gold PPO' }, deps)
 * console.log(report.switched.length, report.leftOut)
 */
export async function loadFiles(request: LoadRequest, deps: LoadDeps): Promise<LoadReport> {
  const startedAt = deps.now()
  const loadId = deps.newId()
  const given = {
    ...request,
    payer: request.payer === undefined ? undefined : readGivenName(request.payer, '--payer'),
    plan: request.plan === undefined ? undefined : readGivenName(request.plan, '--plan'),
  }
  await deps.records.begin({ loadId, from: showAddress(request.toc ?? nameSome(request.files)), startedAt })
  await deps.contents.openLoad(loadId, startedAt)
  const watch = new LoadWatch(loadId, deps)
  try {
    const outcome = await runLoad(given, loadId, watch, { ...deps, signal: watch.signal })
    const report = { loadId, startedAt, ...outcome, endedAt: deps.now() }
    await deps.records.end(loadId, { state: 'completed', endedAt: report.endedAt, counts: countOutcome(report) })
    return report
  } catch (error) {
    // Workers that were stopped say so in their own words.
    const reason: unknown = watch.isCancelled ? watch.signal.reason : error
    // A record that cannot be written must not hide the reason.
    await deps.records.end(loadId, { ...describeFailure(reason), endedAt: deps.now() }).catch(() => undefined)
    throw reason
  } finally {
    watch.stop()
    await deps.contents.closeLoad(loadId)
  }
}

function describeFailure(error: unknown): Pick<LoadEnd, 'state' | 'reason'> {
  if (error instanceof LoadCancelled) return { state: 'cancelled' }
  return { state: 'failed', reason: error instanceof PrintableError ? error.message : 'an unexpected error' }
}

function countOutcome({ files, takenOver, switched, unchanged, removed, leftOut }: LoadReport): LoadCounts {
  const variants = switched.filter(({ variantOf }) => variantOf !== undefined)
  const counts = { switched: variants.length, unchanged, removed: removed.length, leftOut: leftOut.length }
  return { files: files.length, takenOver, ...counts }
}

async function runLoad(
  request: LoadRequest,
  loadId: string,
  watch: LoadWatch,
  deps: LoadDeps,
): Promise<Omit<LoadReport, LoadFacts>> {
  const catalogue = await listAll(deps.catalogue)
  const { read, succession } = await readPlans(request, catalogue, loadId, deps)
  const judged = await judgePlans(read.plans, request, deps)
  const active = new Map(catalogue.flatMap((entry) => (isActive(entry) ? [[feeScheduleKey(entry), entry.state]] : [])))
  const markKept = (plan: LeftOutPlan): LeftOut => ({
    ...plan,
    isKept: plan.plan !== undefined && active.has(planKey(plan.plan)),
  })
  const emptied = read.withoutFiles.filter((plan) => active.has(planKey(plan))).map(describeEmptied)
  const leftOut = [...read.leftOut, ...emptied, ...judged.leftOut].map(markKept)
  refuseTooMany(judged.plans.length, leftOut, request)
  await watch.look()
  watch.signal.throwIfAborted()
  if (request.filter !== undefined) await deps.contents.putFilter(request.filter)
  deps.onProgress?.({ step: 'switching', feeSchedules: judged.plans.length })
  const lists = new Set(judged.plans.map(({ sources }) => sources))
  const idsOf = new Map([...lists].map((sources) => [sources, sources.map(({ sourceId }) => sourceId)]))
  const outcome = await switchFeeSchedules(
    {
      loadId,
      plans: judged.plans.map(({ sources, ...plan }) => {
        const origin = succession?.origin ?? active.get(planKey(plan))?.origin
        return { ...plan, sourceIds: idsOf.get(sources) ?? [], ...(origin !== undefined && { origin }) }
      }),
      sources: new Map([...lists].flat().map((source) => [source.sourceId, source])),
      states: (succession?.vanished ?? []).map((entry) => ({ entry, state: { status: 'removed' } })),
      ...(request.filter && { filterId: request.filter.id }),
      ...(request.add && { add: true }),
    },
    deps,
  )
  const failed = describeFailed(judged.plans, outcome).map(markKept)
  const isRemoved = ({ state }: CatalogueEntry) => state.status === 'removed'
  const changed = outcome.switched.filter((entry) => !isRemoved(entry))
  // A plan's name is removed with its variants.
  const removed = outcome.switched.filter((entry) => isRemoved(entry) && entry.variantOf !== undefined)
  if (changed.length + outcome.unchanged === 0) refuseTooMany(0, [...leftOut, ...failed], request)
  const { unchanged } = outcome
  return { ...describeFiles(read.files), switched: changed, unchanged, leftOut: [...leftOut, ...failed], removed }
}

const describeEmptied = (plan: NamedPlan): LeftOutPlan => ({
  name: showPlan(plan),
  reason: 'the table of contents no longer lists an in-network file for it',
  plan,
})

/** Plans that could not be switched because of concurrent loads. */
function describeFailed(plans: readonly ReadPlan[], { contended, lost }: SwitchReport): readonly LeftOutPlan[] {
  const planOf = new Map(plans.map((plan) => [planKey(plan), plan]))
  const describe = (feeSchedule: FeeSchedule, reason: string) => {
    const plan = planOf.get(feeScheduleKey(feeSchedule))
    return { name: plan ? showPlan(plan) : `${feeSchedule.payer} / ${feeSchedule.plan}`, reason, ...(plan && { plan }) }
  }
  return [
    ...contended.map((each) => describe(each, 'other loads kept switching it meanwhile: load it again')),
    ...lost.map((each) => describe(each, 'files that it reads were removed meanwhile: load it again')),
  ]
}

type LoadFacts = 'loadId' | 'startedAt' | 'endedAt'

interface PlansOfLoad {
  readonly read: ReadPlans
  /** Undefined if the load does not affect the plans that it does not name. */
  readonly succession?: Succession
}

async function readPlans(
  request: LoadRequest,
  catalogue: readonly CatalogueEntry[],
  loadId: string,
  deps: LoadDeps,
): Promise<PlansOfLoad> {
  const { toc, filesOf, finder, spellings } = await openPlans(request, catalogue, deps)
  const readBy = (entity: string | undefined) => (files: readonly FileToRead[]) =>
    readSources(files, { loadId, request, finder, deps, entity })
  const reading = { request, finder, spellings }
  if (request.toc === undefined || toc === undefined) {
    return { read: await readNamedPlans({ ...reading, read: readBy(request.payer) }) }
  }
  // With --plan, other plans are unaffected.
  const succession = request.plan === undefined ? followOn(request.toc, toc, request, catalogue, deps.newId) : undefined
  const plans = await readListedPlans(toc, filesOf, { ...reading, read: readBy(toc.entity) })
  return { read: plans, ...(succession && { succession }) }
}

/** Without a complete list of plans, none are removed. */
function followOn(
  path: string,
  { plans, quarantined }: TableOfContents,
  request: LoadRequest,
  catalogue: readonly CatalogueEntry[],
  newId: () => string,
): Succession {
  const named = quarantined.map(({ likely }) => likely)
  const listed = [...plans, ...named.filter((plan) => plan !== undefined)]
  const succession = findSuccession({ ...request, toc: path, listed }, catalogue, newId)
  return named.includes(undefined) ? { ...succession, vanished: [] } : succession
}

/** @throws NothingLoaded if too few plans are left to switch */
function refuseTooMany(loaded: number, leftOut: readonly LeftOut[], { toc, files, maxFailed = 1 }: LoadRequest) {
  const file = toc ?? nameSome(files)
  if (loaded === 0)
    throw new NothingLoaded(file, leftOut.length === 0 ? 'lists no plans' : 'nothing is loaded', leftOut)
  const share = leftOut.length / (loaded + leftOut.length)
  if (share <= maxFailed) return
  const counts = `${leftOut.length} of ${loaded + leftOut.length} plans would be left out`
  throw new NothingLoaded(file, `nothing is loaded: ${counts}, more than --max-failed allows`, leftOut)
}
