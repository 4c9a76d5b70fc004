import { maxNamed } from '../../../schema/phrases.ts'
import type { Failure } from '../../failure.ts'
import { oncePer } from '../../once-per.ts'
import type { CatalogueEntry } from '../catalogue-entry.ts'
import { type FeeSchedule, quote } from '../fee-schedule.ts'
import type { Catalogue } from '../ports.ts'
import { SuggestionBudget, suggestNames } from './nearest-name.ts'
import { findActiveVariants, readSearchableNames } from './searchable-names.ts'

/** Maximum number of suggestions, for one wrong name and for several, and of variants of an ambiguous one. */
const maxSuggestions = { one: 3, several: 1, variants: 10 } as const

/** Reads the existing fee schedules of one payer or all. A large catalogue is not necessarily read to its end. */
type ReadNames = (payer?: string) => Promise<readonly FeeSchedule[]>

/**
 * Describes the fee schedules of a search that do not exist: the first ten by name, suggestions, and where to list
 * existing ones.
 *
 * @param missing at least one
 */
export async function describeMissing(readNames: ReadNames, missing: readonly FeeSchedule[]): Promise<Failure> {
  const firstMissing = missing.slice(0, maxNamed)
  const limit = firstMissing.length === 1 ? maxSuggestions.one : maxSuggestions.several
  const parts: string[] = []
  const names = openNames(readNames)
  let advisedPayer = '<payer>'
  for (const [payer, pairs] of Map.groupBy(firstMissing, (pair) => pair.payer)) {
    const plans = pairs.map(({ plan }) => plan)
    const existingPlans = await names.plansOf(payer)
    if (existingPlans.length > 0) {
      advisedPayer = encodeURIComponent(payer)
      const suggestions = plans.map((plan) => ({ plan, meant: names.suggest(plan, existingPlans, limit) }))
      parts.push(describePlans(payer, suggestions, existingPlans))
      continue
    }
    const meant = describeMeant(names.suggest(payer, await names.listPayers(), limit))
    parts.push(`payer ${quote(payer)} is unknown${meant}, asked for with plan ${plans.map(quote).join(', ')}`)
  }
  if (parts.length > 1) advisedPayer = '<payer>'
  if (missing.length > firstMissing.length) parts.push(`and ${missing.length - firstMissing.length} more`)
  const subject = missing.length === 1 ? 'This fee schedule is' : `These ${missing.length} fee schedules are`
  const advice = `List what is supported with GET /v1/fee-schedules?payer=${advisedPayer}.`
  return { word: 'unsupported_fee_schedule', sentence: `${subject} not supported: ${parts.join('; ')}. ${advice}` }
}

interface Suggestion {
  readonly plan: string
  readonly meant: readonly string[]
}

function describePlans(payer: string, suggestions: readonly Suggestion[], existing: readonly string[]): string {
  const described = suggestions.map(({ plan, meant }) => quote(plan) + describeMeant(meant))
  const examples = suggestions.some(({ meant }) => meant.length > 0) ? '' : ` (it has ${describeExamples(existing)})`
  return `payer ${quote(payer)} has no plan ${described.join(', ')}${examples}`
}

function describeMeant(names: readonly string[]): string {
  return names.length === 0 ? '' : ` (did you mean ${names.map(quote).join(' or ')}?)`
}

function describeExamples(names: readonly string[]): string {
  const shown = names.slice(0, maxSuggestions.one).map(quote).join(', ')
  return names.length > maxSuggestions.one ? `for example ${shown}` : shown
}

/**
 * Suggests fee schedules for those that cannot be searched: the variants of an ambiguous name, the payer's plans with
 * the nearest names, or the same plan of payers with the nearest names.
 *
 * @param entries the catalogue's entries of the fee schedules
 */
export function openNearest(catalogue: Catalogue, entries: ReadonlyMap<string, CatalogueEntry>) {
  const names = openNames((payer) => readSearchableNames(catalogue, payer))
  return async ({ payer, plan }: FeeSchedule, key: string): Promise<readonly FeeSchedule[]> => {
    const entry = entries.get(key)
    if (entry?.state.status === 'ambiguous') return findActiveVariants(catalogue, entry, maxSuggestions.variants)
    if (names.isSpent()) return []
    const plans = await names.plansOf(payer)
    if (plans.length > 0) return names.suggest(plan, plans, maxSuggestions.one).map((each) => ({ payer, plan: each }))
    const suggestions: FeeSchedule[] = []
    for (const nearPayer of names.suggest(payer, await names.listPayers(), maxSuggestions.one)) {
      if (names.isSpent()) break
      const itsPlans = await names.plansOf(nearPayer)
      const nearPlan = itsPlans.includes(plan) ? plan : names.suggest(plan, itsPlans, 1)[0]
      if (nearPlan !== undefined) suggestions.push({ payer: nearPayer, plan: nearPlan })
    }
    return suggestions
  }
}

/** Reads each payer's names only once, and suggests names within the budget of one request. */
function openNames(read: ReadNames) {
  const budget = new SuggestionBudget()
  const readOnce = oncePer((payer: string | undefined) => {
    budget.takeList()
    return read(payer)
  })
  return {
    isSpent: () => budget.isSpent,
    suggest: (name: string, known: Iterable<string>, limit: number) => suggestNames(name, known, limit, budget),
    plansOf: async (payer: string) => (await readOnce(payer)).map(({ plan }) => plan),
    listPayers: async () => new Set((await readOnce(undefined)).map(({ payer }) => payer)),
  }
}
