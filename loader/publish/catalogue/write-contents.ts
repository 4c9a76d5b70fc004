import type { Content, Source } from '../../../core/catalogue/content.ts'
import { workAtOnce } from '../../../core/work-at-once.ts'
import { contentPart, contentTable } from '../../../schema/columns/warehouse-tables.ts'
import { nameFullDisk } from '../warehouse/local-workspace.ts'
import { type ContentName, writeContentRows } from './content-rows.ts'
import type { SwitchDeps } from './plan-changes.ts'

/** Sources that are read together. */
export interface SourceSet extends Pick<Content, 'sourcesKey' | 'partial' | 'filterId' | 'figures' | 'lastUpdatedOn'> {
  readonly sources: readonly Source[]
}

/** A content to create: its sources, and the names that will read it. */
export interface ContentDraft extends SourceSet {
  readonly contentId: string
  readonly names: readonly ContentName[]
}

/** Maximum number of contents that are written at the same time; most of the time is spent on uploads. */
const contentsAtOnce = 8

/**
 * Writes contents to the warehouse, then to the contents table, so that every content in the table can be searched.
 *
 * @param loadId the load or command that creates them
 */
export async function writeContents(
  drafts: readonly ContentDraft[],
  loadId: string,
  createdAt: Date,
  { warehouse, contents }: Pick<SwitchDeps, 'warehouse' | 'contents'>,
): Promise<void> {
  if (drafts.length === 0) return
  await workAtOnce(drafts, contentsAtOnce, async (draft) => {
    const workspace = await warehouse.openWorkspace(contentPart(draft.contentId))
    try {
      await writeContentRows(workspace.fileOf(contentTable), draft)
      await workspace.publish()
    } catch (error) {
      throw nameFullDisk(error, workspace)
    } finally {
      await workspace.discard()
    }
    await contents.putContent(describeContent(draft, loadId, createdAt))
  })
}

function describeContent(draft: ContentDraft, loadId: string, createdAt: Date): Content {
  const { names: _, sources, ...content } = draft
  return {
    ...content,
    loadId,
    createdAt,
    sources: sources.map(({ loadId: writtenBy, sourceId, tableBytes, tableFiles }) => ({
      loadId: writtenBy,
      sourceId,
      ...(tableBytes !== undefined && { bytes: tableBytes }),
      ...(tableFiles !== undefined && tableFiles > 1 && { files: tableFiles }),
    })),
    ...(sources.some((source) => source.withoutDescriptions) && { withoutDescriptions: true }),
  }
}
