import type { Failure } from './failure.ts'
import type { FeeSchedule } from './fee-schedule.ts'
import { feeScheduleKey, groupByPayer } from './fee-schedule.ts'
import { findNearestName } from './nearest-name.ts'
import type { Catalogue } from './ports.ts'

/** How much of the catalogue is looked through for a name that was meant: a hint must not cost a scan of everything. */
const suggestionPages = { count: 5, limit: 1000 } as const

/** How many of the missing names get a suggestion, so that the message stays readable. */
const mostSuggestions = 10

/**
 * Looks a request's fee schedules up.
 *
 * @returns the loaded files that count for them, sorted; or a failure that names every pair that the catalogue lacks
 */
export async function resolveFeeSchedules(
  catalogue: Catalogue,
  feeSchedules: readonly FeeSchedule[],
): Promise<{ readonly sources: readonly string[] } | { readonly failure: Failure }> {
  const entries = await catalogue.find(feeSchedules)
  const known = new Set(entries.map(feeScheduleKey))
  const missing = feeSchedules.filter((pair) => !known.has(feeScheduleKey(pair)))
  if (missing.length > 0) return { failure: await describeMissing(catalogue, missing) }
  return { sources: [...new Set(entries.flatMap(({ sources }) => sources))].sort() }
}

async function describeMissing(catalogue: Catalogue, missing: readonly FeeSchedule[]): Promise<Failure> {
  const hints = { left: mostSuggestions }
  const parts: string[] = []
  for (const [payer, plans] of groupByPayer(missing)) {
    const knownPlans = (await readNames(catalogue, payer)).map(({ plan }) => plan)
    parts.push(
      knownPlans.length > 0
        ? `payer ${quote(payer)} has no plan ${plans.map((plan) => quote(plan) + suggest(plan, knownPlans, hints)).join(', ')}`
        : `payer ${quote(payer)} is unknown${await suggestPayer(catalogue, payer, hints)} (asked for with plan ${plans.map(quote).join(', ')})`,
    )
  }
  const subject = missing.length === 1 ? 'This fee schedule is' : `These ${missing.length} fee schedules are`
  return { word: 'unsupported_fee_schedule', sentence: `${subject} not supported: ${parts.join('; ')}.` }
}

async function suggestPayer(catalogue: Catalogue, payer: string, hints: { left: number }): Promise<string> {
  if (hints.left === 0) return ''
  return suggest(payer, new Set((await readNames(catalogue)).map((known) => known.payer)), hints)
}

function suggest(name: string, known: Iterable<string>, hints: { left: number }): string {
  if (hints.left === 0) return ''
  hints.left -= 1
  const nearest = findNearestName(name, known)
  return nearest === undefined ? '' : `, nearest is ${quote(nearest)}`
}

async function readNames(catalogue: Catalogue, payer?: string): Promise<readonly FeeSchedule[]> {
  const names: FeeSchedule[] = []
  let after: FeeSchedule | undefined
  for (let page = 0; page < suggestionPages.count; page++) {
    const { items, next } = await catalogue.list({
      limit: suggestionPages.limit,
      ...(payer !== undefined && { payer }),
      ...(after && { after }),
    })
    names.push(...items)
    if (next === undefined) break
    after = next
  }
  return names
}

const quote = (name: string) => `"${name}"`
