import type { ContentSummary } from '../../catalogue/content.ts'
import { filtersTable } from '../request-filters.ts'
import type { SearchRequest } from '../search-request.ts'

/** Maximum number of NPIs or TINs by which provider groups count as a small side. */
const maxFewProviders = 100

/**
 * Maximum number of billing codes by which prices count as the small side. Files have tens of thousands of codes, so
 * more than this may well be most of a file's prices.
 */
const maxFewCodes = 200

/**
 * Share of the rows of the other side up to which prices are built if the request decides nothing. A price is wider
 * than a row of provider groups, and the numbers are estimates.
 */
const maxShareOfPrices = 0.5

/** The rows on both sides of the join of a search, before its filters. */
export interface JoinSize {
  /** Pairs of a price and one of its provider groups. Prices are read once, whatever fee schedules have them. */
  readonly pairs: number
  /** Rows of `provider_groups`, once for each fee schedule that reads them. */
  readonly groupRows: number
  /** Mean numbers of distinct billing codes and NPIs of a source. */
  readonly codes: number
  readonly npis: number
}

type SizedContent = Pick<ContentSummary, 'contentId' | 'sourcesKey' | 'figures' | 'sourceCount'>

/**
 * Adds up what the contents of a search record.
 *
 * @param contentIds the content of each fee schedule of the search
 * @returns undefined if an earlier version wrote one of their sources
 */
export function sumJoinSize(contents: readonly SizedContent[], contentIds: readonly string[]): JoinSize | undefined {
  const readings = Map.groupBy(contentIds, (contentId) => contentId)
  const countedSets = new Set<string>()
  const sums = { pairs: 0, groupRows: 0, codes: 0, npis: 0, sources: 0 }
  for (const { contentId, sourcesKey, figures, sourceCount } of contents) {
    const { pairs, groupRows, codes, npis } = figures
    if (pairs === undefined || groupRows === undefined) return undefined
    sums.groupRows += groupRows * (readings.get(contentId) ?? []).length
    if (countedSets.has(sourcesKey)) continue
    countedSets.add(sourcesKey)
    sums.pairs += pairs
    sums.codes += codes
    sums.npis += npis
    sums.sources += sourceCount
  }
  const { sources, codes, npis, ...rows } = sums
  return sources === 0 ? undefined : { ...rows, codes: codes / sources, npis: npis / sources }
}

/**
 * Returns true if prices are built in memory, and false if provider groups are. A request that makes one side small
 * decides by itself. If it makes both or neither small, the side with fewer rows is built, as far as they are known.
 */
export function arePricesBuilt(request: SearchRequest, size: JoinSize | undefined): boolean {
  const hasFewCodes = areFewCodes(request)
  if (hasFewCodes !== areFewProviders(request)) return hasFewCodes
  const groupRows = size && estimateGroupRows(request, size)
  if (size === undefined || groupRows === undefined) return false
  return estimatePairs(request, size) <= maxShareOfPrices * groupRows
}

export const areFewCodes = ({ billingCodes }: Pick<SearchRequest, 'billingCodes'>): boolean =>
  billingCodes !== undefined && billingCodes.length <= maxFewCodes

/** True if the request names so few providers that the keys of their groups can be compared with every price. */
export function areFewProviders({ npis, tins }: Pick<SearchRequest, 'npis' | 'tins'>): boolean {
  const shortest = Math.min(npis?.length ?? Number.POSITIVE_INFINITY, tins?.length ?? Number.POSITIVE_INFINITY)
  return shortest <= maxFewProviders
}

const estimatePairs = ({ billingCodes }: SearchRequest, { pairs, codes }: JoinSize) =>
  pairs * shareOf(billingCodes?.length, codes)

/** @returns undefined if the request names providers otherwise than by NPI: their share of the rows is unknown */
function estimateGroupRows({ npis, ...request }: SearchRequest, size: JoinSize): number | undefined {
  if (filtersTable(request, 'provider_groups', 'providers')) return undefined
  return size.groupRows * shareOf(npis?.length, size.npis)
}

/** Returns the share of a source's values that a list of a request names at most; a source has at least one. */
const shareOf = (listLength: number | undefined, values: number) =>
  listLength === undefined ? 1 : Math.min(1, listLength / Math.max(1, values))
