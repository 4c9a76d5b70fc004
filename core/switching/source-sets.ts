import { hash } from 'node:crypto'
import { PrintableError } from '../../schema/printable-error.ts'
import type { ActiveState } from '../catalogue/catalogue-entry.ts'
import { type Content, type ContentFigures, isOutdated, type Source } from '../catalogue/content.ts'
import type { ContentsAdmin } from '../catalogue/ports.ts'
import { printable } from '../search/show-value.ts'
import type { LoadedPlan, PlanChanges } from './plan-changes.ts'

/** Sources that are read together. */
export interface SourceSet extends Pick<Content, 'sourcesKey' | 'partial' | 'filterId' | 'figures' | 'lastUpdatedOn'> {
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
  const sum = (figure: keyof ContentFigures) => sources.reduce((total, source) => total + source[figure], 0)
  return { rates: sum('rates'), codes: sum('codes'), npis: sum('npis') }
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
  const { partial, figures, filterId, lastUpdatedOn } = summary
  return { sourcesKey, sources, partial, figures, filterId, lastUpdatedOn }
}

/**
 * Gathers the sources of plans. A table of contents can list thousands of files for thousands of plans at once, so plans
 * that share a list of sources share the result.
 *
 * @returns what finds the sources of a plan, given the variant's current state, some of whose sources `add` keeps
 */
export function gatherSources({ filterId, add }: Pick<PlanChanges, 'filterId' | 'add'>, contents: ContentsAdmin) {
  const known = new Map<readonly Source[], Map<string, Promise<SourceSet>>>()
  const gather = async (sources: readonly Source[], isPartial: boolean, before: ActiveState | undefined) => {
    const own = [...new Map(sources.map((source) => [source.sourceId, source])).values()]
    const kept = before === undefined ? [] : await readKept(before, own, contents)
    const all = [...kept, ...own].sort((a, b) => (a.sourceId < b.sourceId ? -1 : 1))
    const partial = isPartial || (kept.length > 0 && before?.partial === true)
    const lastUpdatedOn = all
      .flatMap((source) => source.lastUpdatedOn ?? [])
      .sort()
      .at(-1)
    const sourcesKey = keyOfSources(all, partial, filterId)
    return { sourcesKey, sources: all, partial, figures: sumFigures(all), filterId, lastUpdatedOn }
  }
  return ({ sources, partial }: LoadedPlan, active: ActiveState | undefined): Promise<SourceSet> => {
    const before = add === true ? active : undefined
    const key = JSON.stringify([partial, before?.contentId ?? null])
    const ofList = known.get(sources) ?? new Map<string, Promise<SourceSet>>()
    const found = ofList.get(key) ?? gather(sources, partial, before)
    known.set(sources, ofList.set(key, found))
    return found
  }
}

/** See `EntryContent.sourcesKey`. */
const keyOfSources = (sorted: readonly Source[], partial: boolean, filterId: string | undefined) =>
  hash('sha256', JSON.stringify([partial, filterId ?? null, ...sorted.map(({ sourceId }) => sourceId)])).slice(0, 20)

/** Reads the sources of a content, except those of files that were loaded again. */
async function readKept({ contentId }: ActiveState, own: readonly Source[], contents: ContentsAdmin) {
  const files = new Set(own.map(fileOf))
  const kept = (await readSourcesOf(contentId, contents)).filter((source) => !files.has(fileOf(source)))
  const outdated = kept.find(isOutdated)
  if (outdated !== undefined) throw new SourceOutdated(outdated)
  return kept
}

/** The file of a source: of the entries of an archive, the archive. */
const fileOf = ({ identity }: Source) => identity.split('#', 1)[0]
