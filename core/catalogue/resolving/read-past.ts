import { maxNamed, nameSome } from '../../../schema/phrases.ts'
import type { Failure } from '../../failure.ts'
import { type Clock, isoDay } from '../../time.ts'
import type { CatalogueEntry, EntryContent } from '../catalogue-entry.ts'
import { byKey, type FeeSchedule, feeScheduleKey, nameOf } from '../fee-schedule.ts'
import { firstKeptDay, stateOn } from '../history.ts'
import { isPlanId } from '../plan-id.ts'
import type { Catalogue, Contents } from '../ports.ts'
import type { Posting } from '../posting.ts'
import { planIdKey } from '../word-index/word-index.ts'

/** A fee schedule that can be searched, with the fields of its content that a search needs. */
export interface Searchable {
  readonly pair: FeeSchedule
  readonly state: Pick<EntryContent, 'contentId' | 'sourceCount' | 'filterId'>
}

export interface ReadPast {
  readonly catalogue: Catalogue
  readonly contents: Pick<Contents, 'readContents'>
  readonly now: Clock
}

/** The day whose end a request names, if it has passed; a search of today reads what is active now. */
export const pastDay = ({ asOf }: { readonly asOf?: string }, now: Date): string | undefined =>
  asOf !== undefined && asOf < isoDay(now) ? asOf : undefined

/**
 * Finds the contents that searches of fee schedules read at the end of a day, and the failure of a search of all of
 * them, if it would fail.
 */
export async function readPast(
  { catalogue, contents, now }: ReadPast,
  feeSchedules: readonly FeeSchedule[],
  day: string,
): Promise<{ readonly active: readonly Searchable[]; readonly failure?: Failure }> {
  const first = firstKeptDay(await catalogue.readKeptDays(), now())
  if (day < first) return { active: [], failure: describeNotKept(first) }
  const entries = byKey(await catalogue.find(feeSchedules))
  const states = feeSchedules.map((pair) => ({ pair, state: stateOn(entries.get(feeScheduleKey(pair)), day, now()) }))
  const ids = new Set(states.flatMap(({ state }) => (state.status === 'active' ? state.contentId : [])))
  const contentsById = new Map((await contents.readContents([...ids])).map((content) => [content.contentId, content]))
  const active = states.flatMap(({ pair, state }) => {
    const content = state.status === 'active' ? contentsById.get(state.contentId) : undefined
    return content ? [{ pair, state: content }] : []
  })
  const lastUnknown = states
    .flatMap(({ state }) => (state.status === 'unknown' ? state.since : []))
    .sort()
    .at(-1)
  const namesIn = (status: string) => states.flatMap(({ pair, state }) => (state.status === status ? nameOf(pair) : []))
  const [missing, ambiguous] = [namesIn('removed'), namesIn('ambiguous')]
  const failure = lastUnknown === undefined ? describe(day, missing, ambiguous) : describeNotKept(lastUnknown)
  if (failure === undefined && active.length < states.length) throw new Error(`a content of ${day} has been removed`)
  return { active, ...(failure && { failure }) }
}

const describeNotKept = (first: string): Failure => ({
  word: 'not_kept',
  sentence: `What these fee schedules had earlier is not kept. Send \`as_of\` with ${first}, the first day kept, or a later one.`,
})

function describe(day: string, missing: readonly string[], ambiguous: readonly string[]): Failure | undefined {
  if (missing.length > 0)
    return {
      word: 'unsupported_fee_schedule',
      sentence: `At the end of ${day} these could not be searched: ${nameSome(missing, maxNamed, '; ')}. See \`changed_on\` in GET /v1/fee-schedules.`,
    }
  if (ambiguous.length === 0) return undefined
  const sentence = `At the end of ${day} several plans of one name had different rates: ${nameSome(ambiguous, maxNamed, '; ')}. Name the one you mean, such as "PPO (EIN 123456789)".`
  return { word: 'ambiguous_fee_schedule', sentence }
}

/** The fee schedules that had a plan id at the end of a day, by the names that searches could use then. */
export async function findPastPlans(
  { catalogue, now }: Pick<ReadPast, 'catalogue' | 'now'>,
  planId: string,
  day: string,
): Promise<readonly FeeSchedule[]> {
  const key = planIdKey(planId)
  const isMeant = { isKey: (each: string) => each === key, isKept: ({ variant }: Posting) => variant !== '' }
  const postings = await catalogue.findPostings(key, isMeant)
  const distinct = (pairs: readonly FeeSchedule[]) => [...byKey(pairs).values()]
  const variants = await catalogue.find(distinct(postings.map(({ payer, variant }) => ({ payer, plan: variant }))))
  // A variant is named after its plan id, so it never has another one.
  const pastVariants = variants.filter((entry) => {
    const ids = [entry.state, entry.previous?.state].flatMap((state) =>
      state && 'planIds' in state ? state.planIds : [],
    )
    const { status } = stateOn(entry, day, now())
    return (status === 'active' || status === 'unknown') && ids.some((each) => isPlanId(each, planId))
  })
  const nameOfVariant = ({ payer, plan, variantOf = plan }: CatalogueEntry) => ({ payer, plan: variantOf })
  const names = byKey(await catalogue.find(distinct(pastVariants.map(nameOfVariant))))
  return distinct(
    pastVariants.map((variant) => {
      const name = nameOfVariant(variant)
      const isShared = stateOn(names.get(feeScheduleKey(name)), day, now()).status === 'ambiguous'
      return isShared ? { payer: variant.payer, plan: variant.plan } : name
    }),
  )
}
