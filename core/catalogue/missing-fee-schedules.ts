import type { Failure } from '../failure.ts'
import { type FeeSchedule, groupByPayer } from './fee-schedule.ts'
import { suggestNames } from './nearest-name.ts'

/** Maximum number of missing fee schedules in a message; the others are counted. */
const maxNamed = 10

/** Maximum number of suggestions, for one wrong name and for several. */
const maxSuggestions = { one: 3, several: 1 } as const

/** Reads the existing fee schedules of one payer or all. A large catalogue is not necessarily read to its end. */
export type ReadNames = (payer?: string) => Promise<readonly FeeSchedule[]>

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
  let payers: ReadonlySet<string> | undefined
  let listed = '<payer>'
  for (const [payer, plans] of groupByPayer(named)) {
    const known = (await readNames(payer)).map(({ plan }) => plan)
    if (known.length > 0) {
      listed = encodeURIComponent(payer)
      parts.push(describePlans(payer, plans, known, limit))
      continue
    }
    // Read once for all unknown payers.
    payers ??= new Set((await readNames()).map((one) => one.payer))
    const meant = describeMeant(suggestNames(payer, payers, limit))
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

const quote = (name: string) => `"${name}"`
