import { isOutdated, type Source } from '../../../core/catalogue/content.ts'
import { feeScheduleKey } from '../../../core/catalogue/fee-schedule.ts'
import { keyOfPlanIds } from '../../../core/catalogue/plan-id.ts'
import type { ContentsAdmin } from '../../../core/catalogue/ports.ts'
import type { Clock } from '../../../core/time.ts'
import type { ContentName } from './content-rows.ts'
import type { ContentDraft, SourceSet } from './write-contents.ts'

/** A draft that still accepts names. */
interface OpenDraft extends Omit<ContentDraft, 'names'> {
  readonly names: Map<string, ContentName>
}

/**
 * The contents that one switch creates: one per set of sources, with all names that will read it. A written content
 * never changes; names added later get another content.
 */
export class ContentDrafts {
  readonly #newId: () => string
  readonly #open = new Map<string, OpenDraft>()
  /** Ids of written contents by source set and name. */
  readonly #written = new Map<string, string>()
  /** Source sets of the written contents. */
  readonly #sources = new Map<string, SourceSet>()

  constructor(newId: () => string) {
    this.#newId = newId
  }

  /** @returns the id of the written or drafted content that has this name and these sources */
  add(of: SourceSet, name: ContentName): string {
    const written = this.find(of.sourcesKey, name)
    if (written !== undefined) return written
    const draft = this.#open.get(of.sourcesKey) ?? { ...of, contentId: this.#newId(), names: new Map() }
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
   * Writes all drafts.
   *
   * @returns the ids of drafts that cannot be written because an earlier version wrote some of their sources, or some
   *   were removed meanwhile
   */
  async write(
    writeAll: (drafts: readonly ContentDraft[]) => Promise<void>,
    { contents, now }: { readonly contents: ContentsAdmin; readonly now: Clock },
  ): Promise<ReadonlySet<string>> {
    const drafts = [...this.#open.values()].map((draft) => ({ ...draft, names: [...draft.names.values()] }))
    this.#open.clear()
    // `clean` now keeps the sources for a day; by then an entry points to the content.
    const used = new Set(drafts.flatMap(({ sources }) => sources.map(idOf)))
    const gone = new Set(await contents.touchSources([...used], now()))
    const isWhole = ({ sources }: ContentDraft) =>
      !sources.some((source) => gone.has(idOf(source)) || isOutdated(source))
    const whole = drafts.filter(isWhole)
    await writeAll(whole)
    for (const { contentId, names, ...of } of whole) {
      this.#sources.set(of.sourcesKey, of)
      for (const name of names) this.#written.set(keyOf(of.sourcesKey, name), contentId)
    }
    return new Set(drafts.filter((draft) => !isWhole(draft)).map(({ contentId }) => contentId))
  }
}

const idOf = ({ sourceId }: Source) => sourceId

const keyOf = (sourcesKey: string, name: ContentName) =>
  JSON.stringify([sourcesKey, name.payer, name.plan, keyOfPlanIds(name.planIds)])
