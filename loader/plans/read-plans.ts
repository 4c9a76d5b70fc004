import type { Source } from '../../core/catalogue/content.ts'
import { feeScheduleKey, normaliseName } from '../../core/catalogue/fee-schedule.ts'
import { uniteFacts } from '../../core/catalogue/plan-facts.ts'
import { readPlanId } from '../../core/catalogue/plan-id.ts'
import { nameSome } from '../../core/name-some.ts'
import type { FileToRead } from '../fetch/file-finder.ts'
import { LoadRefused, NotRead, toOneLine } from '../fetch/load-refused.ts'
import type { LoadedPlan } from '../publish/catalogue/plan-changes.ts'
import type { GivenNames, LoadRequest } from '../publish/load-request.ts'
import type { ReadFile } from '../publish/sources/read-file.ts'
import type { PlanFiles } from './files-to-load.ts'
import { type ListedPlans, listNamedFiles, type OpenedPlans } from './open-plans.ts'
import { findPlanFault, type LeftOutPlan, leaveOut, type NamedPlan, nameOnly, planKey } from './plan-names.ts'
import type { ListedPlan, TableOfContents } from './table-of-contents.ts'

/** A plan whose files have been read. */
export type ReadPlan = Omit<LoadedPlan, 'origin'>

/** The plans of a load after its files have been read. */
export interface ReadPlans {
  readonly plans: readonly ReadPlan[]
  readonly leftOut: readonly LeftOutPlan[]
  /** Plans that are listed without in-network files, such as those with only a file of allowed amounts. */
  readonly withoutFiles: readonly NamedPlan[]
  readonly files: ReadonlyMap<string, ReadFile>
  /** What was found in the table of contents. */
  readonly listing: TableOfContents['findings']
}

/** Reads files. Returns the outcome of each, by its path. */
type Read = (files: readonly FileToRead[]) => Promise<ReadonlyMap<string, ReadFile>>

/** Reads the files of those listed plans that can be loaded. */
export async function readListedPlans(listed: ListedPlans, opened: OpenedPlans, read: Read): Promise<ReadPlans> {
  const { request, publishers } = opened
  const { loadable, leftOut, withoutFiles } = choosePlans(listed, opened)
  const files = await read([...new Set(loadable.map(({ files: { present } }) => present))].flat())
  const ready: ReadPlan[] = []
  // Plans of one entry share their list of files, and then of sources.
  const sorted = new Map<readonly FileToRead[], ReturnType<typeof sortByOutcome>>()
  for (const { plan, files: own } of loadable) {
    const outcomes = sorted.get(own.present) ?? sortByOutcome(own.present, files)
    sorted.set(own.present, outcomes)
    const { sources, refused, unread, facts: ofFiles } = outcomes
    const reason = unread ?? (request.partial && sources.length > 0 ? undefined : refused[0])
    if (reason !== undefined) leftOut.push(leaveOut(plan, reason))
    else {
      const isWhole = refused.length + own.missing.length + own.ambiguous.length + plan.faults.length === 0
      const publisher = publishers.of(plan)
      const partial = !isWhole || sources.some((source) => source.partial)
      const facts = uniteFacts([plan.facts, ofFiles])
      ready.push({ ...nameOnly(plan), ...(publisher !== undefined && { publisher }), facts, sources, partial })
    }
  }
  return { plans: ready, leftOut, withoutFiles, files, listing: listed.toc.findings }
}

/** The plans of a table of contents before their files are read. */
interface ChosenPlans {
  readonly loadable: readonly { readonly plan: ListedPlan; readonly files: PlanFiles }[]
  readonly leftOut: LeftOutPlan[]
  readonly withoutFiles: readonly NamedPlan[]
}

/** Finds the plans that can be loaded if their files are valid. */
export function choosePlans(
  { toc: { plans, quarantined }, filesOf }: ListedPlans,
  { request, spellings, publishers }: OpenedPlans,
): ChosenPlans {
  const leftOut = [...quarantined]
  for (const plan of plans) spellings.add(plan)
  const loadable: { readonly plan: ListedPlan; readonly files: PlanFiles }[] = []
  for (const plan of plans.filter(isListedWithFiles)) {
    const files = filesOf(plan)
    const reason =
      spellings.findFault(plan, request) ??
      publishers.findFault(plan) ??
      findMissing(plan, files, request.partial ?? false)
    if (reason === undefined) loadable.push({ plan, files })
    else leftOut.push(leaveOut(plan, reason))
  }
  return { loadable, leftOut, withoutFiles: plans.filter((plan) => !isListedWithFiles(plan)).map(nameOnly) }
}

const isListedWithFiles = ({ files, faults }: ListedPlan) => files.length + faults.length > 0

/** Why a plan cannot be loaded completely; undefined if it can, or need not be. */
function findMissing({ faults }: ListedPlan, files: PlanFiles, allowsPartial: boolean): string | undefined {
  const missing = files.missing.length === 0 ? undefined : describeMissing(files.missing)
  const reason = files.ambiguous[0] ?? faults[0] ?? missing
  return allowsPartial && files.present.length > 0 ? undefined : reason
}

function describeMissing(missing: readonly string[]): string {
  const what = missing.length === 1 ? 'a listed file is missing' : `${missing.length} listed files are missing`
  return `${what} (${nameSome(missing.map(toOneLine))}): put it beside the table of contents, map it with --files, fetch it with --fetch, or use --partial`
}

function sortByOutcome(files: readonly FileToRead[], read: ReadonlyMap<string, ReadFile>) {
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

/**
 * Reads the files that the operator named; each contains its plan's name. The plan of a refused file is unknown, so it
 * refuses the load unless partial loads are allowed.
 *
 * @throws LoadRefused
 */
export async function readNamedPlans(opened: OpenedPlans, read: Read): Promise<ReadPlans> {
  const { request, spellings } = opened
  const files = await read(await listNamedFiles(opened))
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
  return { plans, leftOut, withoutFiles: [], files, listing: [] }
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
