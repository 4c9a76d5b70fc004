import { normaliseName } from '../../contract/texts/names.ts'
import type { Source } from '../../core/catalogue/content.ts'
import { feeScheduleKey } from '../../core/catalogue/fee-schedule.ts'
import { uniteFacts } from '../../core/catalogue/plan-facts.ts'
import { readPlanId } from '../../core/catalogue/plan-id.ts'
import { oncePer } from '../../core/once-per.ts'
import type { LoadedPlan } from '../../core/switching/plan-changes.ts'
import { FileFault, LoadRefused, nameFault, toOneLine } from '../../fetch/load-refused.ts'
import type { GivenNames, LoadRequest } from '../publish/load-request.ts'
import { NotRead, type ReadFile, type ReadyFile } from '../publish/sources/read-file.ts'
import type { LoadablePlan, OpenedPlans } from './open-plans.ts'
import { findPlanFault, type LeftOutPlan, type NamedPlan, planKey, type SiftedPlans, siftPlans } from './plan-names.ts'

/** The facts of a file that assign it to a plan. */
export type NamingSource = Pick<Source, 'sourceId' | 'names' | 'reportingEntityName' | 'facts' | 'partial'>

/** A file that can be loaded, as far as it is known. */
interface Loadable {
  readonly outcome: 'ready'
  readonly source: NamingSource
}

/** The outcome of each file, by its path. */
type Outcomes<Ready extends Loadable> = ReadonlyMap<
  string,
  Ready | { readonly outcome: 'refused'; readonly error: LoadRefused }
>

/** A plan with its files; plans with the same files should share one array. */
export interface PlanOfFiles<Ready extends Loadable> extends Omit<LoadedPlan, 'sources'> {
  readonly ready: readonly Ready[]
}

/** Finds a reason to leave out the plan that has these files. */
type FindFault<Ready extends Loadable> = (files: readonly Ready[]) => string | undefined

/**
 * Finds out which plans can be switched by what was read.
 *
 * @param files the outcome of each file, by its path
 * @throws LoadRefused for a file that an operator named
 */
export function readPlans(opened: OpenedPlans, files: ReadonlyMap<string, ReadFile>): SiftedPlans<LoadedPlan> {
  const { plans, leftOut } = assignFiles<ReadyFile>(opened, files, (ready) => findNoRates(ready, opened.request))
  const sourcesOf = oncePer((ready: readonly ReadyFile[]) => ready.map(({ source }) => source))
  return { plans: plans.map(({ ready, ...plan }) => ({ ...plan, sources: sourcesOf(ready) })), leftOut }
}

/**
 * Finds the plans that the files are for, and leaves out those that cannot be loaded.
 *
 * @param files the outcome of each file, by its path
 * @throws LoadRefused for a file that an operator named
 */
export const assignFiles = <Ready extends Loadable>(
  opened: OpenedPlans,
  files: Outcomes<Ready>,
  findFault: FindFault<Ready>,
): SiftedPlans<PlanOfFiles<Ready>> =>
  opened.loadable === undefined
    ? assignNamed(opened, files, findFault)
    : assignListed(opened.loadable, opened, files, findFault)

function assignListed<Ready extends Loadable>(
  loadable: readonly LoadablePlan[],
  { leftOut: before, request }: OpenedPlans,
  outcomes: Outcomes<Ready>,
  findFault: FindFault<Ready>,
): SiftedPlans<PlanOfFiles<Ready>> {
  const outcomesOf = oncePer((files: LoadablePlan['files']) => sortByOutcome(files, outcomes, findFault))
  const findReason = ({ files }: LoadablePlan) => {
    const { ready, refused, unread, fault } = outcomesOf(files)
    return unread ?? (request.partial && ready.length > 0 ? undefined : refused[0]) ?? fault
  }
  const { plans, leftOut } = siftPlans(loadable, findReason, before)
  const assigned = plans.map(({ files, ...plan }): PlanOfFiles<Ready> => {
    const { ready, refused, isPartial, facts } = outcomesOf(files)
    const partial = plan.partial || refused.length > 0 || isPartial
    return { ...plan, facts: uniteFacts([plan.facts, facts]), ready, partial }
  })
  return { plans: assigned, leftOut }
}

function sortByOutcome<Ready extends Loadable>(
  files: LoadablePlan['files'],
  outcomes: Outcomes<Ready>,
  findFault: FindFault<Ready>,
) {
  const bySource = new Map<string, Ready>()
  const refused: string[] = []
  let unread: string | undefined
  for (const { path } of files) {
    const file = outcomes.get(path)
    if (file?.outcome === 'ready') bySource.set(file.source.sourceId, file)
    else if (file !== undefined) {
      refused.push(file.error.message)
      if (file.error instanceof NotRead) unread ??= file.error.message
    }
  }
  const ready = [...bySource.values()]
  // Other facts of a file belong to one plan, and several plans may share the file.
  const { networks = [], productTypes = [] } = uniteFacts(ready.map(({ source }) => source.facts))
  const isPartial = ready.some(({ source }) => source.partial)
  return { ready, refused, unread, fault: findFault(ready), isPartial, facts: { networks, productTypes } }
}

/** Finds why the files of a plan have no rates; undefined if they have some. */
function findNoRates(files: readonly ReadyFile[], { filter }: LoadRequest): string | undefined {
  if (files.some(({ source }) => source.rates > 0)) return undefined
  const missing = files.flatMap(({ findings = [] }) => findings.filter(({ rule }) => rule === 'missing-file'))
  const [first] = missing.flatMap(({ examples }) => examples)
  if (first !== undefined) {
    const count = missing.reduce((sum, each) => sum + each.count, 0)
    const addresses = count === 1 ? first : `${count}, the first is ${first}`
    return `its files have no rates without the files that their provider references point to, which are missing (${addresses}): put them beside it, map them with --files, or fetch them with --fetch`
  }
  if (filter !== undefined) return 'its files have no rates that --codes, --npis and --networks keep'
  return 'its files have no rates'
}

/** The plan of a refused file is unknown, so it refuses the load unless partial loads are allowed. */
function assignNamed<Ready extends Loadable>(
  opened: OpenedPlans,
  outcomes: Outcomes<Ready>,
  findFault: FindFault<Ready>,
): SiftedPlans<PlanOfFiles<Ready>> {
  const { request, spellings } = opened
  const unnamed: LeftOutPlan[] = []
  const assigned: AssignedFile<Ready>[] = []
  for (const [path, file] of outcomes) {
    try {
      if (file.outcome === 'refused') throw file.error
      assigned.push({ plan: namePlan(file.source, request), file })
    } catch (error) {
      const refusal = nameFault(path, error)
      if (!(refusal instanceof LoadRefused && request.partial) || refusal instanceof NotRead) throw refusal
      unnamed.push({ name: toOneLine(path), reason: refusal.fault })
    }
  }
  for (const { plan } of assigned) spellings.add(plan)
  const findReason = (plan: PlanOfFiles<Ready>) => spellings.findFault(plan, request) ?? findFault(plan.ready)
  return siftPlans(gatherPlans(assigned, opened), findReason, unnamed)
}

interface AssignedFile<Ready extends Loadable> {
  readonly plan: NamedPlan
  readonly file: Ready
}

/** Source: CMS schema, `issuer_name`, `reporting_entity_name`, `plan_name`, `plan_id` and `plan_id_type`. */
function namePlan({ names, reportingEntityName }: NamingSource, given: GivenNames): NamedPlan {
  const name = given.plan ?? names.plan
  if (name === undefined) throw new FileFault('names no plan (no plan_name): name it with --plan')
  const payer = given.payer ?? names.issuer ?? reportingEntityName
  if (payer === '') {
    throw new FileFault('names no payer (no issuer_name, no reporting_entity_name): name it with --payer')
  }
  const planId = readPlanId(names.planId, names.planIdType)
  const fault = findPlanFault({ payer, plan: name, planId })
  if (fault !== undefined) throw new FileFault(fault)
  return { payer: normaliseName(payer), plan: normaliseName(name), planId }
}

/** A plan that the operator names gets the ids of all files. */
function gatherPlans<Ready extends Loadable>(
  assigned: readonly AssignedFile<Ready>[],
  { request, active }: OpenedPlans,
): readonly PlanOfFiles<Ready>[] {
  const isGiven = request.plan !== undefined
  const ownersOf = Map.groupBy(assigned, ({ plan: { payer, plan } }) => feeScheduleKey({ payer, plan }))
  return [...ownersOf.values()].flatMap((members) => {
    const withId = members.filter(({ plan }) => plan.planId !== undefined)
    const variants = isGiven && withId.length > 0 ? withId : members
    const distinct = new Map(variants.map(({ plan }) => [planKey(plan), plan]))
    return [...distinct].map(([key, plan]) => {
      const planMembers = members.filter((member) => isGiven || planKey(member.plan) === key)
      const ready = [...new Map(planMembers.map(({ file }) => [file.source.sourceId, file])).values()]
      const facts = uniteFacts(ready.map(({ source }) => source.facts))
      const partial = request.partial === true || ready.some(({ source }) => source.partial)
      return { ...plan, facts, ready, partial, origin: active.get(key)?.origin }
    })
  })
}
