import { feeScheduleKey } from '../../core/catalogue/fee-schedule.ts'
import type { SearchRequest } from '../../core/search/search-request.ts'
import type { ContentScope } from '../../core/search/select-loaded-rates.ts'
import type { TrinoUnderTest } from './setup.ts'

/**
 * Resolves a request's fee schedules as the service would; those that are not loaded get a content that does not exist.
 *
 * @param location of the tables in the statement's addresses
 */
export function scopeOnTrino(
  trino: TrinoUnderTest,
  { feeSchedules, providers }: SearchRequest,
  location = trino.location,
) {
  const contents = feeSchedules.map((pair) => trino.contents[feeScheduleKey(pair)])
  const allSources = contents.flatMap((content) => content?.sources ?? [])
  const sources = new Map(allSources.map((source) => [source.sourceId, source]))
  return {
    contents: contents.map((content, index) => content?.contentId ?? `absent${index}`),
    files: { location, sources: [...sources.values()] },
    ...(providers && { nppesMonthId: trino.nppesMonthId }),
  } satisfies ContentScope
}
