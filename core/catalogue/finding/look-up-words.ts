import { InvalidRequest } from '../../errors.ts'
import type { CatalogueEntry } from '../catalogue-entry.ts'
import { isPlanId } from '../plan-id.ts'
import type { Catalogue } from '../ports.ts'
import type { Posting } from '../posting.ts'
import { marketKey, planIdKey } from './word-index.ts'
import { findsAll, keysOf, splitWords } from './words.ts'

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

/**
 * Returns true if a fee schedule can be searched and matches, as far as its own entry says.
 *
 * @param lookedUpStarts starts of keys that lead to it: only the index knows plan ids that are too many for the entry
 */
export function matchesFilters(
  { payer, plan, variantOf, state }: CatalogueEntry,
  filters: FeeScheduleFilters,
  lookedUpStarts: ReadonlySet<string>,
): boolean {
  if (state.status !== 'active' && state.status !== 'relation') return false
  const { planIds, planIdCount, facts = {} } = state
  const sponsors = () => (facts.sponsors ?? []).flatMap(keysOf)
  const nameKeys = () => [...keysOf(variantOf ?? plan), ...(filters.payer === undefined ? keysOf(payer) : [])]
  const isKnown = (start: string) => planIds.length < planIdCount && lookedUpStarts.has(start)
  const hasId = (planId: string) => isKnown(planIdKey(planId)) || planIds.some((each) => isPlanId(each, planId))
  const words = (q: string) => wordsOf(q).filter((word) => !isKnown(word))
  return (
    (filters.payer === undefined || payer === filters.payer) &&
    (filters.planId === undefined || hasId(filters.planId)) &&
    (filters.market === undefined || (facts.markets ?? []).includes(filters.market)) &&
    (filters.sponsor === undefined || findsAll(splitWords(filters.sponsor), sponsors())) &&
    (filters.q === undefined || findsAll(words(filters.q), [...nameKeys(), ...sponsors(), ...planIds.map(planIdKey)]))
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
  readonly isMeant: (posting: Posting, start: string) => boolean
}

export function listTerms({ q, sponsor, planId, market }: FeeScheduleFilters): readonly Term[] {
  const longest = (words: readonly string[]) => words.toSorted((a, b) => b.length - a.length).slice(0, maxLookedUp)
  const isExact = ({ key }: Posting, start: string) => key === start
  // A name's own words are not those of its sponsors, and its entry does not have all of them.
  const isOfVariant = ({ variant }: Posting) => variant !== ''
  const isWord = ({ key }: Posting) => !key.startsWith('=')
  const term = (path: Term['path'], isMeant: Term['isMeant']) => (start: string) => ({ path, start, isMeant })
  return [
    ...(planId === undefined ? [] : [planIdKey(planId)]).map(term('plan_id', isExact)),
    ...longest(splitWords(sponsor ?? '')).map(term('sponsor', isOfVariant)),
    ...longest(wordsOf(q ?? '')).map(term('q', isWord)),
    ...(market === undefined ? [] : [marketKey(market)]).map(term('market', isExact)),
  ]
}

/** Variants by payer and name; `all` for all names of a payer. */
type NamesByPayer = ReadonlyMap<string, ReadonlyMap<string, Variants> | 'all'>

/**
 * Looks up the names that all terms lead to. A term that leads to too many is looked up again among the names of the
 * other terms, and only compared if it is too common there.
 *
 * @returns names and the starts of keys that were looked up; undefined if a market type alone leads to too many
 * @throws InvalidRequest if all words lead to too many
 */
export async function lookUp(catalogue: Catalogue, terms: readonly Term[], payer: string | undefined) {
  let namesByPayer: NamesByPayer | undefined
  const lookedUpStarts = new Set<string>()
  const commonTerms: Term[] = []
  const follow = async (term: Term) => {
    const isKept = (posting: Posting) => {
      if (!term.isMeant(posting, term.start) || (payer !== undefined && posting.payer !== payer)) return false
      // The words of a payer that the query names would match all its plans.
      if (posting.name === '') return payer === undefined
      const names = namesByPayer === undefined ? 'all' : namesByPayer.get(posting.payer)
      return names === 'all' || names?.has(posting.name) === true
    }
    const limit = term.path === 'plan_id' ? undefined : maxHeld + 1
    const postings = await catalogue.findPostings(term.start, isKept, limit)
    if (postings.length === limit) return commonTerms.push(term)
    namesByPayer = narrow(namesByPayer, postings)
    return lookedUpStarts.add(term.start)
  }
  for (const term of terms) await follow(term)
  const [first] = commonTerms
  if (namesByPayer !== undefined) for (const term of [...commonTerms]) await follow(term)
  else if (first?.path === 'market') return undefined
  else if (first !== undefined) {
    const message = `more than ${maxHeld} plans have a word that begins with "${first.start}": add another word, or the payer`
    throw new InvalidRequest([{ path: first.path, message }])
  }
  return { namesByPayer: namesByPayer ?? new Map(), lookedUpStarts }
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
