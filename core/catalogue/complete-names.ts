import type { CatalogueEntry } from './catalogue-entry.ts'
import { type FeeSchedule, feeScheduleKey } from './fee-schedule.ts'
import { foldName, foldPayer, foldPayerAndPlan } from './folded-name.ts'
import type { Catalogue } from './ports.ts'

export interface NameQuery {
  /** The prefix of names, ignoring case; at least one character that is not white space. */
  readonly q: string
  /** Only this payer's plans; `q` is then the prefix of a plan. */
  readonly payer?: string
  readonly limit: number
  readonly after?: NamePlace
}

/** A position in the list of names with a prefix. */
export interface NamePlace {
  /** Payers with the prefix come first, then plans of other payers. */
  readonly by: 'payer' | 'plan'
  readonly name: FeeSchedule
  /** The last variant shown of an ambiguous name. */
  readonly variant?: string
}

interface NamePage {
  readonly items: readonly CatalogueEntry[]
  readonly next?: NamePlace
}

/** Maximum number of names that a page examines; few may be shown if plans and their payer begin alike. */
export const maxExaminedNames = 1000

/** Names per read. */
const readAtOnce = 100

/**
 * Lists a page of the fee schedules whose payer or plan has a prefix, with variants only of ambiguous names. A page can
 * be short and still have a next one.
 */
export async function completeNames(
  catalogue: Pick<Catalogue, 'find' | 'listNames' | 'listVariants'>,
  query: NameQuery,
): Promise<NamePage> {
  const found: { readonly entry: CatalogueEntry; readonly place: NamePlace }[] = []
  let examined = 0
  for (const walk of planWalks(query)) {
    let after: FeeSchedule | undefined = walk.after?.name
    const resumed = walk.after?.variant === undefined ? [] : await catalogue.find([walk.after.name])
    for (const name of resumed) found.push(...(await expand(catalogue, query, walk, name, walk.after?.variant)))
    for (;;) {
      const { items, next } = await catalogue.listNames({
        by: walk.by,
        prefix: walk.prefix,
        limit: readAtOnce,
        ...(after && { after }),
      })
      const entries = new Map((await catalogue.find(items)).map((entry) => [feeScheduleKey(entry), entry]))
      for (const name of items) {
        const entry = entries.get(feeScheduleKey(name))
        if (entry !== undefined) found.push(...(await expand(catalogue, query, walk, entry)))
        examined += 1
        if (found.length > query.limit) return cut(found, query.limit)
        if (examined === maxExaminedNames)
          return { items: found.map((each) => each.entry), next: { by: walk.key, name } }
      }
      if (next === undefined) break
      after = next
    }
  }
  return found.length > query.limit ? cut(found, query.limit) : { items: found.map(({ entry }) => entry) }
}

function cut(found: readonly { readonly entry: CatalogueEntry; readonly place: NamePlace }[], limit: number): NamePage {
  const last = found[limit - 1]
  return { items: found.slice(0, limit).map(({ entry }) => entry), ...(last && { next: last.place }) }
}

/** One walk through an index of names. */
interface Walk {
  readonly key: NamePlace['by']
  readonly by: 'payer' | 'plan'
  readonly prefix: string
  readonly isShown: (name: FeeSchedule) => boolean
  readonly after?: NamePlace
}

function planWalks({ q, payer, after }: NameQuery): readonly Walk[] {
  const wanted = foldName(q)
  // A variant is found by its name: `PPO (EIN 22` begins with `PPO`.
  const prefix = wanted.replace(/ \([^()]*\)?$/, '')
  const startsPlan = ({ plan }: FeeSchedule) => foldName(plan).startsWith(wanted)
  const startsPayer = (name: FeeSchedule) => foldName(name.payer).startsWith(wanted)
  if (payer !== undefined) {
    const isShown = (name: FeeSchedule) => name.payer === payer && startsPlan(name)
    return [{ key: 'plan', by: 'payer', prefix: `${foldPayer(payer)}${prefix}`, isShown, ...(after && { after }) }]
  }
  const payers: Walk = { key: 'payer', by: 'payer', prefix: wanted, isShown: startsPayer }
  const plans: Walk = { key: 'plan', by: 'plan', prefix, isShown: (name) => startsPlan(name) && !startsPayer(name) }
  if (after === undefined) return [payers, plans]
  return after.by === 'payer' ? [{ ...payers, after }, plans] : [{ ...plans, after }]
}

/** Whether a place can be in the list of a query: DynamoDB refuses to go on from any other. */
export function isPlaceOf(query: Pick<NameQuery, 'q' | 'payer'>, after: NamePlace): boolean {
  const [walk] = planWalks({ ...query, limit: 1, after })
  const { name, variant } = after
  const folded = walk?.by === 'payer' ? foldPayerAndPlan(name) : foldName(name.plan)
  return folded.startsWith(walk?.prefix ?? '') && (variant ?? `${name.plan} (`).startsWith(`${name.plan} (`)
}

/** Returns the name itself, or its variants if it is ambiguous. */
async function expand(
  catalogue: Pick<Catalogue, 'listVariants'>,
  { q, limit }: NameQuery,
  { key, isShown }: Walk,
  entry: CatalogueEntry,
  after?: string,
) {
  const { payer, plan, state } = entry
  const place: NamePlace = { by: key, name: { payer, plan } }
  if (state.status === 'active' || state.status === 'relation')
    return after === undefined && isShown(entry) ? [{ entry, place }] : []
  if (state.status !== 'ambiguous') return []
  const shown: { readonly entry: CatalogueEntry; readonly place: NamePlace }[] = []
  const beginning = isShown(entry) ? plan : variantsBeginning(plan, foldName(q))
  if (beginning === undefined) return []
  // Longer than the beginning, so all variants that have it come after it.
  let start = after ?? (beginning === plan ? undefined : beginning)
  for (;;) {
    const [, ...variants] = await catalogue.listVariants(place.name, readAtOnce, start)
    for (const variant of variants) {
      if (!variant.plan.startsWith(beginning)) return shown
      if (variant.state.status === 'active' && isShown(variant))
        shown.push({ entry: variant, place: { ...place, variant: variant.plan } })
      start = variant.plan
    }
    if (variants.length === 0 || shown.length > limit) return shown
  }
}

/**
 * What the variants of a plan that match a text begin with, so that the thousands before and after them are not read.
 *
 * @param wanted the folded text, which the plan's name itself does not begin with
 * @returns undefined if no variant can match
 */
function variantsBeginning(plan: string, wanted: string): string | undefined {
  const folded = foldName(plan)
  if (!wanted.startsWith(`${folded} (`)) return undefined
  const id = wanted.slice(folded.length + 1).replace(/\)$/, '')
  // All types of plan id are in upper case; `(no plan id)` is not.
  return /^\((?!n)[\da-z ]*$/.test(id) ? `${plan} ${id.toUpperCase()}` : plan
}
