import { type Content, isOutdated, type Source } from '../catalogue/content.ts'
import { feeScheduleKey } from '../catalogue/fee-schedule.ts'
import { keyOfPlanIds } from '../catalogue/plan-id.ts'
import { workAtOnce } from '../work-at-once.ts'
import type { SwitchDeps } from './plan-changes.ts'
import type { ContentName } from './ports.ts'

/** Sources that are read together. */
export interface SourceSet extends Pick<Content, 'sourcesKey' | 'partial' | 'filterId' | 'figures' | 'lastUpdatedOn'> {
  readonly sources: readonly Source[]
}

/** A content to create: its sources, and the names that will read it, by `feeScheduleKey`. */
interface Draft extends SourceSet {
  readonly contentId: string
  readonly names: Map<string, ContentName>
}

/** Maximum number of contents that are written at the same time; most of the time is spent on uploads. */
const contentsAtOnce = 8

export type ContentDrafts = ReturnType<typeof openDrafts>

/**
 * The contents that one switch creates: one per set of sources, with all names that will read it. A written content
 * never changes; names added later get another content.
 *
 * @param loadId the load or command that creates them
 */
export function openDrafts(loadId: string, { warehouse, contents, newId, now }: SwitchDeps) {
  const open = new Map<string, Draft>()
  /** Ids of written contents by source set and name. */
  const written = new Map<string, string>()
  /** By their key, what was written or read. */
  const sets = new Map<string, SourceSet>()

  /** The written content that has this name with exactly these plan ids. */
  const find = (sourcesKey: string, name: ContentName) => written.get(keyOf(sourcesKey, name))

  async function publish({ names, sources, ...content }: Draft, createdAt: Date): Promise<void> {
    const { contentId } = content
    await warehouse.writeContent(contentId, [...names.values()], sources)
    await contents.putContent({
      ...content,
      loadId,
      createdAt,
      sources: sources.map((source) => {
        return { loadId: source.loadId, sourceId: source.sourceId, bytes: source.tableBytes, files: source.tableFiles }
      }),
      withoutDescriptions: sources.some((source) => source.withoutDescriptions) || undefined,
    })
  }

  return {
    find,

    /** @returns the id of the written or drafted content that has this name and these sources */
    add(of: SourceSet, name: ContentName): string {
      const known = find(of.sourcesKey, name)
      if (known !== undefined) return known
      const draft = open.get(of.sourcesKey) ?? { ...of, contentId: newId(), names: new Map() }
      open.set(of.sourcesKey, draft)
      draft.names.set(feeScheduleKey(name), name)
      return draft.contentId
    },

    /** Adds a name to the draft of these sources, if there is one. */
    addName: (sourcesKey: string, name: ContentName) => open.get(sourcesKey)?.names.set(feeScheduleKey(name), name),

    /** The source set of a key, which is read only once: after an interrupted switch, thousands of names may need it. */
    async sourcesOf(sourcesKey: string, read: () => Promise<SourceSet>): Promise<SourceSet> {
      const set = sets.get(sourcesKey) ?? (await read())
      sets.set(sourcesKey, set)
      return set
    },

    /**
     * Writes all drafts to the warehouse, each then to the contents table, so that every content in the table can be
     * searched.
     *
     * @returns the ids of drafts that cannot be written because an earlier version wrote some of their sources, or some
     *   were removed meanwhile
     */
    async write(): Promise<ReadonlySet<string>> {
      const drafts = [...open.values()]
      open.clear()
      // `clean` now keeps the sources for a day; by then an entry points to the content.
      const used = new Set(drafts.flatMap(({ sources }) => sources.map(idOf)))
      const gone = new Set(await contents.touchSources([...used], now()))
      const isWhole = ({ sources }: Draft) => !sources.some((source) => gone.has(idOf(source)) || isOutdated(source))
      const whole = drafts.filter(isWhole)
      const createdAt = now()
      await workAtOnce(whole, contentsAtOnce, (draft) => publish(draft, createdAt))
      for (const { contentId, names, ...of } of whole) {
        sets.set(of.sourcesKey, of)
        for (const name of names.values()) written.set(keyOf(of.sourcesKey, name), contentId)
      }
      return new Set(drafts.filter((draft) => !isWhole(draft)).map(({ contentId }) => contentId))
    },
  }
}

const idOf = ({ sourceId }: Source) => sourceId

const keyOf = (sourcesKey: string, name: ContentName) =>
  JSON.stringify([sourcesKey, name.payer, name.plan, keyOfPlanIds(name.planIds)])
