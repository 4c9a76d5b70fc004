import { InvalidRequest } from '../../errors.ts'
import { findsAll, firstLetterOf, keysOf, mayBeMistyped, nearlyBegins, splitWords } from '../../words.ts'
import type { CatalogueEntry } from '../catalogue-entry.ts'
import { isPlanId } from '../plan-id.ts'
import type { Catalogue } from '../ports.ts'
import type { Posting } from '../posting.ts'
import { marketKey, planIdKey } from './word-index.ts'

/** Filters of fee schedules, which combine. */
export interface FeeScheduleFilters {
  readonly payer?: string
  /** Each word begins one of the payer (unless `payer` names it), the plan, a sponsor or a plan id. */
  readonly q?: string
  /** Each word begins one of a sponsor. */
  readonly sponsor?: string
  /** As `readSearchedPlanId` returns it. */
  readonly planId?: string
  readonly market?: string
}

/** Maximum number of words of a text that are looked up; the others are compared. */
const maxLookedUp = 4

/**
 * Maximum number of postings of a term that are held: "Inc" is in the names of a million sponsors. An EIN has no limit,
 * because nothing can be added to it.
 */
export const maxHeld = 200_000

/** The words of a query that were looked up in the index. */
export interface LookedUp {
  /** Starts of keys that lead to plans: only the index knows plan ids that are too many for an entry. */
  readonly starts: ReadonlySet<string>
  /** Words that lead nowhere, in which a typing error is forgiven. */
  readonly mistyped: ReadonlySet<string>
}

/** Returns true if a fee schedule can be searched and matches, as far as its own entry says. */
export function matchesFilters(
  { payer, plan, variantOf, state }: CatalogueEntry,
  filters: FeeScheduleFilters,
  { starts, mistyped }: LookedUp = { starts: new Set(), mistyped: new Set() },
): boolean {
  if (state.status !== 'active' && state.status !== 'relation') return false
  const { planIds, planIdCount, facts = {} } = state
  const sponsors = () => (facts.sponsors ?? []).flatMap(keysOf)
  const nameKeys = () => [...keysOf(variantOf ?? plan), ...(filters.payer === undefined ? keysOf(payer) : [])]
  const isKnown = (start: string) => planIds.length < planIdCount && starts.has(start)
  const hasId = (planId: string) => isKnown(planIdKey(planId)) || planIds.some((each) => isPlanId(each, planId))
  const words = (q: string) => wordsOf(q).filter((word) => !isKnown(word))
  return (
    (filters.payer === undefined || payer === filters.payer) &&
    (filters.planId === undefined || hasId(filters.planId)) &&
    (filters.market === undefined || (facts.markets ?? []).includes(filters.market)) &&
    (filters.sponsor === undefined || findsAll(splitWords(filters.sponsor), sponsors(), mistyped)) &&
    (filters.q === undefined ||
      findsAll(words(filters.q), [...nameKeys(), ...sponsors(), ...planIds.map(planIdKey)], mistyped))
  )
}

/** Returns the words of `q`: the type of an id, as in `PPO (EIN 22…`, is no word, and `12 3456789` is one word. */
export const wordsOf = (q: string) =>
  splitWords(
    q
      .replace(/\((?:ein|hios|id) |\b(?:ein|hios) +(?=\d)|\(no plan id\)?/giu, ' ')
      .replace(/\b(\d\d)(?:-(?=\d+\b)| (?=\d{7}\b))/gu, '$1'),
  )

/** Variants of a name; `all` if only words of the name itself were looked up. */
export type Variants = ReadonlySet<string> | 'all'

/** A word, id or market type to look up. */
interface Term {
  readonly path: 'plan_id' | 'sponsor' | 'q' | 'market'
  readonly start: string
}

export function listTerms({ q, sponsor, planId, market }: FeeScheduleFilters): readonly Term[] {
  const longest = (words: readonly string[]) => words.toSorted((a, b) => b.length - a.length).slice(0, maxLookedUp)
  const term = (path: Term['path']) => (start: string) => ({ path, start })
  return [
    ...(planId === undefined ? [] : [planIdKey(planId)]).map(term('plan_id')),
    ...longest(splitWords(sponsor ?? '')).map(term('sponsor')),
    ...longest(wordsOf(q ?? '')).map(term('q')),
    ...(market === undefined ? [] : [marketKey(market)]).map(term('market')),
  ]
}

/** True if a term is the beginning of a word, and not a whole key. */
const isWord = ({ path }: Term) => path === 'q' || path === 'sponsor'

/** Variants by payer and name; `all` for all names of a payer. */
type NamesByPayer = ReadonlyMap<string, ReadonlyMap<string, Variants> | 'all'>

/**
 * Looks up the names that all terms lead to. A term that leads to too many is looked up again among the names of the
 * other terms, and only compared if it is too common there. A word that leads nowhere may have a typing error.
 *
 * @returns names, and what was looked up; undefined if a market type alone leads to too many
 * @throws InvalidRequest if all words lead to too many
 */
export async function lookUp(catalogue: Catalogue, terms: readonly Term[], payer: string | undefined) {
  let namesByPayer: NamesByPayer | undefined
  const starts = new Set<string>()
  const mistyped = new Set<string>()
  const commonTerms: Term[] = []
  const follow = async (term: Term) => {
    const { start, path } = term
    let isKnown = false
    const isKept = (posting: Posting) => {
      // A name's own words are not those of its sponsors, and its entry does not have all of them.
      if (path === 'sponsor' && posting.variant === '') return false
      isKnown = true
      if (payer !== undefined && posting.payer !== payer) return false
      // The words of a payer that the query names would match all its plans.
      if (posting.name === '') return payer === undefined
      const names = namesByPayer === undefined ? 'all' : namesByPayer.get(posting.payer)
      return names === 'all' || names?.has(posting.name) === true
    }
    const limit = path === 'plan_id' ? undefined : maxHeld + 1
    let postings = await catalogue.findPostings(start, {
      isKey: (key) => key === start || isWord(term),
      isKept,
      limit,
    })
    if (!isKnown && isWord(term) && mayBeMistyped(start, mistyped)) {
      mistyped.add(start)
      postings = await catalogue.findPostings(firstLetterOf(start), {
        isKey: (key) => nearlyBegins(start, key),
        isKept,
        limit,
      })
    }
    if (postings.length === limit) return commonTerms.push(term)
    namesByPayer = narrow(namesByPayer, postings)
    return starts.add(start)
  }
  for (const term of terms) await follow(term)
  const [first] = commonTerms
  if (namesByPayer !== undefined) for (const term of [...commonTerms]) await follow(term)
  else if (first?.path === 'market') return undefined
  else if (first !== undefined) {
    const message = `more than ${maxHeld} plans have a word that begins with "${first.start}": add another word, or the payer`
    throw new InvalidRequest([{ path: first.path, message }])
  }
  return { namesByPayer: namesByPayer ?? new Map(), lookedUp: { starts, mistyped } }
}

/** Returns the names of earlier terms that a further term leads to as well. */
function narrow(before: NamesByPayer | undefined, postings: readonly Posting[]): NamesByPayer {
  const names = new Map<string, Map<string, Set<string> | 'all'>>()
  for (const posting of postings) if (posting.name !== '') note(names, posting)
  const after = new Map<string, ReadonlyMap<string, Variants> | 'all'>(names)
  for (const { payer, name } of postings) if (name === '') after.set(payer, 'all')
  if (before === undefined) return after
  for (const [payer, namesOfTerm] of after) {
    const namesBefore = before.get(payer)
    if (namesBefore === undefined) after.delete(payer)
    else if (namesOfTerm === 'all') after.set(payer, namesBefore)
    else if (namesBefore !== 'all') {
      const both = [...namesOfTerm].map(([name, variants]) => [name, meet(namesBefore.get(name), variants)] as const)
      after.set(payer, new Map(both.flatMap(([name, met]) => (met === undefined ? [] : [[name, met] as const]))))
    }
  }
  return after
}

function note(names: Map<string, Map<string, Set<string> | 'all'>>, { payer, name, variant }: Posting): void {
  const ofPayer = names.get(payer) ?? new Map<string, Set<string> | 'all'>()
  names.set(payer, ofPayer)
  const variants = ofPayer.get(name)
  if (variant === '') ofPayer.set(name, 'all')
  else if (variants === undefined) ofPayer.set(name, new Set([variant]))
  else if (variants !== 'all') variants.add(variant)
}

/** Returns the variants that two terms lead to; undefined if there are none. */
function meet(one: Variants | undefined, other: Variants | undefined) {
  if (one === undefined || other === undefined || one === 'all') return other && one && other
  const both = other === 'all' ? one : one.intersection(other)
  return both.size === 0 ? undefined : both
}
