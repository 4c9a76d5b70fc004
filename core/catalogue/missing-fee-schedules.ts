import type { Failure } from '../failure.ts'
import { maxNamed } from '../name-some.ts'
import { oncePer } from '../once-per.ts'
import type { CatalogueEntry } from './catalogue-entry.ts'
import { type FeeSchedule, groupByPayer, quote } from './fee-schedule.ts'
import { suggestNames } from './nearest-name.ts'
import type { Catalogue } from './ports.ts'
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
  const named = missing.slice(0, maxNamed)
  const limit = named.length === 1 ? maxSuggestions.one : maxSuggestions.several
  const parts: string[] = []
  const names = openNames(readNames)
  let listed = '<payer>'
  for (const [payer, plans] of groupByPayer(named)) {
    const known = await names.plansOf(payer)
    if (known.length > 0) {
      listed = encodeURIComponent(payer)
      parts.push(describePlans(payer, plans, known, limit))
      continue
    }
    const meant = describeMeant(suggestNames(payer, await names.listPayers(), limit))
    parts.push(`payer ${quote(payer)} is unknown${meant}, asked for with plan ${plans.map(quote).join(', ')}`)
  }
  if (parts.length > 1) listed = '<payer>'
  if (missing.length > named.length) parts.push(`and ${missing.length - named.length} more`)
  const subject = missing.length === 1 ? 'This fee schedule is' : `These ${missing.length} fee schedules are`
  const advice = `List what is supported with GET /v1/fee-schedules?payer=${listed}.`
  return { word: 'unsupported_fee_schedule', sentence: `${subject} not supported: ${parts.join('; ')}. ${advice}` }
}

function describePlans(payer: string, plans: readonly string[], known: readonly string[], limit: number): string {
  const asked = plans.map((plan) => ({ plan, meant: suggestNames(plan, known, limit) }))
  const described = asked.map(({ plan, meant }) => quote(plan) + describeMeant(meant))
  const examples = asked.some(({ meant }) => meant.length > 0) ? '' : ` (it has ${describeSome(known)})`
  return `payer ${quote(payer)} has no plan ${described.join(', ')}${examples}`
}

function describeMeant(names: readonly string[]): string {
  return names.length === 0 ? '' : ` (did you mean ${names.map(quote).join(' or ')}?)`
}

function describeSome(names: readonly string[]): string {
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
    const plans = await names.plansOf(payer)
    if (plans.length > 0) return suggestNames(plan, plans, maxSuggestions.one).map((each) => ({ payer, plan: each }))
    const found: FeeSchedule[] = []
    for (const other of suggestNames(payer, await names.listPayers(), maxSuggestions.one)) {
      const known = await names.plansOf(other)
      const same = known.includes(plan) ? plan : suggestNames(plan, known, 1)[0]
      if (same !== undefined) found.push({ payer: other, plan: same })
    }
    return found
  }
}

/** Reads each payer's names only once. */
function openNames(read: ReadNames) {
  const readOnce = oncePer((payer: string | undefined) => read(payer))
  return {
    plansOf: async (payer: string) => (await readOnce(payer)).map(({ plan }) => plan),
    listPayers: async () => new Set((await readOnce(undefined)).map(({ payer }) => payer)),
  }
}
