import type { ActiveState, CatalogueEntry } from '../../core/catalogue/catalogue-entry.ts'
import type { Content, ContentFigures } from '../../core/catalogue/content.ts'
import { feeScheduleKey } from '../../core/catalogue/fee-schedule.ts'
import type { Contents } from '../../core/catalogue/ports.ts'
import type { LoadedPlan, PlanJudge, SwitchDeps } from '../../core/switching/plan-changes.ts'
import { gatherSources } from '../../core/switching/source-sets.ts'
import { formatNumber } from '../../schema/phrases.ts'
import type { LoadRequest } from '../publish/load-request.ts'
import { planKey, type SiftedPlans, siftPlans, variantOf } from './plan-names.ts'

/** Default maximum share of its rates, codes or NPIs that a fee schedule may lose in a load. */
export const defaultMaxShrink = 0.5

/**
 * Compares plans with their active content, because a month that was published empty or half downloaded, or an older
 * month, must not replace the active one unnoticed.
 *
 * @returns the plans that may replace it, and `judge`, which compares a plan again at the switch, because another load
 *   may have switched it in the meantime
 */
export async function judgePlans(
  { plans, leftOut }: SiftedPlans<LoadedPlan>,
  request: LoadRequest,
  { catalogue, contents }: Pick<SwitchDeps, 'catalogue' | 'contents'>,
): Promise<SiftedPlans<LoadedPlan> & { readonly judge: PlanJudge }> {
  const active = findActive(await catalogue.find(plans.map(variantOf)))
  const figuresOf = openFigures(contents)
  await figuresOf.learn([...active.values()])
  const judge: PlanJudge = async (plan, after, state) =>
    state && findHarm(plan, after, { state, figures: await figuresOf.find(state) }, request)
  const findSources = gatherSources({ filterId: request.filter?.id, add: request.add }, contents)
  const reasons = new Map<LoadedPlan, string | undefined>()
  for (const plan of plans) {
    const state = active.get(planKey(plan))
    reasons.set(plan, await judge(plan, await findSources(plan, state), state))
  }
  return { ...siftPlans(plans, (plan) => reasons.get(plan), leftOut), judge }
}

/** The figures of contents, each read once. */
function openFigures(contents: Pick<Contents, 'readContents'>) {
  const figuresOf = new Map<string, ContentFigures | undefined>()
  const learn = async (states: readonly ActiveState[]) => {
    const contentIds = [...new Set(states.map(({ contentId }) => contentId))].filter((id) => !figuresOf.has(id))
    for (const contentId of contentIds) figuresOf.set(contentId, undefined)
    for (const { contentId, figures } of await contents.readContents(contentIds)) figuresOf.set(contentId, figures)
  }
  const find = async (state: ActiveState) => {
    if (!figuresOf.has(state.contentId)) await learn([state])
    return figuresOf.get(state.contentId)
  }
  return { learn, find }
}

/** The active content of a plan. */
interface ActiveContent {
  readonly state: ActiveState
  /** Undefined if the content is no longer stored, with which nothing can be compared. */
  readonly figures: ContentFigures | undefined
}

/** Finds the harm of replacing the active content of a plan. */
function findHarm(
  plan: LoadedPlan,
  after: Pick<Content, 'figures'> & StatedDays,
  { state, figures: before }: ActiveContent,
  request: LoadRequest,
): string | undefined {
  const { add, replace, filter, maxShrink = defaultMaxShrink } = request
  const { lastUpdatedOn, unreadableDay } = after
  const early = { lastUpdatedOn, unreadableDay, files: plan.sources.length }
  const { older, fewer } = findEarlyHarm(early, state, request)
  const isCompared = !add && !replace && state.filterId === filter?.id
  const shrinkage = isCompared ? findShrinkage(before, after.figures, maxShrink) : undefined
  return joinReasons([older, fewer ?? shrinkage])
}

/** Joins reasons for a message. @returns undefined if there is no reason */
export const joinReasons = (reasons: readonly (string | undefined)[]): string | undefined =>
  reasons.filter((reason) => reason !== undefined).join('; ') || undefined

/**
 * Finds the harm of a load that shows before the rates of its files are read.
 *
 * @param after the days that the plan's files state, and their number
 */
export function findEarlyHarm(
  after: StatedDays & { readonly files: number },
  state: ActiveState,
  request: LoadRequest,
): { readonly older: string | undefined; readonly fewer: string | undefined } {
  const { toc, add, replace, filter } = request
  const isCounted = toc === undefined && !add && !replace && state.filterId === filter?.id
  return {
    older: findOlder(state, after, request),
    fewer: isCounted ? findFewerFiles(state, after.files) : undefined,
  }
}

/** The newest day that files state, and one that cannot be read; both are absent if they state none. */
type StatedDays = Pick<Content, 'lastUpdatedOn' | 'unreadableDay'>

/**
 * Finds that a plan's newest file is older than its newest active file, or that a day that one of them states cannot be
 * read, so that nobody knows. Files that state no day are not compared.
 */
function findOlder(state: ActiveState, after: StatedDays, { allowOlder }: LoadRequest): string | undefined {
  const { lastUpdatedOn: before } = state
  if (allowOlder) return undefined
  const isOlder = before !== undefined && after.lastUpdatedOn !== undefined && after.lastUpdatedOn < before
  const isNewer = before !== undefined && after.lastUpdatedOn !== undefined && !isOlder
  if (state.unreadableDay !== undefined && statesDay(after)) return describeUnreadable('it was', state.unreadableDay)
  if (after.unreadableDay !== undefined && statesDay(state) && !isNewer)
    return describeUnreadable('its files were', after.unreadableDay)
  return isOlder
    ? `it was last updated on ${before}, and its files on ${after.lastUpdatedOn}: load newer ones, or use --allow-older if these are right`
    : undefined
}

const statesDay = ({ lastUpdatedOn, unreadableDay }: StatedDays) => (lastUpdatedOn ?? unreadableDay) !== undefined

const describeUnreadable = (subject: string, day: string) =>
  `${subject} last updated on ${JSON.stringify(day)}, which is not a day that can be compared: use --allow-older if the files are not older`

/** The states of the entries whose searches find loaded files, by `feeScheduleKey`. */
export const findActive = (entries: readonly CatalogueEntry[]): ReadonlyMap<string, ActiveState> =>
  new Map(entries.flatMap(({ state, ...name }) => (state.status === 'active' ? [[feeScheduleKey(name), state]] : [])))

/** Only a table of contents can confirm that a plan has fewer files than before. */
function findFewerFiles({ sourceCount }: ActiveState, files: number): string | undefined {
  if (files >= sourceCount) return undefined
  const counts = `it has ${sourceCount} files now and would have ${files}`
  return `${counts}: name all of them, or use --replace (or --add to keep those present)`
}

const figureNames = { rates: 'rates', codes: 'billing codes', npis: 'NPIs' } as const

function findShrinkage(
  before: ContentFigures | undefined,
  after: ContentFigures,
  maxShrink: number,
): string | undefined {
  if (before === undefined) return 'its content is no longer stored, so nothing tells if it would shrink: use --replace'
  for (const figure of ['rates', 'codes', 'npis'] as const) {
    if (before[figure] - after[figure] <= before[figure] * maxShrink) continue
    const counts = [before, after].map((figures) => formatNumber(figures[figure]))
    return `it has ${counts[0]} ${figureNames[figure]} now and would have ${counts[1]}: check its files, then use --replace`
  }
  return undefined
}
