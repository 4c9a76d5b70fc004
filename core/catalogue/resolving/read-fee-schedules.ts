import type { ManifestBody } from '../../../contract/search-api.ts'
import { at } from '../../../schema/at.ts'
import { type Clock, formatTimestamp } from '../../time.ts'
import { mapAtOnce } from '../../work-at-once.ts'
import type { CatalogueEntry, EntryContent } from '../catalogue-entry.ts'
import type { ContentSummary } from '../content.ts'
import { byKey, type FeeSchedule, feeScheduleKey } from '../fee-schedule.ts'
import { stateOn } from '../history.ts'
import type { Catalogue, Contents } from '../ports.ts'
import { pastDay } from './read-past.ts'

export interface ReadFeeSchedules {
  readonly catalogue: Pick<Catalogue, 'find' | 'listVariants'>
  readonly contents: Pick<Contents, 'readContents'>
  readonly now: Clock
}

type DescribedFeeSchedule = ManifestBody['fee_schedules'][number]

const readsAtOnce = 20

/** Maximum number of plan ids in a manifest, which bounds how many variants are read and the size of the response. */
export const maxPlanIds = 20_000

/**
 * Describes fee schedules as a job read them. Contents and catalogue change after a job: a fact that is no longer known
 * is null.
 *
 * @param request its `asOf` is the day for which a content is compared with the catalogue
 * @param contentIds see `ProcessingJob.contents`; undefined if not chosen yet
 */
export async function describeReadFeeSchedules(
  { catalogue, contents, now }: ReadFeeSchedules,
  feeSchedules: readonly FeeSchedule[],
  contentIds: readonly string[] | undefined,
  request: { readonly asOf?: string } = {},
): Promise<readonly DescribedFeeSchedule[]> {
  if (contentIds === undefined) return []
  if (contentIds.length === 0) return feeSchedules.map((each) => describe(each, undefined, undefined, null))
  const [summaries, entries] = await Promise.all([
    contents.readContents([...new Set(contentIds)]),
    catalogue.find(feeSchedules),
  ])
  const summaryOf = new Map(summaries.map((summary) => [summary.contentId, summary]))
  const entryOf = byKey(entries)
  let remainingIds = maxPlanIds
  const day = pastDay(request, now())
  const descriptions = feeSchedules.map((feeSchedule, index) => {
    const contentId = at(contentIds, index)
    const content = summaryOf.get(contentId)
    const active = findActive(entryOf.get(feeScheduleKey(feeSchedule)))
    const state = active?.contentId === contentId ? active : undefined
    const past = day === undefined ? undefined : stateOn(entryOf.get(feeScheduleKey(feeSchedule)), day, now())
    const isOther = past
      ? past.status !== 'active' || past.contentId !== contentId
      : state === undefined && active?.sourcesKey !== content?.sourcesKey
    const superseded = content === undefined ? state === undefined : isOther
    const fits = state !== undefined && state.planIdCount <= remainingIds
    if (fits) remainingIds -= state.planIdCount
    return { feeSchedule, content, state, superseded, fits }
  })
  return mapAtOnce(descriptions, readsAtOnce, async ({ feeSchedule, content, state, superseded, fits }) => {
    const list = state && fits ? await readPlanIds(catalogue, feeSchedule, state) : undefined
    return describe(feeSchedule, content, state && { count: state.planIdCount, ...(list && { list }) }, superseded)
  })
}

interface PlanIds {
  readonly count: number
  /** Absent if there are too many, or they changed while they were read. */
  readonly list?: readonly string[]
}

function findActive(entry: CatalogueEntry | undefined): EntryContent | undefined {
  return entry?.state.status === 'active' ? entry.state : undefined
}

/**
 * Reads all plan ids of a fee schedule. An entry has its ids only if they are few; otherwise the plan's variants have
 * them.
 *
 * @returns undefined if they changed since the entry was read
 */
async function readPlanIds(
  catalogue: Pick<Catalogue, 'listVariants'>,
  plan: FeeSchedule,
  { planIds, planIdCount: count, sourcesKey }: EntryContent,
): Promise<readonly string[] | undefined> {
  if (planIds.length === count) return planIds
  const variants = await catalogue.listVariants({ payer: plan.payer, plan: plan.plan })
  const list = variants
    .flatMap(({ variantOf, state }) =>
      variantOf === plan.plan && state.status === 'active' && state.sourcesKey === sourcesKey ? state.planIds : [],
    )
    .sort()
  return list.length === count ? list : undefined
}

function describe(
  { payer, plan }: FeeSchedule,
  content: ContentSummary | undefined,
  ids: PlanIds | undefined,
  superseded: boolean | null,
): DescribedFeeSchedule {
  return {
    payer,
    plan,
    loaded_at: content ? formatTimestamp(content.createdAt) : null,
    last_updated_on: content?.lastUpdatedOn ?? null,
    partial: content?.partial ?? null,
    without_descriptions: content ? (content.withoutDescriptions ?? false) : null,
    superseded,
    file_count: content?.sourceCount ?? null,
    plan_id_count: ids?.count ?? null,
    plan_ids: ids?.list ?? null,
  }
}
