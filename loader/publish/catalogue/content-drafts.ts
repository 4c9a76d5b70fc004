import { type Content, isOutdated, type Source } from '../../../core/catalogue/content.ts'
import { feeScheduleKey } from '../../../core/catalogue/fee-schedule.ts'
import { keyOfPlanIds } from '../../../core/catalogue/plan-id.ts'
import { workAtOnce } from '../../../core/work-at-once.ts'
import { contentPart, contentTable } from '../../../schema/columns/warehouse-tables.ts'
import { publishPart } from '../warehouse/local-workspace.ts'
import { type ContentName, writeContentRows } from './content-rows.ts'
import type { SwitchDeps } from './plan-changes.ts'

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

/**
 * The contents that one switch creates: one per set of sources, with all names that will read it. A written content
 * never changes; names added later get another content.
 */
export class ContentDrafts {
  readonly #loadId: string
  readonly #deps: SwitchDeps
  readonly #open = new Map<string, Draft>()
  /** Ids of written contents by source set and name. */
  readonly #written = new Map<string, string>()
  /** Source sets of the written contents. */
  readonly #sources = new Map<string, SourceSet>()

  /** @param loadId the load or command that creates them */
  constructor(loadId: string, deps: SwitchDeps) {
    this.#loadId = loadId
    this.#deps = deps
  }

  /** @returns the id of the written or drafted content that has this name and these sources */
  add(of: SourceSet, name: ContentName): string {
    const written = this.find(of.sourcesKey, name)
    if (written !== undefined) return written
    const draft = this.#open.get(of.sourcesKey) ?? { ...of, contentId: this.#deps.newId(), names: new Map() }
    this.#open.set(of.sourcesKey, draft)
    draft.names.set(feeScheduleKey(name), name)
    return draft.contentId
  }

  /** Adds a name to the draft of these sources, if there is one. */
  addName(sourcesKey: string, name: ContentName): void {
    this.#open.get(sourcesKey)?.names.set(feeScheduleKey(name), name)
  }

  /** The written content that has this name with exactly these plan ids. */
  find(sourcesKey: string, name: ContentName): string | undefined {
    return this.#written.get(keyOf(sourcesKey, name))
  }

  /** The source set of a content that this switch has written. */
  sourcesOf(sourcesKey: string): SourceSet | undefined {
    return this.#sources.get(sourcesKey)
  }

  /**
   * Writes all drafts to the warehouse, each then to the contents table, so that every content in the table can be
   * searched.
   *
   * @returns the ids of drafts that cannot be written because an earlier version wrote some of their sources, or some
   *   were removed meanwhile
   */
  async write(): Promise<ReadonlySet<string>> {
    const { contents, now } = this.#deps
    const drafts = [...this.#open.values()]
    this.#open.clear()
    // `clean` now keeps the sources for a day; by then an entry points to the content.
    const used = new Set(drafts.flatMap(({ sources }) => sources.map(idOf)))
    const gone = new Set(await contents.touchSources([...used], now()))
    const isWhole = ({ sources }: Draft) => !sources.some((source) => gone.has(idOf(source)) || isOutdated(source))
    const whole = drafts.filter(isWhole)
    const createdAt = now()
    await workAtOnce(whole, contentsAtOnce, (draft) => this.#publish(draft, createdAt))
    for (const { contentId, names, ...of } of whole) {
      this.#sources.set(of.sourcesKey, of)
      for (const name of names.values()) this.#written.set(keyOf(of.sourcesKey, name), contentId)
    }
    return new Set(drafts.filter((draft) => !isWhole(draft)).map(({ contentId }) => contentId))
  }

  async #publish({ names, sources, ...content }: Draft, createdAt: Date): Promise<void> {
    const { warehouse, contents } = this.#deps
    const { contentId } = content
    await publishPart(warehouse, contentPart(contentId), (workspace) =>
      writeContentRows(workspace.fileOf(contentTable), contentId, [...names.values()], sources),
    )
    await contents.putContent({
      ...content,
      loadId: this.#loadId,
      createdAt,
      sources: sources.map(({ loadId, sourceId, tableBytes, tableFiles }) => ({
        loadId,
        sourceId,
        ...(tableBytes !== undefined && { bytes: tableBytes }),
        ...(tableFiles !== undefined && tableFiles > 1 && { files: tableFiles }),
      })),
      ...(sources.some((source) => source.withoutDescriptions) && { withoutDescriptions: true }),
    })
  }
}

const idOf = ({ sourceId }: Source) => sourceId

const keyOf = (sourcesKey: string, name: ContentName) =>
  JSON.stringify([sourcesKey, name.payer, name.plan, keyOfPlanIds(name.planIds)])
