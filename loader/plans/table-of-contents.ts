import { hash } from 'node:crypto'
import { normaliseName } from '../../contract/texts/names.ts'
import { printable } from '../../contract/texts/show-value.ts'
import { type PlanFacts, readFacts, uniteFacts } from '../../core/catalogue/plan-facts.ts'
import { nameVariant, readPlanId } from '../../core/catalogue/plan-id.ts'
import { findLocationFault, identifyAddress, otherKindOf, resolveLocation } from '../../fetch/file-address.ts'
import { LoadRefused } from '../../fetch/load-refused.ts'
import { type Occurrence, Occurrences } from '../../fetch/occurrences.ts'
import type { ReadingOptions } from '../../fetch/published-bytes.ts'
import { type JsonObject, type Position, pathOf } from '../decode/json/json-object.ts'
import { charactersOf } from '../decode/json/published-number.ts'
import { findVersionFault } from '../decode/schema-version.ts'
import type { GivenNames, LoadRequest } from '../publish/load-request.ts'
import { attemptEach, type ContentsHeader, type EntryVisitor, readEntries } from './list-entries.ts'
import { ListingBudget } from './listing-budget.ts'
import { findPlanFault, type LeftOutPlan, type NamedPlan, planKey } from './plan-names.ts'

/** A plan under one of its ids, as a table of contents lists it. */
export interface ListedPlan extends NamedPlan {
  /** The in-network files of all entries that list the plan under this id; each file once. */
  readonly files: readonly ListedFile[]
  /** Why its files are not all known; empty for a sound plan. */
  readonly faults: readonly string[]
  readonly facts?: PlanFacts
}

export interface ListedFile {
  /** See `identifyAddress`. */
  readonly identity: string
  readonly location: string
}

export interface TableOfContents {
  /** The payer if the operator names it, else the publisher. */
  readonly entity: string | undefined
  /** As published. */
  readonly lastUpdatedOn: string | undefined
  readonly plans: readonly ListedPlan[]
  /** Plans that cannot be loaded under their published names, each with the one that it probably is. */
  readonly quarantined: readonly LeftOutPlan[]
  /** By rules of `findingRules`; of entries that are no rate files by the ending of their names, or `folder`. */
  readonly findings: readonly Occurrence<string>[]
}

/** The files that an entry lists for its plans. */
interface Entry {
  readonly files: readonly ListedFile[]
  readonly faults: readonly string[]
}

interface NumberedFile {
  readonly file: ListedFile
  readonly number: number
}

/** Maximum number of characters of an invalid name that a message shows. */
const maxShown = 100

/**
 * Reads the plans of a table of contents. A fault in a plan or file only excludes the plans that it affects. Source:
 * CMS schema, table-of-contents.json.
 *
 * @param given `payer` replaces each issuer; `plan` selects a plan by its name, or by its name with plan id
 * @throws LoadRefused if the file is not a table of contents, lists no such plan, or lists more than a load can hold
 */
export async function readTableOfContents(
  path: string,
  given: GivenNames & Pick<LoadRequest, 'assumeVersion'>,
  options: ReadingOptions = {},
  budget: ListingBudget = new ListingBudget(path),
): Promise<TableOfContents> {
  const reader = new EntryReader(given, budget)
  const header = await readEntries(path, reader, options)
  const fault = findVersionFault(header.version)
  if (fault !== undefined) {
    if (given.assumeVersion === undefined) throw new LoadRefused(path, fault)
    header.findings.count('assumed-version', { path: 'version' })
  }
  return nameListed(reader, header, given, path)
}

/** Collects the plans and files of all entries, with each file once even if several entries list it. */
class EntryReader implements EntryVisitor {
  readonly reported: { readonly plan: ReturnType<typeof readReportedPlan>; readonly entry: Entry }[] = []
  readonly quarantined: LeftOutPlan[] = []
  /** Kinds of the listed files that are no rate files, by their addresses. */
  readonly others = new Map<string, string>()
  /** By identity, with numbers in the order of their first appearance. */
  readonly #files = new Map<string, NumberedFile>()
  readonly #lists = new Map<string, readonly ListedFile[]>()
  readonly #given: GivenNames
  readonly budget: ListingBudget

  constructor(given: GivenNames, budget: ListingBudget) {
    this.#given = given
    this.budget = budget
  }

  entry(value: unknown, position: Position, base: string): void {
    const { elements: plans, faults } = attemptEach(value, position, 'reporting_plans', readReportedPlan)
    for (const fault of faults) this.unread(fault)
    if (plans.length === 0 && faults.length === 0) this.unread(`${pathOf(position)} names no plan`)
    const { size } = this.#files
    const files = attemptEach(value, position, 'in_network_files', (file) => this.#readFile(file, base))
    this.budget.spend('file', this.#files.size - size)
    const meantPlans = plans.filter((plan) => isMeant(plan, this.#given))
    this.budget.spend('plan', meantPlans.length + faults.length)
    const entry = { files: this.#share([...new Set(files.elements.flat())]), faults: files.faults }
    for (const plan of meantPlans) this.reported.push({ plan, entry })
  }

  /** Records a plan whose name cannot be read. */
  unread(reason: string): void {
    this.quarantined.push({ name: '(unnamed)', reason })
  }

  #readFile(entry: JsonObject, base: string): NumberedFile | readonly [] {
    const location = readLocation(entry, base)
    // The location of a file whose URL is not signed is its identity.
    const file = this.#files.get(location)
    if (file !== undefined) return file
    const identity = identifyAddress(location)
    const kind = otherKindOf(location)
    if (kind === undefined) {
      const numbered = this.#files.get(identity) ?? { file: { identity, location }, number: this.#files.size }
      this.#files.set(identity, numbered)
      return numbered
    }
    this.others.set(identity, kind)
    return []
  }

  /** Thousands of employers have the same list of files, which is kept once. */
  #share(files: readonly NumberedFile[]): readonly ListedFile[] {
    const key = hash('sha256', files.map(({ number }) => number).join(), 'base64')
    const sharedList = this.#lists.get(key)
    if (sharedList !== undefined) return sharedList
    this.budget.spend('mention', files.length)
    const list = files.map(({ file }) => file)
    this.#lists.set(key, list)
    return list
  }
}

function readLocation(file: JsonObject, base: string): string {
  const location = resolveLocation(file.text('location'), base)
  const fault = findLocationFault(location)
  return fault === undefined ? location : file.refuse('location', fault)
}

/** Reads a plan as listed in an entry. */
function readReportedPlan(reported: JsonObject) {
  const planId = reported.has('plan_id') ? charactersOf(reported.id('plan_id')) : undefined
  return {
    name: reported.text('plan_name'),
    issuer: reported.optionalText('issuer_name'),
    planId: readPlanId(planId, reported.optionalText('plan_id_type')),
    facts: readFacts({
      sponsors: [reported.looseText('plan_sponsor_name')],
      markets: [reported.looseText('plan_market_type')],
      issuers: [reported.looseText('issuer_name')],
      productTypes: [reported.looseText('product_type')],
    }),
  }
}

/** Names the plans once the whole file is read, because the entity may come after the plans. */
function nameListed(
  { reported, quarantined, others: otherFiles, budget }: EntryReader,
  header: ContentsHeader,
  given: GivenNames,
  path: string,
): TableOfContents {
  const { entity, lastUpdatedOn } = header
  const notRead = new Occurrences<string>()
  for (const [address, kind] of otherFiles) notRead.note(kind, () => address)
  const sound = new Map<string, { readonly plan: NamedPlan; readonly entries: Entry[]; readonly facts: PlanFacts[] }>()
  const unnamed = new Map<string, LeftOutPlan>()
  const unions = new EntryUnions(budget)
  for (const { plan, entry } of reported) {
    const payer = given.payer ?? plan.issuer ?? entity ?? ''
    const name = { payer: normaliseName(payer), plan: normaliseName(plan.name), planId: plan.planId }
    const key = planKey(name)
    const reason = findPlanFault({ payer, plan: plan.name, planId: plan.planId })
    if (reason !== undefined) {
      const shownName = printable(`${payer} / ${nameVariant(plan.name, plan.planId)}`, maxShown)
      const likely = { ...name, plan: normaliseName(plan.name.replace(/\p{Cc}/gu, ' ')) }
      unnamed.set(key, { name: shownName, reason, plan: likely })
    } else {
      const listedPlan = sound.get(key) ?? { plan: name, entries: [], facts: [] }
      listedPlan.entries.push(entry)
      listedPlan.facts.push(plan.facts)
      sound.set(key, listedPlan)
    }
  }
  if (given.plan !== undefined && sound.size + unnamed.size === 0)
    throw new LoadRefused(path, `lists no plan "${given.plan}"`)
  return {
    entity: given.payer ?? entity,
    lastUpdatedOn,
    plans: [...sound.values()].map(({ plan, entries, facts }) => ({
      ...plan,
      ...unions.of(entries),
      facts: uniteFacts(facts),
    })),
    quarantined: [...quarantined, ...unnamed.values()],
    findings: [...header.findings.list(), ...notRead.list()],
  }
}

/** True for each plan of the file, unless the operator selects one. */
function isMeant({ name, planId }: ReturnType<typeof readReportedPlan>, { plan: selected }: GivenNames): boolean {
  const plan = normaliseName(name)
  return selected === undefined || [plan, nameVariant(plan, planId)].includes(normaliseName(selected))
}

/**
 * Merges the entries of plans. Most plans are in one entry only. Plans of the same entries share their list of files.
 */
class EntryUnions {
  readonly #numbers = new Map<Entry, number>()
  readonly #unions = new Map<string, Entry>()
  readonly #budget: ListingBudget

  constructor(budget: ListingBudget) {
    this.#budget = budget
  }

  of(entries: readonly Entry[]): Entry {
    const distinct = [...new Set(entries)]
    const [first, another] = distinct
    if (first !== undefined && another === undefined) return first
    const key = distinct.map((entry) => this.#numberOf(entry)).join()
    const sharedUnion = this.#unions.get(key)
    if (sharedUnion !== undefined) return sharedUnion
    const union = {
      files: [...new Set(distinct.flatMap(({ files }) => files))],
      faults: [...new Set(distinct.flatMap(({ faults }) => faults))],
    }
    this.#budget.spend('mention', union.files.length + union.faults.length)
    this.#unions.set(key, union)
    return union
  }

  #numberOf(entry: Entry): number {
    const number = this.#numbers.get(entry) ?? this.#numbers.size
    this.#numbers.set(entry, number)
    return number
  }
}
