import type { FeeSchedule } from '../core/fee-schedule.ts'
import { feeScheduleKey } from '../core/fee-schedule.ts'
import type { LoadFilter } from '../core/load-filter.ts'
import type { CatalogueAdmin, Clock, ContentsAdmin } from '../core/ports.ts'
import { sourcePart } from '../core/warehouse.ts'
import { describeSource, gatherPlans, refuseFewerFiles, refuseOtherSpellings } from './fee-schedule-content.ts'
import { FileFinder } from './file-finder.ts'
import type { FilesToLoad } from './files-to-load.ts'
import { findListedFiles } from './files-to-load.ts'
import { LoadRefused } from './load-refused.ts'
import type { LoadReport } from './load-report.ts'
import { SwitchContended } from './settle-names.ts'
import type { FileProgress, GivenNames, StagedFile } from './stage-file.ts'
import { stageFile } from './stage-file.ts'
import type { LoadedPlan } from './switch-fee-schedules.ts'
import { switchFeeSchedules } from './switch-fee-schedules.ts'
import { readTableOfContents } from './table-of-contents.ts'
import type { StagedPart, WarehouseFolder } from './warehouse-folder.ts'

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
  readonly contents: ContentsAdmin
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
  const finder = await FileFinder.open(request.files, request.fileMap)
  const toLoad = await findFiles(request, finder)
  const loadId = deps.newSourceId()
  await deps.contents.openLoad(loadId, startedAt)
  try {
    const { files, plans } = await writeFiles(request, toLoad, finder, loadId, deps)
    const sources = files.map((file) => describeSource(file, loadId))
    await deps.contents.putSources(sources, deps.now())
    const bySourceId = new Map(sources.map((source) => [source.sourceId, source]))
    const changes = { loadId, plans, sources: bySourceId, add: request.add ?? false }
    const { switched, contended } = await switchFeeSchedules(changes, { ...deps, newId: deps.newSourceId })
    const [first] = contended
    if (first !== undefined) {
      if (switched.length === 0) await deps.warehouse.remove(sources.map(sourcePart))
      throw new SwitchContended(first)
    }
    // Names follow from their variants: the operator is told of what searches name.
    const named = switched.filter(({ variantOf }) => variantOf === undefined)
    for (const { payer, plan } of named) deps.onProgress?.({ step: 'switched', feeSchedule: { payer, plan } })
    const reports = files.map(({ report }) => report)
    return { startedAt, endedAt: deps.now(), files: reports, switched: named, untouched: toLoad.untouched }
  } finally {
    await deps.contents.closeLoad(loadId)
  }
}

async function findFiles(request: LoadRequest, finder: FileFinder): Promise<FilesToLoad> {
  const partial = request.partial ?? false
  if (request.toc === undefined) {
    return { files: request.files.map((path) => ({ path })), partial: new Set(), untouched: [] }
  }
  const listed = await readTableOfContents(request.toc, request)
  return findListedFiles(request.toc, listed, request.files, finder, partial)
}

interface WrittenFiles {
  readonly files: readonly StagedFile[]
  readonly plans: readonly LoadedPlan[]
}

/** Writes all files into the warehouse, or none. */
async function writeFiles(
  request: LoadRequest,
  toLoad: FilesToLoad,
  finder: FileFinder,
  loadId: string,
  deps: LoadDeps,
): Promise<WrittenFiles> {
  await using staging = new AsyncDisposableStack()
  const files: StagedFile[] = []
  const sources: { readonly sourceId: string; readonly staged: StagedPart }[] = []
  const pathOfContent = new Map<string, string>()
  for (const [position, { path, plans }] of toLoad.files.entries()) {
    const progress = { file: path, index: position + 1, of: toLoad.files.length }
    deps.onProgress?.({ step: 'reading', ...progress })
    const sourceId = deps.newSourceId()
    const staged = await deps.warehouse.stage(sourcePart({ loadId, sourceId }))
    staging.defer(() => staged.discard())
    const file = await stageFile(path, sourceId, staged, {
      plans,
      names: { payer: request.payer, plan: request.plan },
      finder,
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
  for (const { report, references } of files) refuseAmbiguous(report.file, references, finder)
  // Without a table of contents nobody but the operator knows whether files are missing.
  const isPartial = (feeSchedule: FeeSchedule) =>
    request.toc === undefined ? request.partial === true : toLoad.partial.has(feeScheduleKey(feeSchedule))
  const served = gatherPlans(files, isPartial)
  await refuseOtherSpellings(served, request, deps.catalogue)
  if (!request.add && !request.replace) await refuseFewerFiles(served, deps.catalogue)
  deps.signal?.throwIfAborted()
  await using unpublishing = new AsyncDisposableStack()
  for (const { sourceId, staged } of sources) {
    unpublishing.defer(() => deps.warehouse.remove([sourcePart({ loadId, sourceId })]))
    await staged.publish()
  }
  unpublishing.move()
  return { files, plans: served }
}

/** An address in a later file may lead to the file that an earlier one was read with. */
function refuseAmbiguous(path: string, references: readonly string[], finder: FileFinder): void {
  for (const location of references) {
    const found = finder.find(location, path)
    if (found.outcome === 'ambiguous') throw new LoadRefused(path, `points to an ambiguous file: ${found.reason}`)
  }
}

/** A file given twice would make every one of its rates count twice. */
function refuseRepetition(path: string, contentHash: string, pathOfContent: Map<string, string>): void {
  const before = pathOfContent.get(contentHash)
  if (before !== undefined) throw new LoadRefused(path, `has the same content as ${before}: name only one of them`)
  pathOfContent.set(contentHash, path)
}
