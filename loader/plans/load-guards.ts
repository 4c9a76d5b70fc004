import type { ActiveState, CatalogueEntry } from '../../core/catalogue/catalogue-entry.ts'
import type { ContentFigures } from '../../core/catalogue/content.ts'
import { feeScheduleKey } from '../../core/catalogue/fee-schedule.ts'
import type { Catalogue, Contents } from '../../core/catalogue/ports.ts'
import { oncePer } from '../../core/once-per.ts'
import type { LoadedPlan } from '../../core/switching/plan-changes.ts'
import { sumFigures } from '../../core/switching/source-sets.ts'
import type { LoadRequest } from '../publish/load-request.ts'
import { planKey, type SiftedPlans, siftPlans, variantOf } from './plan-names.ts'

/** Default maximum share of its rates, codes or NPIs that a fee schedule may lose in a load. */
export const defaultMaxShrink = 0.5

/**
 * Compares plans with their active content, because a month that was published empty or half downloaded must not
 * replace the previous one unnoticed.
 */
export async function judgePlans(
  { plans, leftOut }: SiftedPlans<LoadedPlan>,
  request: LoadRequest,
  deps: { readonly catalogue: Catalogue; readonly contents: Contents },
): Promise<SiftedPlans<LoadedPlan>> {
  const active = findActive(await deps.catalogue.find(plans.map(variantOf)))
  const contentIds = new Set([...active.values()].map(({ contentId }) => contentId))
  const contents = await deps.contents.readContents([...contentIds])
  const figuresOf = new Map(contents.map(({ contentId, figures }) => [contentId, figures]))
  const figuresAfter = oncePer(sumFigures)
  const findReason = (plan: LoadedPlan) => {
    const state = active.get(planKey(plan))
    const before = state && figuresOf.get(state.contentId)
    return findHarm(plan, figuresAfter(plan.sources), state, before, request)
  }
  return siftPlans(plans, findReason, leftOut)
}

function findHarm(
  plan: LoadedPlan,
  after: ContentFigures,
  state: ActiveState | undefined,
  before: ContentFigures | undefined,
  { toc, add, replace, filter, maxShrink = defaultMaxShrink }: LoadRequest,
): string | undefined {
  if (after.rates === 0) return 'its files have no rates'
  if (state === undefined || add || replace || state.filterId !== filter?.id) return undefined
  const fewer = toc === undefined ? findFewerFiles(state, plan) : undefined
  return fewer ?? (before && findShrinkage(before, after, maxShrink))
}

/** The states of the entries whose searches find loaded files, by `feeScheduleKey`. */
export const findActive = (entries: readonly CatalogueEntry[]): ReadonlyMap<string, ActiveState> =>
  new Map(entries.flatMap(({ state, ...name }) => (state.status === 'active' ? [[feeScheduleKey(name), state]] : [])))

/** Only a table of contents can confirm that a plan has fewer files than before. */
function findFewerFiles({ sourceCount }: ActiveState, { sources }: LoadedPlan): string | undefined {
  if (sources.length >= sourceCount) return undefined
  const counts = `it has ${sourceCount} files now and would have ${sources.length}`
  return `${counts}: name all of them, or use --replace (or --add to keep those present)`
}

const figureNames = { rates: 'rates', codes: 'billing codes', npis: 'NPIs' } as const

function findShrinkage(before: ContentFigures, after: ContentFigures, maxShrink: number): string | undefined {
  for (const figure of ['rates', 'codes', 'npis'] as const) {
    if (before[figure] - after[figure] <= before[figure] * maxShrink) continue
    const counts = [before, after].map((figures) => numberFormat.format(figures[figure]))
    return `it has ${counts[0]} ${figureNames[figure]} now and would have ${counts[1]}: check its files, then use --replace`
  }
  return undefined
}

const numberFormat = new Intl.NumberFormat('en')
