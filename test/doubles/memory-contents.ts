import type { Content, ContentSummary, Source } from '../../core/catalogue/content.ts'
import { identifyBytes } from '../../core/catalogue/content.ts'
import type { LoadFilter } from '../../core/catalogue/load-filter.ts'
import type { ContentsAdmin } from '../../core/catalogue/ports.ts'
import type { NppesMonths } from '../../core/nppes/nppes-months.ts'

type StoredContent = Content & Pick<ContentSummary, 'retiredAt' | 'isOutdated'>

export interface MemoryContents extends ContentsAdmin {
  readonly contents: Map<string, StoredContent>
  readonly sources: Map<string, Source & { readonly touchedAt: Date }>
}

/** Contents in memory. */
export function createMemoryContents(): MemoryContents {
  const contents: MemoryContents['contents'] = new Map()
  const sources: MemoryContents['sources'] = new Map()
  const latest = new Map<string, string>()
  const filters = new Map<string, LoadFilter>()
  let versions = 0
  let months: NppesMonths | undefined
  const present = <Value>(value: Value | undefined): readonly Value[] => (value === undefined ? [] : [value])
  const plainSource = ({ touchedAt: _, ...source }: Source & { readonly touchedAt: Date }): Source => source

  return {
    contents,
    sources,
    readContents: async (ids) => ids.flatMap((id) => present(contents.get(id)).map(summarise)),
    readSourceRefs: async (id) =>
      (contents.get(id)?.sources ?? []).toSorted((a, b) => (a.sourceId < b.sourceId ? -1 : 1)),
    readFilter: async (id) => filters.get(id),
    putContent: async (content) => void contents.set(content.contentId, content),
    retireContent: async (id, retiredAt) => {
      const content = contents.get(id)
      if (content === undefined) return 'superseded'
      contents.set(id, { ...content, retiredAt })
      return 'written'
    },
    removeContent: async (id, before) => {
      const content = contents.get(id)
      if (content !== undefined && (content.retiredAt ?? content.createdAt) >= before) return 'superseded'
      contents.delete(id)
      return 'written'
    },
    listContents: async function* () {
      for (const content of contents.values()) yield summarise(content)
    },
    putSources: async (given, touchedAt) => {
      for (const source of given) {
        sources.set(source.sourceId, { ...source, touchedAt })
        latest.set(source.identity, source.sourceId)
        if (source.etag !== undefined) latest.set(identifyBytes(source.etag), source.sourceId)
      }
    },
    readSources: async (ids) => ids.flatMap((id) => present(sources.get(id)).map(plainSource)),
    findSources: async (identities) =>
      [...new Set(identities)].flatMap((identity) => present(sources.get(latest.get(identity) ?? '')).map(plainSource)),
    touchSources: async (ids, touchedAt) =>
      ids.filter((id) => {
        const source = sources.get(id)
        if (source !== undefined) sources.set(id, { ...source, touchedAt })
        return source === undefined
      }),
    removeSource: async (id, before) => {
      const source = sources.get(id)
      if (source !== undefined && source.touchedAt >= before) return 'superseded'
      sources.delete(id)
      return 'written'
    },
    listSources: async function* () {
      for (const { loadId, sourceId, touchedAt } of sources.values()) yield { loadId, sourceId, touchedAt }
    },
    putFilter: async (filter) => void filters.set(filter.id, filter),
    nextVersion: async () => ++versions,
    readNppesMonths: async () => months,
    replaceNppesMonths: async (given, replacedVersion) => {
      if (months?.version !== replacedVersion) return 'superseded'
      months = given
      return 'written'
    },
  }
}

function summarise({ sources, ...content }: StoredContent): ContentSummary {
  const loadIds = [...new Set(sources.map(({ loadId }) => loadId))].sort()
  return { ...content, loadIds, sourceCount: sources.length }
}

/** Leaves all contents and sources as version 0.2 wrote them. */
export function outdate({ contents, sources }: MemoryContents): void {
  for (const [id, content] of contents) contents.set(id, { ...content, isOutdated: true })
  for (const [id, { tableFiles: _, ...source }] of sources) sources.set(id, { ...source, loaderVersion: '5' })
}
