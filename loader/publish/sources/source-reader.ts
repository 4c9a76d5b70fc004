import type { Source } from '../../../core/catalogue/content.ts'
import { isRemote } from '../../../fetch/file-address.ts'
import type { FileToRead } from '../../../fetch/file-finder.ts'
import { hashPackedFile } from '../../../fetch/published-bytes.ts'
import { retryIfChanged } from '../../../fetch/remote/changed-while-read.ts'
import { makePrefixedId } from '../../../schema/columns/prefixed-id.ts'
import { sourceUnit } from '../../../schema/columns/warehouse-tables.ts'
import type { EncodedFile, encodeFile } from '../../write/encode-file.ts'
import type { FileOfLoad } from '../load-request.ts'
import { nameFullDisk, type Workspace } from '../warehouse/local-workspace.ts'
import { describeSource } from './describe-source.ts'
import { refuseFile } from './file-faults.ts'
import { type FormerSources, findFormerSources } from './former-sources.ts'
import { describeEncoding, versionOf } from './loader-version.ts'
import { findLocalTwins } from './local-twins.ts'
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

/** Reads files of a load into the warehouse. Safe to call concurrently. */
export type ReadSource = SourceReader['read']

/**
 * Opens a reader for the files of a load.
 *
 * @param encodeInto encodes a file, in this process or another one
 */
export async function openSourceReader(
  files: readonly FileToRead[],
  run: ReadRun,
  encodeInto: typeof encodeFile,
): Promise<ReadSource> {
  const former = await findFormerSources(files, run)
  const hasTwin = await findLocalTwins(files)
  const reader = new SourceReader({ ...run, former, hasTwin, encodeInto })
  return (file, progress, untilTurn) => reader.read(file, progress, untilTurn)
}

interface SourceReaderDeps extends ReadRun {
  readonly former: FormerSources
  /** True if another local file may be equal. */
  readonly hasTwin: (path: string) => boolean
  readonly encodeInto: typeof encodeFile
}

class SourceReader {
  readonly #equalFiles = new EqualFiles()
  readonly #deps: SourceReaderDeps

  constructor(deps: SourceReaderDeps) {
    this.#deps = deps
  }

  /**
   * Brings a file into the warehouse, unless it is there already.
   *
   * @param untilTurn waits until the files before it are in the warehouse, so that equal files are one source
   */
  async read(file: PlacedFile, progress: FileOfLoad, untilTurn: () => Promise<void>): Promise<ReadFile> {
    const { remote, onProgress, signal } = this.#deps.deps
    try {
      using slot = isRemote(file.path) ? await remote?.hosts.take(file.path) : undefined
      const loadedFile = await this.#findLoaded(file)
      if (loadedFile === undefined)
        return await retryIfChanged(() => this.#encode(file, progress, () => slot?.[Symbol.dispose](), untilTurn))
      onProgress?.({ step: 'known', ...progress })
      // A file before it may wait for the connection.
      slot?.[Symbol.dispose]()
      await untilTurn()
      return this.#equalFiles.unite(loadedFile)
    } catch (error) {
      const refusal = refuseFile(error, file.path, signal)
      onProgress?.({ step: 'refused', ...progress })
      return { outcome: 'refused', error: refusal }
    }
  }

  /** Finds the source that an earlier load made of the file, or this one of another file with the same bytes. */
  async #findLoaded(file: FileToRead): Promise<ReadyFile | undefined> {
    const { former, hasTwin } = this.#deps
    const source = await former.findUnchanged(file)
    if (source !== undefined) return readyFile(await this.#pin(source))
    const equalFile = hasTwin(file.path) ? this.#equalFiles.find(await hashPackedFile(file.path)) : undefined
    return equalFile && (await former.hasReferences(equalFile.references, file.path)) ? equalFile : undefined
  }

  /** Protects an earlier load's source from removal until this load ends. */
  async #pin(source: Source): Promise<Source> {
    const { deps, loadId } = this.#deps
    await deps.records.pin(loadId, [source.sourceId])
    return source
  }

  /** @param releaseSlot gives the connection to the file's server back */
  async #encode(
    file: PlacedFile,
    progress: FileOfLoad,
    releaseSlot: () => void,
    untilTurn: () => Promise<void>,
  ): Promise<ReadFile> {
    const { deps, loadId, request, finder, encodeInto } = this.#deps
    deps.onProgress?.({ step: 'reading', ...progress })
    const sourceId = makePrefixedId({ loadId, position: file.position }, deps.newId())
    await using workspace = await deps.warehouse.openWorkspace(sourceUnit({ loadId, sourceId }))
    const encoding = encodeInto(file.path, workspace, {
      ...describeEncoding(request),
      finder,
      remote: deps.remote,
      signal: deps.signal,
      machine: deps.machine,
      onProgress: (state) => {
        // Sorting and writing take no connection.
        if (state.isRead) releaseSlot()
        deps.onProgress?.({ step: 'read', ...progress, ...state })
      },
    })
    const encodedFile = await encoding.catch((error: unknown) => {
      throw nameFullDisk(error, workspace)
    })
    await untilTurn()
    const { references, findings, contentHash } = encodedFile
    const equalFile = this.#equalFiles.find(keyOfContent(contentHash, keyOfReferences(references)))
    const ready =
      equalFile ?? readyFile(await this.#record(file, encodedFile, workspace, sourceId), references, findings)
    deps.onProgress?.({ step: 'written', ...progress })
    return this.#equalFiles.unite(ready)
  }

  /** Records the source of a file: one that an earlier load made of the same bytes, or the one in the workspace. */
  async #record(
    { identity, path }: PlacedFile,
    encodedFile: EncodedFile,
    workspace: Workspace,
    sourceId: string,
  ): Promise<Source> {
    const { deps, loadId, request, former, entity } = this.#deps
    const description = describeSource(encodedFile, entity)
    const formerSource = await former.findStored({ identity, path }, description.name, encodedFile.packedHash)
    const publish = async (): Promise<Source> => {
      const { bytes: tableBytes, files: tableFiles } = await workspace.publish()
      return {
        ...description,
        ...{ sourceId, loadId, identity, tableBytes, tableFiles },
        loaderVersion: versionOf(request),
        filterId: request.filter?.id,
        withoutDescriptions: request.withoutDescriptions || undefined,
      }
    }
    const source = formerSource
      ? { ...(await this.#pin(formerSource)), identity, publishedEtag: encodedFile.etag }
      : await publish()
    // Before the source, because a file whose source is stored is not read again.
    await deps.codeNames.add(source.sourceId, encodedFile.codeNames)
    await deps.contents.putSources([source], deps.now())
    return source
  }
}
