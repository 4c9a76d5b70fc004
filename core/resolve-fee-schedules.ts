import type { CatalogueEntry, EntryContent } from './catalogue-entry.ts'
import type { Failure } from './failure.ts'
import type { FeeSchedule } from './fee-schedule.ts'
import { feeScheduleKey, groupByPayer } from './fee-schedule.ts'
import { findNotLoaded } from './load-filter.ts'
import { findNearestName } from './nearest-name.ts'
import type { Catalogue, Contents } from './ports.ts'
import type { SearchRequest } from './search-request.ts'

export interface ResolveFeeSchedules {
  readonly catalogue: Catalogue
  readonly contents: Pick<Contents, 'readFilter'>
}

/** How much of the catalogue is looked through for a name that was meant: a hint must not cost a scan of everything. */
const suggestionPages = { count: 5, limit: 1000 } as const

/** How many names a message suggests, and how many variants of ambiguous names it lists, so that it stays readable. */
const maxSuggestions = 10

/**
 * Looks a request's fee schedules up.
 *
 * @param relation whether searches read an operator's own relation, which has no contents
 * @returns the content of each fee schedule in the order of the request (none over an operator's own relation), or a
 *   failure that names every pair that cannot be searched
 */
export async function resolveFeeSchedules(
  deps: ResolveFeeSchedules,
  request: SearchRequest,
  relation: boolean,
): Promise<{ readonly contents: readonly string[] } | { readonly failure: Failure }> {
  const { feeSchedules } = request
  const entries = new Map((await deps.catalogue.find(feeSchedules)).map((entry) => [feeScheduleKey(entry), entry]))
  const stateOf = (feeSchedule: FeeSchedule) => entries.get(feeScheduleKey(feeSchedule))?.state
  const isFound = (pair: FeeSchedule) => {
    const status = stateOf(pair)?.status
    return status === 'active' || status === 'ambiguous' || (relation && status === 'relation')
  }
  const missing = feeSchedules.filter((pair) => !isFound(pair))
  if (missing.length > 0) return { failure: await describeMissing(deps.catalogue, missing) }
  if (relation) return { contents: [] }
  const ambiguous = [...entries.values()].filter(({ state }) => state.status === 'ambiguous')
  if (ambiguous.length > 0) return { failure: await describeAmbiguous(deps.catalogue, ambiguous) }
  const active = feeSchedules.flatMap((pair) => {
    const state = stateOf(pair)
    return state?.status === 'active' ? [{ pair, state }] : []
  })
  const failure = await describeNotLoaded(deps.contents, request, active)
  return failure ? { failure } : { contents: active.map(({ state }) => state.contentId) }
}

/** A filtered content answers only searches that its filter covers: anything else would be part of the answer. */
async function describeNotLoaded(
  contents: Pick<Contents, 'readFilter'>,
  request: SearchRequest,
  active: readonly { readonly pair: FeeSchedule; readonly state: EntryContent }[],
): Promise<Failure | undefined> {
  const faults: string[] = []
  for (const [filterId, members] of Map.groupBy(active, ({ state }) => state.filterId)) {
    if (filterId === undefined) continue
    const filter = await contents.readFilter(filterId)
    if (filter === undefined) throw new Error(`the filter ${filterId} of a content is not stored`)
    const fault = findNotLoaded(filter, request)
    if (fault !== undefined) faults.push(`${listSome(members.map(({ pair }) => nameOf(pair)))}: ${fault}`)
  }
  if (faults.length === 0) return undefined
  return { word: 'not_loaded', sentence: `Only part of these fee schedules was loaded. ${faults.join('; ')}.` }
}

async function describeAmbiguous(catalogue: Catalogue, ambiguous: readonly CatalogueEntry[]): Promise<Failure> {
  let left = maxSuggestions
  const parts: string[] = []
  for (const entry of ambiguous) {
    const count = entry.state.status === 'ambiguous' ? entry.state.variants : 0
    const shown = left === 0 ? [] : (await findActiveVariants(catalogue, entry, left)).map(({ plan }) => quote(plan))
    left -= shown.length
    const more = count > shown.length ? [`${count - shown.length} more`] : []
    parts.push(`${nameOf(entry)} stands for ${[...shown, ...more].join(', ')}`)
  }
  const sentence = `Plans of one name have different rates; name the ones that you mean: ${parts.join('; ')}.`
  return { word: 'ambiguous_fee_schedule', sentence }
}

async function findActiveVariants(catalogue: Catalogue, name: FeeSchedule, count: number) {
  // A few more than are named, since removed ones are among them.
  const variants = await catalogue.listVariants(name, count * 5)
  return variants.filter(({ variantOf, state }) => variantOf === name.plan && state.status === 'active').slice(0, count)
}

async function describeMissing(catalogue: Catalogue, missing: readonly FeeSchedule[]): Promise<Failure> {
  const hints = { left: maxSuggestions }
  const parts: string[] = []
  let payers: Promise<ReadonlySet<string>> | undefined
  for (const [payer, plans] of groupByPayer(missing)) {
    const knownPlans = (await readNames(catalogue, payer)).map(({ plan }) => plan)
    if (knownPlans.length > 0) {
      parts.push(
        `payer ${quote(payer)} has no plan ${plans.map((plan) => quote(plan) + suggest(plan, knownPlans, hints)).join(', ')}`,
      )
      continue
    }
    // Read once, however many payers are unknown: it may be the whole catalogue.
    payers ??= readNames(catalogue).then((names) => new Set(names.map((known) => known.payer)))
    parts.push(
      `payer ${quote(payer)} is unknown${suggest(payer, await payers, hints)} (asked for with plan ${plans.map(quote).join(', ')})`,
    )
  }
  const subject = missing.length === 1 ? 'This fee schedule is' : `These ${missing.length} fee schedules are`
  return { word: 'unsupported_fee_schedule', sentence: `${subject} not supported: ${parts.join('; ')}.` }
}

function suggest(name: string, known: Iterable<string>, hints: { left: number }): string {
  if (hints.left === 0) return ''
  hints.left -= 1
  const nearest = findNearestName(name, known)
  return nearest === undefined ? '' : `, nearest is ${quote(nearest)}`
}

async function readNames(catalogue: Catalogue, payer?: string): Promise<readonly FeeSchedule[]> {
  const names: CatalogueEntry[] = []
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
  return names.filter(({ state }) => state.status === 'active' || state.status === 'relation')
}

const quote = (name: string) => `"${name}"`

const nameOf = ({ payer, plan }: FeeSchedule) => `${quote(plan)} of ${quote(payer)}`

function listSome(names: readonly string[]): string {
  const more = names.length > maxSuggestions ? ` and ${names.length - maxSuggestions} more` : ''
  return names.slice(0, maxSuggestions).join(', ') + more
}
