import { hash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import type { Source } from '../../core/catalogue/content.ts'
import { ratesColumns } from '../../schema/columns/rates.ts'
import { sourcePart } from '../../schema/columns/warehouse-tables.ts'
import type { FileFinder } from '../files/file-finder.ts'
import type { FileToRead } from '../files/files-to-load.ts'
import { hashJsonText, hashPackedFile } from '../files/published-bytes.ts'
import { LoadRefused } from '../load-refused.ts'
import type { FileOfLoad, LoadDeps, LoadRequest } from '../load-request.ts'
import type { Finding } from '../published/findings.ts'
import type { StagedFile, stageFile } from '../staging/stage-file.ts'
import type { StagedPart, WarehouseFolder } from '../warehouse/warehouse-folder.ts'
import { describeSource } from './describe-source.ts'

/** The outcome of reading a file. */
export type ReadFile =
  | {
      readonly outcome: 'ready'
      readonly source: Source
      /** All files that it refers to; a source records only some. */
      readonly references: Source['references']
      /** Undefined if the rows of an earlier load were reused without reading it. */
      readonly findings: readonly Finding[] | undefined
    }
  | { readonly outcome: 'refused'; readonly error: LoadRefused }

const columns = ratesColumns.map(({ name, type, home, sourceField }) => [name, type, home, sourceField])

/**
 * The version of the loader's rules. Sources of the same version are reused unread, so raise the number when a rule
 * changes; the hash covers changed columns.
 */
const loaderVersion = `2.${hash('sha256', JSON.stringify(columns)).slice(0, 8)}`

/** Default maximum share of a file's prices that may be skipped. */
export const defaultMaxSkipped = 0.01

export interface ReadRun {
  /** The publisher of files that do not name one. */
  readonly entity: string | undefined
  readonly loadId: string
  readonly request: LoadRequest
  readonly finder: FileFinder
  readonly deps: LoadDeps
}

/** A file before it is in the warehouse. */
type BegunFile =
  | { readonly kind: 'refused'; readonly error: LoadRefused }
  | { readonly kind: 'known'; readonly file: FileToRead; readonly packedHash: string; readonly known: ReadFile }
  | {
      readonly kind: 'staged'
      readonly file: FileToRead
      readonly progress: FileOfLoad
      readonly sourceId: string
      readonly staged: StagedPart
      readonly read: StagedFile
    }

/** Reads the files of a load: begins each, and settles them in their order. */
export class SourceReader {
  readonly #run: ReadRun
  readonly #stageFile: typeof stageFile
  readonly #former: ReadonlyMap<string, Source>
  readonly #sizes: ReadonlyMap<string, number | undefined>
  readonly #repeatedSizes: ReadonlySet<number>
  readonly #byHash = new Map<string, ReadFile>()
  readonly #referenceHashes = new Map<string, Promise<string>>()
  #stored: Promise<ReadonlySet<string>> | undefined

  private constructor(
    run: ReadRun,
    former: readonly Source[],
    sizes: ReadonlyMap<string, number | undefined>,
    stage: typeof stageFile,
  ) {
    this.#run = run
    this.#stageFile = stage
    this.#former = new Map(former.map((source) => [source.identity, source]))
    this.#sizes = sizes
    const known = [...sizes.values()].filter((size) => size !== undefined)
    const counts = Map.groupBy(known, (size) => size)
    this.#repeatedSizes = new Set(known.filter((size) => (counts.get(size) ?? []).length > 1))
  }

  static async open(files: readonly FileToRead[], run: ReadRun, stage: typeof stageFile): Promise<SourceReader> {
    const former = await run.deps.contents.findSources(files.map(({ identity }) => identity))
    const sizes = new Map<string, number | undefined>()
    for (const { path } of files) sizes.set(path, await sizeOf(path))
    return new SourceReader(run, former, sizes, stage)
  }

  /** Reads a file unless it is known. Files may be begun at the same time; what became of others makes no difference. */
  async begin(file: FileToRead, progress: FileOfLoad): Promise<BegunFile> {
    try {
      const known = await this.#findKnown(file)
      if (known === undefined) return await this.#stage(file, progress)
      this.#run.deps.onProgress?.({ step: 'known', ...progress })
      return known
    } catch (error) {
      if (error instanceof LoadRefused) return { kind: 'refused', error }
      throw error
    }
  }

  /** Brings a file into the warehouse. Files are settled one by one in their order, so that equal files are one source. */
  async settle(begun: BegunFile): Promise<ReadFile> {
    if (begun.kind === 'refused') return { outcome: 'refused', error: begun.error }
    if (begun.kind === 'staged') return this.#publish(begun)
    const same = this.#byHash.get(begun.packedHash)
    if (same !== undefined && (await this.#servesToo(same, begun.file.path))) return same
    this.#byHash.set(begun.packedHash, begun.known)
    return begun.known
  }

  /** Removes what a file that will not be settled has left. */
  async abandon(begun: BegunFile): Promise<void> {
    if (begun.kind === 'staged') await begun.staged.discard()
  }

  /**
   * Finds an earlier source of the same file. Files are only hashed before reading if a source of that size is known.
   */
  async #findKnown(file: FileToRead): Promise<BegunFile | undefined> {
    const { identity, path } = file
    const size = this.#sizes.get(path)
    const former = this.#former.get(identity)
    if (size === undefined || (former?.bytes !== size && !this.#repeatedSizes.has(size))) return undefined
    const packedHash = await hashPackedFile(path)
    const read = this.#byHash.get(packedHash)
    if (read !== undefined && (await this.#servesToo(read, path)))
      return { kind: 'known', file, packedHash, known: read }
    if (former?.etag !== packedHash || !(await this.#canTakeOver(former, path))) return undefined
    const { deps, loadId } = this.#run
    await deps.contents.pinSources(loadId, [former.sourceId], deps.now())
    const known: ReadFile = { outcome: 'ready', source: former, references: former.references, findings: undefined }
    return { kind: 'known', file, packedHash, known }
  }

  async #stage(file: FileToRead, progress: FileOfLoad): Promise<BegunFile> {
    const { deps, loadId, request, finder } = this.#run
    deps.onProgress?.({ step: 'reading', ...progress })
    const sourceId = deps.newId()
    const staged = await deps.warehouse.stage(sourcePart({ loadId, sourceId }))
    await using cleanup = new AsyncDisposableStack()
    cleanup.defer(() => staged.discard())
    const read = await this.#stageFile(file.path, staged, {
      finder,
      partial: request.partial ?? false,
      maxSkipped: request.maxSkipped ?? defaultMaxSkipped,
      strict: request.strict ?? false,
      filter: request.filter,
      signal: deps.signal,
      onProgress: (reading) => deps.onProgress?.({ step: 'read', ...progress, ...reading }),
    })
    cleanup.move()
    return { kind: 'staged', file, progress, sourceId, staged, read }
  }

  async #publish({
    file,
    progress,
    sourceId,
    staged,
    read,
  }: Extract<BegunFile, { kind: 'staged' }>): Promise<ReadFile> {
    const { deps, loadId, request } = this.#run
    await using cleanup = new AsyncDisposableStack()
    cleanup.defer(() => staged.discard())
    const same = this.#byHash.get(read.contentHash) ?? this.#byHash.get(read.packedHash)
    if (same !== undefined && (await this.#servesToo(same, file.path))) return same
    const tableBytes = await staged.publish()
    const filterId = request.filter?.id
    const source: Source = {
      ...describeSource(read, this.#run.entity),
      ...{ sourceId, loadId, identity: file.identity, loaderVersion: this.#version(), tableBytes },
      ...(filterId !== undefined && { filterId }),
    }
    await deps.contents.putSources([source], deps.now())
    const ready: ReadFile = { outcome: 'ready', source, references: read.references, findings: read.findings }
    for (const known of [read.packedHash, read.contentHash]) this.#byHash.set(known, ready)
    deps.onProgress?.({ step: 'written', ...progress })
    return ready
  }

  /** Whether a source also serves a file of equal content, whose references may point to other files. */
  async #servesToo(read: ReadFile, path: string): Promise<boolean> {
    return read.outcome === 'ready' && !read.source.partial && (await this.#hasReferences(read.references, path))
  }

  async #canTakeOver(source: Source, path: string): Promise<boolean> {
    const [version, allowed] = source.loaderVersion.split('/')
    // A source that was read with more lenient limits might be refused now.
    const isFit = version === loaderVersion && Number(allowed) <= this.#allowed()
    // If the file names no publisher, it may have a different one now.
    const isWhole = !source.partial && source.findings['missing-entity'] === undefined
    const isSameFilter = source.filterId === this.#run.request.filter?.id
    if (!(isFit && isWhole && isSameFilter)) return false
    return (await this.#isStored(source)) && (await this.#hasReferences(source.references, path))
  }

  /** The catalogue may be older than the warehouse: its folder may have been deleted, or another one chosen. */
  async #isStored({ sourceId }: Source): Promise<boolean> {
    this.#stored ??= listStored(this.#run.deps.warehouse)
    return (await this.#stored).has(sourceId)
  }

  async #hasReferences(references: Source['references'], path: string): Promise<boolean> {
    for (const { identity, contentHash } of references) {
      const found = this.#run.finder.find(identity, path)
      if (found.outcome !== 'found') return false
      const current = this.#referenceHashes.get(found.path) ?? hashJsonText(found.path)
      this.#referenceHashes.set(found.path, current)
      if ((await current) !== contentHash) return false
    }
    return true
  }

  /** The rules for a source, and the share of its values that may be skipped; a strict load skips none. */
  #version(): string {
    return `${loaderVersion}/${this.#allowed()}`
  }

  #allowed(): number {
    const { strict, maxSkipped = defaultMaxSkipped } = this.#run.request
    return strict ? strictest : maxSkipped
  }
}

async function listStored(warehouse: WarehouseFolder): Promise<ReadonlySet<string>> {
  const parts = await warehouse.list()
  return new Set(parts.flatMap((part) => (part.kind === 'source' ? part.sourceId : [])))
}

/** Stricter than any share: a strict load also refuses values that others convert. */
const strictest = -1

async function sizeOf(path: string): Promise<number | undefined> {
  const info = path === '-' ? undefined : await stat(path).catch(() => undefined)
  return info?.isFile() ? info.size : undefined
}
