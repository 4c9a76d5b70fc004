import type { Source } from '../../core/catalogue/content.ts'
import { feeScheduleKey, normaliseName } from '../../core/catalogue/fee-schedule.ts'
import { uniteFacts } from '../../core/catalogue/plan-facts.ts'
import { readPlanId } from '../../core/catalogue/plan-id.ts'
import { oncePer } from '../../core/once-per.ts'
import type { LoadedPlan } from '../../core/switching/plan-changes.ts'
import { LoadRefused, toOneLine } from '../../fetch/load-refused.ts'
import type { GivenNames, LoadRequest } from '../publish/load-request.ts'
import { NotRead, type ReadFile, type ReadyFile } from '../publish/sources/read-file.ts'
import type { LoadablePlan, OpenedPlans } from './open-plans.ts'
import { findPlanFault, type LeftOutPlan, type NamedPlan, planKey, type SiftedPlans, siftPlans } from './plan-names.ts'

type ReadFiles = ReadonlyMap<string, ReadFile>

/**
 * Finds out which plans can be switched by what was read.
 *
 * @param files the outcome of each file, by its path
 * @throws LoadRefused for a file that an operator named
 */
export const readPlans = (opened: OpenedPlans, files: ReadFiles): SiftedPlans<LoadedPlan> =>
  opened.loadable === undefined ? readNamed(opened, files) : readListed(opened.loadable, opened, files)

function readListed(loadable: readonly LoadablePlan[], { leftOut: before, request }: OpenedPlans, read: ReadFiles) {
  const outcomesOf = oncePer((files: LoadablePlan['files']) => sortByOutcome(files, read, request))
  const findReason = ({ files }: LoadablePlan) => {
    const { sources, refused, unread, noRates } = outcomesOf(files)
    return unread ?? (request.partial && sources.length > 0 ? undefined : refused[0]) ?? noRates
  }
  const { plans, leftOut } = siftPlans(loadable, findReason, before)
  const loaded = plans.map(({ files, ...plan }): LoadedPlan => {
    const { sources, refused, facts } = outcomesOf(files)
    const partial = plan.partial || refused.length > 0 || sources.some((source) => source.partial)
    return { ...plan, facts: uniteFacts([plan.facts, facts]), sources, partial }
  })
  return { plans: loaded, leftOut }
}

function sortByOutcome(files: LoadablePlan['files'], read: ReadFiles, request: LoadRequest) {
  const ready = new Map<string, ReadyFile>()
  const refused: string[] = []
  let unread: string | undefined
  for (const { path } of files) {
    const file = read.get(path)
    if (file?.outcome === 'ready') ready.set(file.source.sourceId, file)
    else if (file !== undefined) {
      refused.push(file.error.message)
      if (file.error instanceof NotRead) unread ??= file.error.message
    }
  }
  // What else a file says of its plan is not that of all plans that share it.
  const sources = [...ready.values()].map(({ source }) => source)
  const { networks = [], productTypes = [] } = uniteFacts(sources.map(({ facts }) => facts))
  const noRates = findNoRates([...ready.values()], request)
  return { sources, refused, unread, noRates, facts: { networks, productTypes } }
}

/** Finds why the files of a plan have no rates; undefined if they have some. */
function findNoRates(files: readonly ReadyFile[], { filter }: LoadRequest): string | undefined {
  if (files.some(({ source }) => source.rates > 0)) return undefined
  const missing = files.flatMap(({ findings = [] }) => findings.filter(({ rule }) => rule === 'missing-file'))
  const [first] = missing.flatMap(({ examples }) => examples)
  if (first !== undefined) {
    const count = missing.reduce((sum, each) => sum + each.count, 0)
    const which = count === 1 ? first : `${count}, the first is ${first}`
    return `its files have no rates without the files that their provider references point to, which are missing (${which}): put them beside it, map them with --files, or fetch them with --fetch`
  }
  if (filter !== undefined) return 'its files have no rates that --codes, --npis and --networks keep'
  return 'its files have no rates'
}

/** The plan of a refused file is unknown, so it refuses the load unless partial loads are allowed. */
function readNamed(opened: OpenedPlans, files: ReadFiles): SiftedPlans<LoadedPlan> {
  const { request, spellings } = opened
  const unnamed: LeftOutPlan[] = []
  const named: NamedSource[] = []
  const ready = new Map<string, ReadyFile>()
  for (const [path, file] of files) {
    try {
      if (file.outcome === 'refused') throw file.error
      named.push({ plan: namePlan(file.source, request, path), source: file.source })
      ready.set(file.source.sourceId, file)
    } catch (error) {
      if (!(error instanceof LoadRefused && request.partial) || error instanceof NotRead) throw error
      unnamed.push({ name: toOneLine(path), reason: error.fault })
    }
  }
  for (const { plan } of named) spellings.add(plan)
  const filesOf = ({ sources }: LoadedPlan) => sources.flatMap(({ sourceId }) => ready.get(sourceId) ?? [])
  const findReason = (plan: LoadedPlan) => spellings.findFault(plan, request) ?? findNoRates(filesOf(plan), request)
  return siftPlans(gatherPlans(named, opened), findReason, unnamed)
}

interface NamedSource {
  readonly plan: NamedPlan
  readonly source: Source
}

/** Source: CMS schema, `issuer_name`, `reporting_entity_name`, `plan_name`, `plan_id` and `plan_id_type`. */
function namePlan({ names, reportingEntityName }: Source, given: GivenNames, path: string): NamedPlan {
  const name = given.plan ?? names.plan
  if (name === undefined) throw new LoadRefused(path, 'names no plan (no plan_name): name it with --plan')
  const payer = given.payer ?? names.issuer ?? reportingEntityName
  if (payer === '') {
    throw new LoadRefused(path, 'names no payer (no issuer_name, no reporting_entity_name): name it with --payer')
  }
  const planId = readPlanId(names.planId, names.planIdType)
  const fault = findPlanFault({ payer, plan: name, planId })
  if (fault !== undefined) throw new LoadRefused(path, fault)
  return { payer: normaliseName(payer), plan: normaliseName(name), planId }
}

/** A plan that the operator names gets the ids of all files. */
function gatherPlans(named: readonly NamedSource[], { request, active }: OpenedPlans): readonly LoadedPlan[] {
  const isGiven = request.plan !== undefined
  const ownersOf = Map.groupBy(named, ({ plan: { payer, plan } }) => feeScheduleKey({ payer, plan }))
  return [...ownersOf.values()].flatMap((members) => {
    const withId = members.filter(({ plan }) => plan.planId !== undefined)
    const variants = isGiven && withId.length > 0 ? withId : members
    const distinct = new Map(variants.map(({ plan }) => [planKey(plan), plan]))
    return [...distinct].map(([key, plan]) => {
      const own = members.filter((member) => isGiven || planKey(member.plan) === key)
      const sources = [...new Map(own.map(({ source }) => [source.sourceId, source])).values()]
      const facts = uniteFacts(sources.map((source) => source.facts))
      const partial = request.partial === true || sources.some((source) => source.partial)
      return { ...plan, facts, sources, partial, origin: active.get(key)?.origin }
    })
  })
}
