import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { DuckDBInstance, listValue } from '@duckdb/node-api'
import type { Content, ContentFigures, Source } from '../../core/catalogue/content.ts'
import type { FeeSchedule } from '../../core/catalogue/fee-schedule.ts'
import { showPlanIds } from '../../core/catalogue/plan-id.ts'
import type { ContentsAdmin } from '../../core/catalogue/ports.ts'
import { workAtOnce } from '../../core/work-at-once.ts'
import { loadIdColumn, sourceIdColumn } from '../../schema/columns/column.ts'
import type { PublishedColumn } from '../../schema/columns/rates.ts'
import { defineColumn, ownColumnsOf } from '../../schema/columns/rates.ts'
import {
  contentPart,
  contentTable,
  priceIdPrefix,
  priceIdPrefixOf,
  sourcePart,
} from '../../schema/columns/warehouse-tables.ts'
import { sourceColumns } from '../published/in-network-file.ts'
import type { StagedColumns } from '../staging/staged-table.ts'
import { defineColumns, StagedTable } from '../staging/staged-table.ts'
import { stageValues, toDate, toLiteral } from '../staging/staged-value.ts'
import type { StagedPart, WarehouseFolder } from '../warehouse/warehouse-folder.ts'
import { writesAtOnce } from './plan-changes.ts'

/** A content to create: its sources, and the names that will read it. */
export interface ContentDraft {
  readonly contentId: string
  readonly sourcesKey: string
  readonly sources: readonly Source[]
  readonly partial: boolean
  readonly filterId?: string
  readonly figures: ContentFigures
  readonly names: readonly NamedPlan[]
}

/** A name as in its rows. */
export interface NamedPlan extends FeeSchedule {
  /** All of its plan ids, sorted. */
  readonly planIds: readonly string[]
}

/** DuckDB's memory limit; beyond it, sorting a large content spills to disk. */
const memoryLimit = '400MB'

/** Number of contents to publish before registering them together. Source: AWS Glue API, BatchCreatePartition. */
const contentsPerCall = 100

/** Maximum number of contents that are written at the same time; most of the time is spent on uploads. */
const contentsAtOnce = 8

/** The columns whose values come from the name, and those from the source. */
const ofName = ownColumnsOf('name').map((name) => defineColumn(name))
const ofSource = [
  ...ownColumnsOf('source').map((name) => defineColumn(name)),
  [loadIdColumn, 'varchar'] as const,
  [sourceIdColumn, 'varchar'] as const,
  [priceIdPrefix.name, priceIdPrefix.type] as const,
]

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
  await using files = await ContentFiles.open()
  for (let start = 0; start < drafts.length; start += contentsPerCall) {
    const some = drafts.slice(start, start + contentsPerCall)
    await workAtOnce(some, contentsAtOnce, async (draft) => {
      const staged = await warehouse.stage(contentPart(draft.contentId))
      try {
        await files.write(draft, staged)
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
      ...{ loadId: writtenBy, sourceId },
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

/** Writes the files of `fee_schedule_sources`: each name of a content with each of its sources. */
class ContentFiles implements AsyncDisposable {
  readonly #instance: DuckDBInstance
  readonly #spill: string

  private constructor(instance: DuckDBInstance, spill: string) {
    this.#instance = instance
    this.#spill = spill
  }

  static async open(): Promise<ContentFiles> {
    const spill = await mkdtemp(join(tmpdir(), 'contents-'))
    const settings = { memory_limit: memoryLimit, temp_directory: spill }
    return new ContentFiles(await DuckDBInstance.create(':memory:', settings), spill)
  }

  async write({ names, sources }: ContentDraft, staged: StagedPart): Promise<void> {
    const connection = await this.#instance.connect()
    try {
      const nameRows = await createTable(connection, 'names', ofName)
      for (const { payer, plan, planIds } of names) {
        const shown = showPlanIds(planIds)
        const plan_ids = shown.planIds.length === 0 ? null : listValue([...shown.planIds])
        nameRows.add({ payer, plan, plan_ids, plan_id_count: shown.planIdCount })
      }
      nameRows.close()
      const sourceRows = await createTable(connection, 'sources', ofSource, sourceColumns)
      for (const source of sources) {
        const { loadId, sourceId, contentHash, reportingEntityName, lastUpdatedOn, name, published = {} } = source
        const row = {
          reporting_entity_name: reportingEntityName,
          last_updated_on: toDate(lastUpdatedOn),
          source_file: name,
          [loadIdColumn]: loadId,
          [sourceIdColumn]: sourceId,
          [priceIdPrefix.name]: priceIdPrefixOf(contentHash),
        }
        const values = sourceColumns.map((column) => published[column.name])
        sourceRows.add(row, stageValues(sourceColumns, values).values)
      }
      sourceRows.close()
      const columns = contentTable.columns.map(({ name }) => name).join(', ')
      const select = `SELECT ${columns} FROM names CROSS JOIN sources ORDER BY ${contentTable.sortedBy.join(', ')}`
      await connection.run(
        `COPY (${select}) TO ${toLiteral(staged.fileOf(contentTable))} (FORMAT parquet, COMPRESSION zstd)`,
      )
      await connection.run('DROP TABLE names')
      await connection.run('DROP TABLE sources')
    } finally {
      connection.closeSync()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#instance.closeSync()
    await rm(this.#spill, { recursive: true, force: true })
  }
}

async function createTable<Name extends string>(
  connection: DuckDBConnection,
  name: string,
  columns: StagedColumns<Name>,
  published: readonly PublishedColumn[] = [],
): Promise<StagedTable<Name>> {
  await connection.run(`CREATE TEMP TABLE ${name} (${defineColumns(columns, published)})`)
  return new StagedTable(await connection.createAppender(name), columns)
}
