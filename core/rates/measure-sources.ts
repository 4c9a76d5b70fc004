import type { Contents } from '../catalogue/ports.ts'
import type { Searchable } from '../catalogue/resolving/read-past.ts'
import { measureJoinedBytes } from '../search/join/provider-join.ts'
import type { SearchRequest } from '../search/search-request.ts'
import { readsProviders } from '../search/summary/summary-inputs.ts'
import { mapAtOnce } from '../work-at-once.ts'
import { type RatesEstimate, unknownSize } from './rates.ts'

/** Maximum number of sources that are counted, so that an estimate fits into a function's memory. */
const maxCounted = 100_000

const contentsAtOnce = 20

/**
 * Counts each source once, even if several fee schedules read it, and the NPPES month. The bytes include the file of
 * each content, which says which fee schedules read which sources; they are null unless all of them are known. Both are
 * null if there may be too many sources to count.
 */
export async function measureSources(
  contents: Pick<Contents, 'readSourceRefs' | 'readContents' | 'readNppesMonths'>,
  request: SearchRequest,
  active: readonly Searchable[],
): Promise<RatesEstimate['size']> {
  const counts = new Map(active.map(({ state }) => [state.contentId, state.sourceCount]))
  if (counts.values().reduce((sum, count) => sum + count, 0) > maxCounted) return unknownSize
  const refs = await mapAtOnce([...counts.keys()], contentsAtOnce, (contentId) => contents.readSourceRefs(contentId))
  const sizes = new Map(refs.flat().map(({ sourceId, bytes }) => [sourceId, bytes] as const))
  const summaries = await contents.readContents([...counts.keys()])
  const { active: nppesMonth } = (readsProviders(request) && (await contents.readNppesMonths())) || {}
  const bytes = sumIfComplete([
    ...sizes.values(),
    ...summaries.map(({ tableBytes }) => tableBytes),
    ...(nppesMonth === undefined ? [] : [measureJoinedBytes(request, nppesMonth)]),
  ])
  return { files: sizes.size + (nppesMonth === undefined ? 0 : 1), bytes }
}

/** @returns null if one of the sizes is unknown */
function sumIfComplete(sizes: readonly (number | undefined)[]): number | null {
  let sum = 0
  for (const size of sizes) {
    if (size === undefined) return null
    sum += size
  }
  return sum
}
