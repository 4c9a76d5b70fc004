import type { CatalogueEntry } from '../core/catalogue-entry.ts'
import type { FeeSchedule } from '../core/fee-schedule.ts'
import { feeScheduleKey } from '../core/fee-schedule.ts'
import type { CatalogueAdmin, Clock } from '../core/ports.ts'
import { openFileFinder } from './file-finder.ts'
import { LoadRefused } from './load-refused.ts'
import type { LoadReport } from './load-report.ts'
import type { FileProgress, GivenNames, StagedFile } from './stage-file.ts'
import { stageFile } from './stage-file.ts'
import type { FeeScheduleContent } from './switch-catalogue.ts'
import { SwitchContended, switchFeeSchedule } from './switch-catalogue.ts'
import type { StagedSource, WarehouseFolder } from './warehouse-folder.ts'

export interface LoadRequest extends GivenNames {
  /** Local paths of in-network files; together they become the content of the fee schedules that they name. */
  readonly files: readonly string[]
  /** Whether files that the payer lists for these plans are missing; false where absent. */
  readonly partial?: boolean | undefined
  /** A JSON file that says which local file an address in these files means. */
  readonly fileMap?: string | undefined
  /** The largest share of a file's prices that may be skipped; 0.01 where absent. */
  readonly maxSkipped?: number | undefined
  /** Whether the first value that would be skipped refuses its file. */
  readonly strict?: boolean | undefined
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

export type LoadProgress =
  /** `index` from 1 to `of`. */
  | { readonly step: 'reading' | 'written'; readonly file: string; readonly index: number; readonly of: number }
  | ({ readonly step: 'read'; readonly file: string; readonly index: number; readonly of: number } & FileProgress)
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
  const files = await writeFiles(request, deps)
  const contents = gatherContents(files, request.partial ?? false)
  const switched: CatalogueEntry[] = []
  for (const content of contents) {
    const entry = await switchFeeSchedule(content, deps.catalogue, deps.newSourceId)
    if (entry === undefined) {
      if (switched.length === 0) await Promise.all(files.map(({ report }) => deps.warehouse.remove(report.sourceId)))
      throw new SwitchContended(content)
    }
    switched.push(entry)
    deps.onProgress?.({ step: 'switched', feeSchedule: { payer: content.payer, plan: content.plan } })
  }
  return { startedAt, endedAt: deps.now(), files: files.map(({ report }) => report), switched }
}

/** Writes all files into the warehouse, or none. */
async function writeFiles(request: LoadRequest, deps: LoadDeps): Promise<readonly StagedFile[]> {
  await using staging = new AsyncDisposableStack()
  const files: StagedFile[] = []
  const sources: { readonly sourceId: string; readonly staged: StagedSource }[] = []
  const pathOfContent = new Map<string, string>()
  const options = {
    names: { payer: request.payer, plan: request.plan },
    locate: await openFileFinder(request.files, request.fileMap),
    partial: request.partial ?? false,
    maxSkipped: request.maxSkipped ?? defaultMaxSkipped,
    strict: request.strict ?? false,
    signal: deps.signal,
  }
  for (const [position, path] of request.files.entries()) {
    const progress = { file: path, index: position + 1, of: request.files.length }
    deps.onProgress?.({ step: 'reading', ...progress })
    const sourceId = deps.newSourceId()
    const staged = await deps.warehouse.stage(sourceId)
    staging.defer(() => staged.discard())
    const file = await stageFile(path, sourceId, staged, {
      ...options,
      onProgress: (reading) => deps.onProgress?.({ step: 'read', ...progress, ...reading }),
    })
    refuseRepetition(path, file.contentHash, pathOfContent)
    files.push(file)
    sources.push({ sourceId, staged })
    deps.onProgress?.({ step: 'written', ...progress })
  }
  await using unpublishing = new AsyncDisposableStack()
  for (const { sourceId, staged } of sources) {
    unpublishing.defer(() => deps.warehouse.remove(sourceId))
    await staged.publish()
  }
  unpublishing.move()
  return files
}

/** A file given twice would make every one of its rates count twice. */
function refuseRepetition(path: string, contentHash: string, pathOfContent: Map<string, string>): void {
  const before = pathOfContent.get(contentHash)
  if (before !== undefined) throw new LoadRefused(path, `has the same content as ${before}: name only one of them`)
  pathOfContent.set(contentHash, path)
}

/** What each fee schedule consists of, in the order in which the files name them. */
function gatherContents(files: readonly StagedFile[], partial: boolean): readonly FeeScheduleContent[] {
  const served = files.flatMap((file) => file.plans.map((plan) => ({ file, plan })))
  const servedAs = Map.groupBy(served, ({ plan }) => feeScheduleKey(plan))
  return [...servedAs.values()].flatMap((members) => {
    const [first] = members
    if (first === undefined) return []
    const lastUpdatedOn = members
      .flatMap(({ file }) => file.lastUpdatedOn ?? [])
      .toSorted()
      .at(-1)
    return {
      payer: first.plan.payer,
      plan: first.plan.plan,
      planIds: [...new Set(members.flatMap(({ plan }) => plan.planId ?? []))].sort(),
      sources: [...new Set(members.map(({ file }) => file.report.sourceId))],
      ...(lastUpdatedOn === undefined ? {} : { lastUpdatedOn }),
      partial: partial || members.some(({ file }) => file.partial),
    }
  })
}
