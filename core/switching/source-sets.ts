import { hash } from 'node:crypto'
import { printable } from '../../contract/texts/show-value.ts'
import { PrintableError } from '../../schema/printable-error.ts'
import type { ActiveState } from '../catalogue/catalogue-entry.ts'
import { type Content, type ContentFigures, isOutdated, type JoinFigures, type Source } from '../catalogue/content.ts'
import type { ContentsAdmin } from '../catalogue/ports.ts'
import type { LoadedPlan, PlanChanges } from './plan-changes.ts'

/** Sources that are read together. */
export interface SourceSet
  extends Pick<Content, 'sourcesKey' | 'partial' | 'filterId' | 'figures' | 'lastUpdatedOn' | 'unreadableDay'> {
  readonly sources: readonly Source[]
}

/** An earlier version wrote a source that an addition would keep. */
class SourceOutdated extends PrintableError {
  constructor({ name }: Source) {
    const fault = 'version 0.2 or earlier loaded it: load all files of its plans without --add'
    super(`${printable(name, maxShownName)}: ${fault}`)
  }
}

const maxShownName = 2000

/** Adds up the figures of sources. Codes and NPIs are counted per file and added up. */
export function sumFigures(sources: readonly Source[]): ContentFigures {
  const sum = (figure: 'rates' | 'codes' | 'npis') => sources.reduce((total, source) => total + source[figure], 0)
  return { rates: sum('rates'), codes: sum('codes'), npis: sum('npis'), ...sumJoinFigures(sources) }
}

/** @returns no figures if one of the sources lacks some */
function sumJoinFigures(sources: readonly Source[]): JoinFigures | undefined {
  const sums = { prices: 0, pairs: 0, groupRows: 0 }
  for (const { prices, pairs, groupRows } of sources) {
    if (pairs === undefined || groupRows === undefined) return undefined
    sums.prices += prices
    sums.pairs += pairs
    sums.groupRows += groupRows
  }
  return sums
}

/** The sources of a content that have not been removed. */
export async function readSourcesOf(contentId: string, contents: ContentsAdmin): Promise<readonly Source[]> {
  const refs = await contents.readSourceRefs(contentId)
  return contents.readSources(refs.map(({ sourceId }) => sourceId))
}

/** @throws Error if sources of the content have been removed */
export async function readSourceSet(
  { contentId, sourcesKey }: ActiveState,
  contents: ContentsAdmin,
): Promise<SourceSet> {
  const [summary] = await contents.readContents([contentId])
  const sources = await readSourcesOf(contentId, contents)
  if (summary === undefined || sources.length < summary.sourceCount)
    throw new Error(`content ${contentId} is not whole`)
  const { partial, figures, filterId, lastUpdatedOn, unreadableDay } = summary
  return { sourcesKey, sources, partial, figures, filterId, lastUpdatedOn, unreadableDay }
}

/**
 * Gathers the sources of plans. A table of contents can list thousands of files for thousands of plans, so plans that
 * share a list of sources share the result.
 *
 * @returns a function from a plan and the variant's active state to the plan's sources; with `add` they include the
 *   sources of the active state, except those of files that were loaded again
 */
export function gatherSources({ filterId, add }: Pick<PlanChanges, 'filterId' | 'add'>, contents: ContentsAdmin) {
  const setsOfLists = new Map<readonly Source[], Map<string, Promise<SourceSet>>>()
  const gather = async (sources: readonly Source[], isPartial: boolean, before: ActiveState | undefined) => {
    const loaded = [...new Map(sources.map((source) => [source.sourceId, source])).values()]
    const retained = before === undefined ? [] : await readRetained(before, loaded, contents)
    const all = [...retained, ...loaded].sort((a, b) => (a.sourceId < b.sourceId ? -1 : 1))
    const partial = isPartial || (retained.length > 0 && before?.partial === true)
    const lastUpdatedOn = all
      .flatMap((source) => source.lastUpdatedOn ?? [])
      .sort()
      .at(-1)
    const [unreadableDay] = all.flatMap((source) => source.unreadableDay ?? [])
    const sourcesKey = keyOfSources(all, partial, filterId)
    return { sourcesKey, sources: all, partial, figures: sumFigures(all), filterId, lastUpdatedOn, unreadableDay }
  }
  return ({ sources, partial }: LoadedPlan, active: ActiveState | undefined): Promise<SourceSet> => {
    const before = add === true ? active : undefined
    const key = JSON.stringify([partial, before?.contentId ?? null])
    const sets = setsOfLists.get(sources) ?? new Map<string, Promise<SourceSet>>()
    const set = sets.get(key) ?? gather(sources, partial, before)
    setsOfLists.set(sources, sets.set(key, set))
    return set
  }
}

/** See `EntryContent.sourcesKey`. */
const keyOfSources = (sorted: readonly Source[], partial: boolean, filterId: string | undefined) =>
  hash('sha256', JSON.stringify([partial, filterId ?? null, ...sorted.map(({ sourceId }) => sourceId)])).slice(0, 20)

/** Reads the sources of a content, except those of files that were loaded again. */
async function readRetained({ contentId }: ActiveState, loaded: readonly Source[], contents: ContentsAdmin) {
  const files = new Set(loaded.map(fileOf))
  const retained = (await readSourcesOf(contentId, contents)).filter((source) => !files.has(fileOf(source)))
  const outdated = retained.find(isOutdated)
  if (outdated !== undefined) throw new SourceOutdated(outdated)
  return retained
}

/** Returns the file of a source; for an entry of an archive, the archive. */
const fileOf = ({ identity }: Source) => identity.split('#', 1)[0]
