import type { CatalogueEntry } from '../catalogue-entry.ts'
import { isPlanId } from '../plan-id.ts'
import type { Catalogue } from '../ports.ts'
import { marketKey, type Posting, planIdKey } from './word-index.ts'
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

/** The words of `q`. A name as lists have it, `PPO (EIN 22…`, has a type and an id; an EIN is typed with its hyphen. */
export const wordsOf = (q: string) =>
  splitWords(q.replace(/\((?:ein|hios|id) |\(no plan id\)?/giu, ' ').replace(/\b(\d\d)-(?=\d+\b)/gu, '$1'))

/** Some variants of a name; all of them if only its own words were looked up. */
export type Variants = ReadonlySet<string> | 'all'

/** Something to look up. */
interface Term {
  readonly start: string
  readonly isMeant: (posting: Posting) => boolean
}

export function listTerms({ q, sponsor, planId, market }: Wanted): readonly Term[] {
  const longest = (words: readonly string[]) => words.toSorted((a, b) => b.length - a.length).slice(0, maxLookedUp)
  const exact = (start: string): Term => ({ start, isMeant: ({ key }) => key === start })
  // A name's own words are not those of its sponsors, and its entry does not have all of them.
  const isOfVariant = ({ variant }: Posting) => variant !== ''
  const isWord = ({ key }: Posting) => !key.startsWith('=')
  return [
    ...(planId === undefined ? [] : [exact(planIdKey(planId))]),
    ...longest(splitWords(sponsor ?? '')).map((start) => ({ start, isMeant: isOfVariant })),
    ...longest(wordsOf(q ?? '')).map((start) => ({ start, isMeant: isWord })),
    ...(market === undefined ? [] : [exact(marketKey(market))]),
  ]
}

/** The names, by payer, that all terms lead to. */
export async function lookUp(catalogue: Catalogue, terms: readonly Term[], payer: string | undefined) {
  const results = await Promise.all(
    terms.map(async ({ start, isMeant }) => {
      const payers = new Set<string>()
      const names = new Map<string, Map<string, Set<string> | 'all'>>()
      for (const posting of await catalogue.findPostings(start)) {
        if (!isMeant(posting) || (payer !== undefined && posting.payer !== payer)) continue
        // Of a payer that the query names, all plans would match its words.
        if (posting.name !== '') note(names, posting)
        else if (payer === undefined) payers.add(posting.payer)
      }
      return { payers, names }
    }),
  )
  const found = new Map<string, ReadonlyMap<string, Variants> | 'all'>()
  for (const each of new Set(results.flatMap(({ payers, names }) => [...payers, ...names.keys()]))) {
    const narrowing = results.filter(({ payers }) => !payers.has(each)).map(({ names }) => names.get(each))
    const [first, ...others] = narrowing
    if (narrowing.length === 0) found.set(each, 'all')
    else if (first !== undefined) {
      const common = [...first].flatMap(([name, variants]) => {
        const both = others.reduce<Variants | undefined>((left, other) => meet(left, other?.get(name)), variants)
        return both === undefined ? [] : [[name, both] as const]
      })
      if (common.length > 0) found.set(each, new Map(common))
    }
  }
  return found
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
