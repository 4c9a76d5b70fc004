import type { CatalogueContent, CatalogueEntry } from '../core/catalogue-entry.ts'
import type { FeeSchedule } from '../core/fee-schedule.ts'
import type { CatalogueAdmin, Clock } from '../core/ports.ts'
import { formatTimestamp } from '../core/timestamp.ts'

/** What shall count for a fee schedule from now on. */
export type FeeScheduleContent = FeeSchedule & CatalogueContent

/** What a switch needs. */
export interface SwitchDeps {
  readonly catalogue: CatalogueAdmin
  readonly newVersion: () => string
  readonly now: Clock
}

/** How often a switch is tried when other loads of the same fee schedule come between. */
const mostTries = 5

/**
 * Puts a fee schedule's content in place of whatever counted before, in one conditional write: a search reads all of
 * one load or all of the next. The last load wins; one that comes between is read again, so that its entry is replaced
 * knowingly. What counted before is noted, to roll back to.
 *
 * @param contentOf makes the content from what counts now
 * @returns the new entry, or undefined where other loads came between each time
 */
export async function switchFeeSchedule(
  { payer, plan }: FeeSchedule,
  contentOf: (current: CatalogueEntry | undefined) => CatalogueContent,
  { catalogue, newVersion, now }: SwitchDeps,
): Promise<CatalogueEntry | undefined> {
  for (let tries = 0; tries < mostTries; tries++) {
    const [current] = await catalogue.find([{ payer, plan }])
    const previous = current && { ...contentIn(current), replacedAt: formatTimestamp(now()) }
    const entry = { payer, plan, ...contentOf(current), version: newVersion(), ...(previous && { previous }) }
    if ((await catalogue.replace(entry, current?.version)) === 'written') return entry
  }
  return undefined
}

/** An entry's content alone. */
export function contentIn(entry: CatalogueEntry): CatalogueContent {
  const { payer: _payer, plan: _plan, version: _version, previous: _previous, ...content } = entry
  return content
}

/**
 * The content of a fee schedule after files were added to it: a file of the same name takes the other's place, all
 * others stay.
 */
export function addContent(current: CatalogueContent | undefined, added: CatalogueContent): CatalogueContent {
  if (current === undefined) return added
  const names = new Set(added.files?.map(({ name }) => name))
  const replaced = new Set(current.files?.filter(({ name }) => names.has(name)).map(({ sourceId }) => sourceId))
  const kept = (sourceId: string) => !replaced.has(sourceId)
  const dates = [current.lastUpdatedOn ?? [], added.lastUpdatedOn ?? []].flat().sort()
  const [lastUpdatedOn] = dates.reverse()
  return {
    ...added,
    planIds: [...new Set([...current.planIds, ...added.planIds])].sort(),
    sources: [...current.sources.filter(kept), ...added.sources],
    files: [...(current.files?.filter(({ sourceId }) => kept(sourceId)) ?? []), ...(added.files ?? [])],
    ...(lastUpdatedOn === undefined ? {} : { lastUpdatedOn }),
    partial: current.partial || added.partial,
  }
}

/** Other loads of a fee schedule kept replacing its entry. */
export class SwitchContended extends Error {
  override readonly name = 'SwitchContended'

  constructor({ payer, plan }: FeeSchedule) {
    super(`${payer} / ${plan}: other loads switched this fee schedule ${mostTries} times meanwhile; load it again`)
  }
}
