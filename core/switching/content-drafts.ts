import { makePrefixedId } from '../../schema/columns/prefixed-id.ts'
import type { ActiveState, CatalogueEntry } from '../catalogue/catalogue-entry.ts'
import { isOutdated, type Source } from '../catalogue/content.ts'
import { feeScheduleKey } from '../catalogue/fee-schedule.ts'
import { keyOfPlanIds } from '../catalogue/plan-id.ts'
import { workAtOnce } from '../work-at-once.ts'
import type { SwitchDeps } from './plan-changes.ts'
import type { ContentName } from './ports.ts'
import { readSourceSet, type SourceSet } from './source-sets.ts'

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
  /** Number of contents that were drafted. Plans come in the order in which they are listed. */
  let drafted = 0
  /** Ids of written contents by source set and name. */
  const written = new Map<string, string>()
  /** Source sets that were written or read, by `sourcesKey`. */
  const sets = new Map<string, SourceSet>()

  /** Finds the written content that has this name with exactly these plan ids. */
  const find = (sourcesKey: string, name: ContentName) => written.get(keyOf(sourcesKey, name))

  function newDraft(set: SourceSet): Draft {
    return { ...set, contentId: makePrefixedId({ loadId, position: drafted++ }, newId()), names: new Map() }
  }

  async function publish({ names, sources, ...content }: Draft, createdAt: Date): Promise<void> {
    const { contentId } = content
    const tableBytes = await warehouse.writeContent(contentId, [...names.values()], sources)
    await contents.putContent({
      ...content,
      tableBytes,
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
    add(set: SourceSet, name: ContentName): string {
      const contentId = find(set.sourcesKey, name)
      if (contentId !== undefined) return contentId
      const draft = open.get(set.sourcesKey) ?? newDraft(set)
      open.set(set.sourcesKey, draft)
      draft.names.set(feeScheduleKey(name), name)
      return draft.contentId
    },

    /** Adds a name to the draft of these sources, if there is one. */
    addName: (sourcesKey: string, name: ContentName) => open.get(sourcesKey)?.names.set(feeScheduleKey(name), name),

    /**
     * Returns the sources of an entry's content. They are read only once, because after an interrupted switch thousands
     * of names may need them.
     */
    async sourcesOf(state: ActiveState): Promise<SourceSet> {
      const set = sets.get(state.sourcesKey) ?? (await readSourceSet(state, contents))
      sets.set(state.sourcesKey, set)
      return set
    },

    /**
     * Writes all drafts to the warehouse, each then to the contents table, so that every content in the table can be
     * searched.
     *
     * @param targets the new states of entries
     * @returns the targets that can be written, and the lost ones: an earlier version wrote their sources, or some of
     *   their sources were removed meanwhile
     */
    async write<Target extends Pick<CatalogueEntry, 'state'>>(targets: readonly Target[]) {
      const drafts = [...open.values()]
      open.clear()
      // `clean` now keeps the sources for a day; by then an entry points to the content.
      const used = new Set(drafts.flatMap(({ sources }) => sources.map(idOf)))
      const removed = new Set(await contents.touchSources([...used], now()))
      const isWhole = ({ sources }: Draft) => !sources.some((source) => removed.has(idOf(source)) || isOutdated(source))
      const whole = drafts.filter(isWhole)
      const createdAt = now()
      await workAtOnce(whole, contentsAtOnce, (draft) => publish(draft, createdAt))
      for (const { contentId, names, ...set } of whole) {
        sets.set(set.sourcesKey, set)
        for (const name of names.values()) written.set(keyOf(set.sourcesKey, name), contentId)
      }
      const lost = new Set(drafts.filter((draft) => !isWhole(draft)).map(({ contentId }) => contentId))
      const isLost = ({ state }: Target) => state.status === 'active' && lost.has(state.contentId)
      return { usable: targets.filter((target) => !isLost(target)), lost: targets.filter(isLost) }
    },
  }
}

const idOf = ({ sourceId }: Source) => sourceId

const keyOf = (sourcesKey: string, name: ContentName) =>
  JSON.stringify([sourcesKey, name.payer, name.plan, keyOfPlanIds(name.planIds)])
