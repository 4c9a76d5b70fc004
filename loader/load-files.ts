import type { CatalogueEntry } from '../core/catalogue-entry.ts'
import type { FeeSchedule } from '../core/fee-schedule.ts'
import { feeScheduleKey } from '../core/fee-schedule.ts'
import type { CatalogueAdmin, Clock } from '../core/ports.ts'
import { formatTimestamp } from '../core/timestamp.ts'
import { gatherContents, refuseFewerFiles, refuseOtherSpellings } from './fee-schedule-content.ts'
import type { FileFinder } from './file-finder.ts'
import { openFileFinder } from './file-finder.ts'
import type { FilesToLoad } from './files-to-load.ts'
import { findListedFiles } from './files-to-load.ts'
import type { LoadFilter } from './load-filter.ts'
import { LoadRefused } from './load-refused.ts'
import type { LoadReport } from './load-report.ts'
import type { FileProgress, GivenNames, StagedFile } from './stage-file.ts'
import { stageFile } from './stage-file.ts'
import type { FeeScheduleContent } from './switch-catalogue.ts'
import { addContent, SwitchContended, switchFeeSchedule } from './switch-catalogue.ts'
import { readTableOfContents } from './table-of-contents.ts'
import type { StagedSource, WarehouseFolder } from './warehouse-folder.ts'

export interface LoadRequest extends GivenNames {
  /** Local paths of in-network files; together they become the content of the fee schedules that they name. */
  readonly files: readonly string[]
  /** A table of contents: it says which plans there are and which files they consist of. */
  readonly toc?: string | undefined
  /** A JSON file that says which local file an address in these files means. */
  readonly fileMap?: string | undefined
  /** Whether files that are listed may be missing; the fee schedules are marked so. */
  readonly partial?: boolean | undefined
  /** Whether the files that count now stay, but for those of the same name. */
  readonly add?: boolean | undefined
  /** Whether a fee schedule may come to have fewer files than it has now. */
  readonly replace?: boolean | undefined
  /** The largest share of a file's prices that may be skipped; 0.01 where absent. */
  readonly maxSkipped?: number | undefined
  /** Whether the first value that would be skipped refuses its file. */
  readonly strict?: boolean | undefined
  /** Which rates of the files are kept; all if absent. */
  readonly filter?: LoadFilter | undefined
}

export interface LoadDeps {
  readonly warehouse: WarehouseFolder
  readonly catalogue: CatalogueAdmin
  /** Makes a new opaque id, of lower-case letters and digits: a source's, and an entry's version. */
  readonly newSourceId: () => string
  readonly now: Clock
  readonly onProgress?: (progress: LoadProgress) => void
  /** Ends the load; the former state stays. */
  readonly signal?: AbortSignal
}

/** Which file of how many; `index` from 1 to `of`. */
interface FileOfLoad {
  readonly file: string
  readonly index: number
  readonly of: number
}

export type LoadProgress =
  | ({ readonly step: 'reading' | 'written' } & FileOfLoad)
  | ({ readonly step: 'read' } & FileOfLoad & FileProgress)
  | { readonly step: 'switched'; readonly feeSchedule: FeeSchedule }

/** The share of a file's prices that may be skipped unless told otherwise. */
export const defaultMaxSkipped = 0.01

/**
 * Loads in-network files: all are read, checked and written before the first catalogue entry is switched, so that a
 * search never reads half a load. The names default to `issuer_name` (else `reporting_entity_name`) and `plan_name`.
 *
 * @throws LoadRefused where a file cannot be loaded; then nothing is switched and nothing written stays
 * @throws SwitchContended where other loads kept switching one of the fee schedules. Those before it, in the order in
 *   which the files name them, are switched; where it is the first, nothing written stays
 */
export async function loadFiles(request: LoadRequest, deps: LoadDeps): Promise<LoadReport> {
  const startedAt = deps.now()
  const locate = await openFileFinder(request.files, request.fileMap)
  const toLoad = await findFiles(request, locate)
  const { files, contents } = await writeFiles(request, toLoad, locate, deps)
  const switched: CatalogueEntry[] = []
  for (const content of contents) {
    const contentOf = (current: CatalogueEntry | undefined) => (request.add ? addContent(current, content) : content)
    const entry = await switchFeeSchedule(content, contentOf, { ...deps, newVersion: deps.newSourceId })
    if (entry === undefined) {
      if (switched.length === 0) await Promise.all(files.map(({ report }) => deps.warehouse.remove(report.sourceId)))
      throw new SwitchContended(content)
    }
    switched.push(entry)
    await deps.warehouse.retire(entry.previous?.sources.filter((source) => !entry.sources.includes(source)) ?? [])
    deps.onProgress?.({ step: 'switched', feeSchedule: { payer: content.payer, plan: content.plan } })
  }
  const reports = files.map(({ report }) => report)
  return { startedAt, endedAt: deps.now(), files: reports, switched, untouched: toLoad.untouched }
}

async function findFiles(request: LoadRequest, locate: FileFinder): Promise<FilesToLoad> {
  const partial = request.partial ?? false
  if (request.toc === undefined) {
    return { files: request.files.map((path) => ({ path })), partial: new Set(), untouched: [] }
  }
  const listed = await readTableOfContents(request.toc, request)
  return findListedFiles(request.toc, listed, request.files, locate, partial)
}

interface WrittenFiles {
  readonly files: readonly StagedFile[]
  readonly contents: readonly FeeScheduleContent[]
}

/** Writes all files into the warehouse, or none. */
async function writeFiles(
  request: LoadRequest,
  toLoad: FilesToLoad,
  locate: FileFinder,
  deps: LoadDeps,
): Promise<WrittenFiles> {
  await using staging = new AsyncDisposableStack()
  const files: StagedFile[] = []
  const sources: { readonly sourceId: string; readonly staged: StagedSource }[] = []
  const pathOfContent = new Map<string, string>()
  for (const [position, { path, plans }] of toLoad.files.entries()) {
    const progress = { file: path, index: position + 1, of: toLoad.files.length }
    deps.onProgress?.({ step: 'reading', ...progress })
    const sourceId = deps.newSourceId()
    const staged = await deps.warehouse.stage(sourceId)
    staging.defer(() => staged.discard())
    const file = await stageFile(path, sourceId, staged, {
      plans,
      names: { payer: request.payer, plan: request.plan },
      locate,
      partial: request.partial ?? false,
      maxSkipped: request.maxSkipped ?? defaultMaxSkipped,
      strict: request.strict ?? false,
      filter: request.filter,
      signal: deps.signal,
      onProgress: (reading) => deps.onProgress?.({ step: 'read', ...progress, ...reading }),
    })
    refuseRepetition(path, file.contentHash, pathOfContent)
    files.push(file)
    sources.push({ sourceId, staged })
    deps.onProgress?.({ step: 'written', ...progress })
  }
  // Without a table of contents nobody but the operator knows whether files are missing.
  const isPartial = (feeSchedule: FeeSchedule) =>
    request.toc === undefined ? request.partial === true : toLoad.partial.has(feeScheduleKey(feeSchedule))
  const contents = gatherContents(files, isPartial, formatTimestamp(deps.now()))
  await refuseOtherSpellings(contents, request, deps.catalogue)
  if (!request.add && !request.replace) await refuseFewerFiles(contents, deps.catalogue)
  deps.signal?.throwIfAborted()
  await using unpublishing = new AsyncDisposableStack()
  for (const { sourceId, staged } of sources) {
    unpublishing.defer(() => deps.warehouse.remove(sourceId))
    await staged.publish()
  }
  unpublishing.move()
  return { files, contents }
}

/** A file given twice would make every one of its rates count twice. */
function refuseRepetition(path: string, contentHash: string, pathOfContent: Map<string, string>): void {
  const before = pathOfContent.get(contentHash)
  if (before !== undefined) throw new LoadRefused(path, `has the same content as ${before}: name only one of them`)
  pathOfContent.set(contentHash, path)
}
