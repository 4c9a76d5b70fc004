import { InvalidRequest } from '../../errors.ts'
import type { CatalogueEntry } from '../catalogue-entry.ts'
import { isPlanId } from '../plan-id.ts'
import type { Catalogue } from '../ports.ts'
import type { Posting } from '../posting.ts'
import { marketKey, planIdKey } from './word-index.ts'
import { findsAll, keysOf, splitWords } from './words.ts'

/** What a fee schedule must match; everything that is given. */
export interface Wanted {
  readonly payer?: string
  /** Each word begins one of the payer (unless `payer` names it), the plan, a sponsor or a plan id. */
  readonly q?: string
  /** Each word begins one of a sponsor. */
  readonly sponsor?: string
  /** As `readSearchedPlanId` returns it. */
  readonly planId?: string
  readonly market?: string
}

/** How many words of a text are looked up; the others are compared. */
const maxLookedUp = 4

/**
 * Maximum number of postings of a term that are held: "Inc" is in the names of a million sponsors. An EIN has no limit,
 * because nothing can be added to it.
 */
export const maxHeld = 200_000

/**
 * Whether a fee schedule can be searched and matches, as far as its own entry says.
 *
 * @param lookedUp the starts of keys that lead to it: the index alone knows plan ids that are too many to be in the entry
 */
export function isWanted(
  { payer, plan, variantOf, state }: CatalogueEntry,
  wanted: Wanted,
  lookedUp: ReadonlySet<string>,
): boolean {
  if (state.status !== 'active' && state.status !== 'relation') return false
  const { planIds, planIdCount, facts = {} } = state
  const sponsors = () => (facts.sponsors ?? []).flatMap(keysOf)
  const own = () => [...keysOf(variantOf ?? plan), ...(wanted.payer === undefined ? keysOf(payer) : [])]
  const isKnown = (start: string) => planIds.length < planIdCount && lookedUp.has(start)
  const hasId = (planId: string) => isKnown(planIdKey(planId)) || planIds.some((each) => isPlanId(each, planId))
  const words = (q: string) => wordsOf(q).filter((word) => !isKnown(word))
  return (
    (wanted.payer === undefined || payer === wanted.payer) &&
    (wanted.planId === undefined || hasId(wanted.planId)) &&
    (wanted.market === undefined || (facts.markets ?? []).includes(wanted.market)) &&
    (wanted.sponsor === undefined || findsAll(splitWords(wanted.sponsor), sponsors())) &&
    (wanted.q === undefined || findsAll(words(wanted.q), [...own(), ...sponsors(), ...planIds.map(planIdKey)]))
  )
}

/** The words of `q`. A name as lists have it, `PPO (EIN 22…`, has a type and an id; an EIN is typed as `EIN 12 3456789`. */
export const wordsOf = (q: string) =>
  splitWords(
    q
      .replace(/\((?:ein|hios|id) |\b(?:ein|hios) +(?=\d)|\(no plan id\)?/giu, ' ')
      .replace(/\b(\d\d)(?:-(?=\d+\b)| (?=\d{7}\b))/gu, '$1'),
  )

/** Some variants of a name; all of them if only its own words were looked up. */
export type Variants = ReadonlySet<string> | 'all'

/** Something to look up. */
interface Term {
  readonly path: 'plan_id' | 'sponsor' | 'q' | 'market'
  readonly start: string
  readonly isMeant: (posting: Posting, start: string) => boolean
}

export function listTerms({ q, sponsor, planId, market }: Wanted): readonly Term[] {
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

/** Names by payer, or all names of a payer. */
type Found = ReadonlyMap<string, ReadonlyMap<string, Variants> | 'all'>

/**
 * The names that all terms lead to. A term that leads to too many is looked up again among what the others found, and
 * only compared if it is too common there.
 *
 * @returns with the starts of keys that were looked up, or undefined if a market type alone leads to too many
 * @throws InvalidRequest if all words lead to too many
 */
export async function lookUp(catalogue: Catalogue, terms: readonly Term[], payer: string | undefined) {
  let found: Found | undefined
  const lookedUp = new Set<string>()
  const common: Term[] = []
  const follow = async (term: Term) => {
    const isKept = (posting: Posting) => {
      if (!term.isMeant(posting, term.start) || (payer !== undefined && posting.payer !== payer)) return false
      // Of a payer that the query names, all plans would match its words.
      if (posting.name === '') return payer === undefined
      const names = found === undefined ? 'all' : found.get(posting.payer)
      return names === 'all' || names?.has(posting.name) === true
    }
    const limit = term.path === 'plan_id' ? undefined : maxHeld + 1
    const postings = await catalogue.findPostings(term.start, isKept, limit)
    if (postings.length === limit) return common.push(term)
    found = narrow(found, postings)
    return lookedUp.add(term.start)
  }
  for (const term of terms) await follow(term)
  const [first] = common
  if (found !== undefined) for (const term of [...common]) await follow(term)
  else if (first?.path === 'market') return undefined
  else if (first !== undefined) {
    const message = `more than ${maxHeld} plans have a word that begins with "${first.start}": add another word, or the payer`
    throw new InvalidRequest([{ path: first.path, message }])
  }
  return { found: found ?? new Map(), lookedUp }
}

/** What is left of what was found so far by what a further term leads to. */
function narrow(found: Found | undefined, postings: readonly Posting[]): Found {
  const names = new Map<string, Map<string, Set<string> | 'all'>>()
  for (const posting of postings) if (posting.name !== '') note(names, posting)
  const own = new Map<string, ReadonlyMap<string, Variants> | 'all'>(names)
  for (const { payer, name } of postings) if (name === '') own.set(payer, 'all')
  if (found === undefined) return own
  for (const [payer, here] of own) {
    const before = found.get(payer)
    if (before === undefined) own.delete(payer)
    else if (here === 'all') own.set(payer, before)
    else if (before !== 'all') {
      const both = [...here].map(([name, variants]) => [name, meet(before.get(name), variants)] as const)
      own.set(payer, new Map(both.flatMap(([name, met]) => (met === undefined ? [] : [[name, met] as const]))))
    }
  }
  return own
}

function note(names: Map<string, Map<string, Set<string> | 'all'>>, { payer, name, variant }: Posting): void {
  const ofPayer = names.get(payer) ?? new Map<string, Set<string> | 'all'>()
  names.set(payer, ofPayer)
  const known = ofPayer.get(name)
  if (variant === '') ofPayer.set(name, 'all')
  else if (known === undefined) ofPayer.set(name, new Set([variant]))
  else if (known !== 'all') known.add(variant)
}

/** The variants that two terms lead to; undefined if there are none. */
function meet(one: Variants | undefined, other: Variants | undefined) {
  if (one === undefined || other === undefined || one === 'all') return other && one && other
  const both = other === 'all' ? one : one.intersection(other)
  return both.size === 0 ? undefined : both
}
