import type { Source } from '../../../core/catalogue/content.ts'
import { isRemote } from '../../../fetch/file-address.ts'
import type { FileToRead } from '../../../fetch/file-finder.ts'
import { hashPackedFile, sizeOfPacked } from '../../../fetch/published-bytes.ts'
import { retryIfChanged } from '../../../fetch/remote/changed-while-read.ts'
import { makeSourceId } from '../../../schema/columns/source-id.ts'
import { sourceUnit } from '../../../schema/columns/warehouse-tables.ts'
import type { EncodedFile, encodeFile } from '../../write/encode-file.ts'
import type { FileOfLoad } from '../load-request.ts'
import { nameFullDisk, type Workspace } from '../warehouse/local-workspace.ts'
import { describeSource } from './describe-source.ts'
import { refuseFile } from './file-faults.ts'
import { describeEncoding, findFormerSources, versionOf } from './former-sources.ts'
import {
  EqualFiles,
  keyOfContent,
  keyOfReferences,
  type PlacedFile,
  type ReadFile,
  type ReadRun,
  type ReadyFile,
  readyFile,
} from './read-file.ts'

/** @returns what reads a file of a load; files may be read at the same time */
export async function openSourceReader(files: readonly FileToRead[], run: ReadRun, encodeInto: typeof encodeFile) {
  const equalFiles = new EqualFiles()
  const formers = await findFormerSources(files, run)
  const sizes = new Map<string, number>()
  for (const { path } of files.filter((file) => !isRemote(file.path))) {
    const size = await sizeOfPacked(path).catch(() => undefined)
    if (size !== undefined) sizes.set(path, size)
  }
  const pathsOf = Map.groupBy(sizes, ([, size]) => size)
  /** Whether another local file may be equal, so that hashing this one may save reading it. */
  const hasTwin = (path: string) => (pathsOf.get(sizes.get(path) ?? -1) ?? []).length > 1

  /**
   * Brings a file into the warehouse, unless it is known.
   *
   * @param untilTurn waits until the files before it are in the warehouse, so that equal files are one source
   */
  async function read(file: PlacedFile, progress: FileOfLoad, untilTurn: () => Promise<void>): Promise<ReadFile> {
    try {
      using slot = isRemote(file.path) ? await run.deps.remote?.hosts.take(file.path) : undefined
      const found = await findKnown(file)
      if (found === undefined) return await retryIfChanged(() => encode(file, progress, slot, untilTurn))
      run.deps.onProgress?.({ step: 'known', ...progress })
      // A file before it may wait for the connection.
      slot?.[Symbol.dispose]()
      await untilTurn()
      return equalFiles.unite(found)
    } catch (error) {
      const refusal = refuseFile(error, file.path, run.deps.signal)
      run.deps.onProgress?.({ step: 'refused', ...progress })
      return { outcome: 'refused', error: refusal }
    }
  }

  /** Finds what an earlier load made of the file, or this one of another with the same bytes. */
  async function findKnown(file: FileToRead): Promise<ReadyFile | undefined> {
    const source = await formers.findUnchanged(file)
    if (source !== undefined) return readyFile(await keep(source))
    const equal = hasTwin(file.path) ? equalFiles.find(await hashPackedFile(file.path)) : undefined
    return equal && (await formers.hasReferences(equal.references, file.path)) ? equal : undefined
  }

  /** Keeps an earlier load's source from being removed. */
  async function keep(source: Source): Promise<Source> {
    await run.deps.records.pin(run.loadId, [source.sourceId])
    return source
  }

  async function encode(
    file: PlacedFile,
    progress: FileOfLoad,
    slot: Disposable | undefined,
    untilTurn: () => Promise<void>,
  ): Promise<ReadFile> {
    const { deps, loadId, request, finder } = run
    deps.onProgress?.({ step: 'reading', ...progress })
    const sourceId = makeSourceId({ loadId, place: file.place }, deps.newId())
    await using workspace = await deps.warehouse.openWorkspace(sourceUnit({ loadId, sourceId }))
    const encoding = encodeInto(file.path, workspace, {
      ...describeEncoding(request),
      finder,
      remote: deps.remote,
      signal: deps.signal,
      machine: deps.machine,
      onProgress: (state) => {
        // Sorting and writing take no connection.
        if (state.isRead) slot?.[Symbol.dispose]()
        deps.onProgress?.({ step: 'read', ...progress, ...state })
      },
    })
    const encoded = await encoding.catch((error: unknown) => {
      throw nameFullDisk(error, workspace)
    })
    await untilTurn()
    const { references, findings, contentHash } = encoded
    const same = equalFiles.find(keyOfContent(contentHash, keyOfReferences(references)))
    const ready = same ?? readyFile(await record(file, encoded, workspace, sourceId), references, findings)
    deps.onProgress?.({ step: 'written', ...progress })
    return equalFiles.unite(ready)
  }

  /** Records the source of a file: what an earlier load stored of the same bytes, or what is in the workspace. */
  async function record(
    { identity, path }: FileToRead,
    encoded: EncodedFile,
    workspace: Workspace,
    sourceId: string,
  ): Promise<Source> {
    const { deps, loadId, request } = run
    const described = describeSource(encoded, run.entity)
    const store = async (): Promise<Source> => {
      const { bytes: tableBytes, files: tableFiles } = await workspace.publish()
      const { filter, withoutDescriptions = false } = request
      return {
        ...described,
        sourceId,
        loadId,
        identity,
        loaderVersion: versionOf(request),
        tableBytes,
        tableFiles,
        filterId: filter?.id,
        withoutDescriptions: withoutDescriptions || undefined,
      }
    }
    const stored = await formers.findStored({ identity, path }, described.name, encoded.packedHash)
    const source = stored ? { ...(await keep(stored)), identity, publishedEtag: encoded.etag } : await store()
    await deps.contents.putSources([source], deps.now())
    return source
  }

  return read
}
