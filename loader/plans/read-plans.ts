import type { Source } from '../../core/catalogue/content.ts'
import { feeScheduleKey, normaliseName } from '../../core/catalogue/fee-schedule.ts'
import { uniteFacts } from '../../core/catalogue/plan-facts.ts'
import { readPlanId } from '../../core/catalogue/plan-id.ts'
import { oncePer } from '../../core/once-per.ts'
import { LoadRefused, NotRead, toOneLine } from '../fetch/load-refused.ts'
import type { LoadedPlan } from '../publish/catalogue/plan-changes.ts'
import type { GivenNames, LoadRequest } from '../publish/load-request.ts'
import type { ReadFile } from '../publish/sources/read-file.ts'
import type { LoadablePlan, OpenedPlans } from './open-plans.ts'
import { findPlanFault, type LeftOutPlan, leaveOut, type NamedPlan, planKey } from './plan-names.ts'

/** A plan whose files have been read. */
export type ReadPlan = Omit<LoadedPlan, 'origin'>

/** The plans of a load after its files have been read. */
export interface ReadPlans {
  readonly plans: readonly ReadPlan[]
  readonly leftOut: readonly LeftOutPlan[]
}

type ReadFiles = ReadonlyMap<string, ReadFile>

/**
 * Finds out which plans can be switched by what was read.
 *
 * @param files the outcome of each file, by its path
 * @throws LoadRefused for a file that an operator named
 */
export const readPlans = (opened: OpenedPlans, files: ReadFiles): ReadPlans =>
  opened.loadable === undefined ? readNamed(opened, files) : readListed(opened.loadable, opened, files)

function readListed(loadable: readonly LoadablePlan[], { leftOut: before, request }: OpenedPlans, read: ReadFiles) {
  const plans: ReadPlan[] = []
  const leftOut = [...before]
  const outcomesOf = oncePer((files: LoadablePlan['files']) => sortByOutcome(files, read))
  for (const { files, isWhole, ...plan } of loadable) {
    const { sources, refused, unread, facts: ofFiles } = outcomesOf(files)
    const reason = unread ?? (request.partial && sources.length > 0 ? undefined : refused[0])
    if (reason !== undefined) leftOut.push(leaveOut(plan, reason))
    else {
      const partial = !isWhole || refused.length > 0 || sources.some((source) => source.partial)
      plans.push({ ...plan, facts: uniteFacts([plan.facts, ofFiles]), sources, partial })
    }
  }
  return { plans, leftOut }
}

function sortByOutcome(files: LoadablePlan['files'], read: ReadFiles) {
  const sources = new Map<string, Source>()
  const refused: string[] = []
  let unread: string | undefined
  for (const { path } of files) {
    const file = read.get(path)
    if (file?.outcome === 'ready') sources.set(file.source.sourceId, file.source)
    else if (file !== undefined) {
      refused.push(file.error.message)
      if (file.error instanceof NotRead) unread ??= file.error.message
    }
  }
  // What else a file says of its plan is not that of all plans that share it.
  const { networks = [], productTypes = [] } = uniteFacts([...sources.values()].map(({ facts }) => facts))
  return { sources: [...sources.values()], refused, unread, facts: { networks, productTypes } }
}

/** The plan of a refused file is unknown, so it refuses the load unless partial loads are allowed. */
function readNamed({ request, spellings }: OpenedPlans, files: ReadFiles): ReadPlans {
  const leftOut: LeftOutPlan[] = []
  const named: NamedSource[] = []
  for (const [path, file] of files) {
    try {
      if (file.outcome === 'refused') throw file.error
      named.push({ plan: namePlan(file.source, request, path), source: file.source })
    } catch (error) {
      if (!(error instanceof LoadRefused && request.partial) || error instanceof NotRead) throw error
      leftOut.push({ name: toOneLine(path), reason: error.fault })
    }
  }
  for (const { plan } of named) spellings.add(plan)
  const plans: ReadPlan[] = []
  for (const plan of gatherPlans(named, request)) {
    const reason = spellings.findFault(plan, request)
    if (reason === undefined) plans.push(plan)
    else leftOut.push(leaveOut(plan, reason))
  }
  return { plans, leftOut }
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
function gatherPlans(named: readonly NamedSource[], { plan: given, partial }: LoadRequest): readonly ReadPlan[] {
  const ownersOf = Map.groupBy(named, ({ plan: { payer, plan } }) => feeScheduleKey({ payer, plan }))
  return [...ownersOf.values()].flatMap((members) => {
    const withId = members.filter(({ plan }) => plan.planId !== undefined)
    const variants = given !== undefined && withId.length > 0 ? withId : members
    const distinct = new Map(variants.map(({ plan }) => [planKey(plan), plan]))
    return [...distinct].map(([key, plan]) => {
      const own = members.filter((member) => given !== undefined || planKey(member.plan) === key)
      const sources = [...new Map(own.map(({ source }) => [source.sourceId, source])).values()]
      const facts = uniteFacts(sources.map((source) => source.facts))
      return { ...plan, facts, sources, partial: partial === true || sources.some((source) => source.partial) }
    })
  })
}
