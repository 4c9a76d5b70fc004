import type { Content, ContentFigures, Source } from '../../core/catalogue/content.ts'
import type { ContentsAdmin } from '../../core/catalogue/ports.ts'
import { workAtOnce } from '../../core/work-at-once.ts'
import { contentPart, contentTable, sourcePart } from '../../schema/columns/warehouse-tables.ts'
import type { WarehouseFolder } from '../warehouse/warehouse-folder.ts'
import { type ContentName, writeContentRows } from './content-rows.ts'
import { writesAtOnce } from './plan-changes.ts'

/** A content to create: its sources, and the names that will read it. */
export interface ContentDraft {
  readonly contentId: string
  readonly sourcesKey: string
  readonly sources: readonly Source[]
  readonly partial: boolean
  readonly filterId?: string
  readonly figures: ContentFigures
  readonly names: readonly ContentName[]
}

/** Number of contents to publish before registering them together. Source: AWS Glue API, BatchCreatePartition. */
const contentsPerCall = 100

/** Maximum number of contents that are written at the same time; most of the time is spent on uploads. */
const contentsAtOnce = 8

export interface WriteContents {
  readonly warehouse: WarehouseFolder
  readonly contents: ContentsAdmin
}

/**
 * Writes contents to the warehouse, then to the contents table, so that every content in the table can be searched.
 *
 * @param loadId the load or command that creates them
 */
export async function writeContents(
  drafts: readonly ContentDraft[],
  loadId: string,
  createdAt: Date,
  { warehouse, contents }: WriteContents,
): Promise<void> {
  if (drafts.length === 0) return
  // Sources of a killed load may be in the warehouse without being registered.
  const sources = new Map(drafts.flatMap((draft) => draft.sources).map((source) => [source.sourceId, source]))
  await warehouse.register([...sources.values()].map(sourcePart))
  for (let start = 0; start < drafts.length; start += contentsPerCall) {
    const some = drafts.slice(start, start + contentsPerCall)
    await workAtOnce(some, contentsAtOnce, async (draft) => {
      const staged = await warehouse.stage(contentPart(draft.contentId))
      try {
        await writeContentRows(staged.fileOf(contentTable), draft)
        await staged.publish()
      } finally {
        await staged.discard()
      }
    })
    await warehouse.register(some.map(({ contentId }) => contentPart(contentId)))
    await workAtOnce(some, writesAtOnce, (draft) => contents.putContent(describeContent(draft, loadId, createdAt)))
  }
}

function describeContent(draft: ContentDraft, loadId: string, createdAt: Date): Content {
  const { contentId, sourcesKey, sources, figures, partial, filterId } = draft
  const lastUpdatedOn = latestDate(sources)
  return {
    contentId,
    loadId,
    sourcesKey,
    sources: sources.map(({ loadId: writtenBy, sourceId, tableBytes }) => ({
      loadId: writtenBy,
      sourceId,
      ...(tableBytes !== undefined && { bytes: tableBytes }),
    })),
    figures,
    partial,
    ...(filterId !== undefined && { filterId }),
    ...(lastUpdatedOn !== undefined && { lastUpdatedOn }),
    createdAt,
  }
}

/** The newest date of the sources, `YYYY-MM-DD`. */
export function latestDate(sources: readonly Pick<Source, 'lastUpdatedOn'>[]): string | undefined {
  return sources
    .flatMap(({ lastUpdatedOn }) => lastUpdatedOn ?? [])
    .sort()
    .at(-1)
}
