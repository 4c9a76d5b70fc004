import { identifyBytes, type Source } from '../../../core/catalogue/content.ts'
import { sourcePart } from '../../../schema/columns/warehouse-tables.ts'
import { isRemote } from '../../fetch/file-address.ts'
import type { FileToRead } from '../../fetch/file-finder.ts'
import type { LoadRefused } from '../../fetch/load-refused.ts'
import { hashPackedFile, sizeOfPacked } from '../../fetch/published-bytes.ts'
import { retryIfChanged } from '../../fetch/remote/changed-while-read.ts'
import type { EncodedFile, encodeFile } from '../../write/encode-file.ts'
import type { FileOfLoad } from '../load-request.ts'
import { nameFullDisk, type Workspace } from '../warehouse/local-workspace.ts'
import { describeSource } from './describe-source.ts'
import { EqualFiles, keyOfReferences } from './equal-files.ts'
import { refuseFile } from './file-faults.ts'
import { describeEncoding, findFormerSources, isUnchanged, versionOf } from './former-sources.ts'
import type { ReadFile, ReadRun, ReadyFile } from './read-file.ts'

/** A file before it is in the warehouse. */
type BegunFile =
  | { readonly kind: 'refused'; readonly error: LoadRefused }
  | { readonly kind: 'known'; readonly packedHash: string; readonly known: ReadyFile }
  | {
      readonly kind: 'encoded'
      readonly file: FileToRead
      readonly progress: FileOfLoad
      readonly sourceId: string
      readonly workspace: Workspace
      readonly read: EncodedFile
    }

/** Reads the files of a load: begins each, and settles them in their order. */
export async function openSourceReader(files: readonly FileToRead[], run: ReadRun, encodeInto: typeof encodeFile) {
  const equalFiles = new EqualFiles()
  const formers = await findFormerSources(files, run)
  /** Paths of local files of which a source of the same size is known, or another file. Only these are hashed first. */
  const familiar = new Set<string>()
  const pathOf = new Map<number, string>()
  for (const { identity, path } of files.filter((file) => !isRemote(file.path))) {
    const size = await sizeOfPacked(path).catch(() => undefined)
    if (size === undefined) continue
    const other = pathOf.get(size)
    if (other !== undefined) familiar.add(other).add(path)
    else if (formers.find(identity)?.bytes === size) familiar.add(path)
    pathOf.set(size, path)
  }

  /** Reads a file unless it is known. Files may be begun at the same time; what became of others makes no difference. */
  async function begin(file: FileToRead, progress: FileOfLoad): Promise<BegunFile> {
    try {
      using slot = isRemote(file.path) ? await run.deps.remote?.hosts.take(file.path) : undefined
      const known = await (isRemote(file.path) ? findUnchanged(file) : findKnown(file))
      if (known === undefined) return await retryIfChanged(() => encode(file, progress, slot))
      run.deps.onProgress?.({ step: 'known', ...progress })
      return known
    } catch (error) {
      const refusal = refuseFile(error, file.path, run.deps.signal)
      run.deps.onProgress?.({ step: 'refused', ...progress })
      return { kind: 'refused', error: refusal }
    }
  }

  /** Brings a file into the warehouse. Files are settled one by one in their order, so that equal files are one source. */
  async function settle(begun: BegunFile): Promise<ReadFile> {
    if (begun.kind === 'refused') return { outcome: 'refused', error: begun.error }
    if (begun.kind === 'encoded') {
      try {
        return await publish(begun)
      } catch (error) {
        return { outcome: 'refused', error: refuseFile(error, begun.file.path, run.deps.signal) }
      }
    }
    return equalFiles.unite(begun.known, begun.packedHash)
  }

  /** Removes what a file that will not be settled has left. */
  async function abandon(begun: BegunFile): Promise<void> {
    if (begun.kind === 'encoded') await begun.workspace.discard()
  }

  /** Finds an earlier source of the same file. */
  async function findKnown(file: FileToRead): Promise<BegunFile | undefined> {
    const { identity, path } = file
    if (!familiar.has(path)) return undefined
    const former = formers.find(identity)
    const packedHash = await hashPackedFile(path)
    const read = equalFiles.find(packedHash)
    if (read !== undefined && (await formers.hasReferences(read.references, path)))
      return { kind: 'known', packedHash, known: read }
    if (former?.etag !== packedHash || !(await formers.canTakeOver(former, path))) return undefined
    return takeOver(former, packedHash)
  }

  /** Finds the earlier source of a remote file that has not changed. */
  async function findUnchanged(file: FileToRead): Promise<BegunFile | undefined> {
    const { remote, signal } = run.deps
    const former = formers.find(file.identity)
    if (remote === undefined || former?.etag === undefined || former.publishedEtag === undefined) return undefined
    if (!(await formers.canTakeOver(former, file.path))) return undefined
    const facts = await remote.probe(file.path, signal)
    return isUnchanged(former, facts) ? takeOver(former, former.etag) : undefined
  }

  async function takeOver(source: Source, packedHash: string): Promise<BegunFile> {
    const { deps, loadId } = run
    await deps.records.pin(loadId, [source.sourceId])
    return { kind: 'known', packedHash, known: readyFile(source, source.references, undefined) }
  }

  async function encode(file: FileToRead, progress: FileOfLoad, slot: Disposable | undefined): Promise<BegunFile> {
    const { deps, loadId, request, finder } = run
    deps.onProgress?.({ step: 'reading', ...progress })
    const sourceId = deps.newId()
    const workspace = await deps.warehouse.openWorkspace(sourcePart({ loadId, sourceId }))
    await using cleanup = new AsyncDisposableStack()
    cleanup.defer(() => workspace.discard())
    const reading = encodeInto(file.path, workspace, {
      ...describeEncoding(request),
      finder,
      remote: deps.remote,
      signal: deps.signal,
      onProgress: (state) => {
        // Sorting and writing take no connection.
        if (state.isRead) slot?.[Symbol.dispose]()
        deps.onProgress?.({ step: 'read', ...progress, ...state })
      },
    })
    const read = await reading.catch((error: unknown) => {
      throw nameFullDisk(error, workspace)
    })
    cleanup.move()
    return { kind: 'encoded', file, progress, sourceId, workspace, read }
  }

  async function publish({
    file,
    progress,
    sourceId,
    workspace,
    read,
  }: Extract<BegunFile, { kind: 'encoded' }>): Promise<ReadFile> {
    const { deps, loadId, request } = run
    await using cleanup = new AsyncDisposableStack()
    cleanup.defer(() => workspace.discard())
    const { references, findings, packedHash } = read
    const same = equalFiles.findSame(keyOfReferences(references), read.contentHash, packedHash)
    if (same !== undefined) return same
    const described = describeSource(read, run.entity)
    // Payers date their addresses: the same bytes may have been stored from another one. Rows say the file's name.
    const equal = await deps.contents.findSources([identifyBytes(packedHash)])
    for (const known of [formers.find(file.identity), ...equal.filter(({ name }) => name === described.name)]) {
      if (known?.etag !== packedHash || !(await formers.canTakeOver(known, file.path))) continue
      await deps.records.pin(loadId, [known.sourceId])
      const { publishedEtag: _, ...kept } = known
      const found = { ...kept, identity: file.identity, ...(read.etag !== undefined && { publishedEtag: read.etag }) }
      await deps.contents.putSources([found], deps.now())
      deps.onProgress?.({ step: 'written', ...progress })
      return equalFiles.unite(readyFile(found, references, findings), packedHash)
    }
    const { bytes: tableBytes, files: tableFiles } = await workspace.publish()
    const filterId = request.filter?.id
    const source: Source = {
      ...described,
      ...{ sourceId, loadId, identity: file.identity, loaderVersion: versionOf(request), tableBytes, tableFiles },
      ...(filterId !== undefined && { filterId }),
      ...(request.withoutDescriptions && { withoutDescriptions: true }),
    }
    await deps.contents.putSources([source], deps.now())
    deps.onProgress?.({ step: 'written', ...progress })
    return equalFiles.unite(readyFile(source, references, findings), packedHash)
  }

  return { begin, settle, abandon }
}

const readyFile = (source: Source, references: Source['references'], findings: ReadyFile['findings']): ReadyFile => ({
  ...{ outcome: 'ready', source, references, referencesKey: keyOfReferences(references), findings },
})
