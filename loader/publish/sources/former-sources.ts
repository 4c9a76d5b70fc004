import { identifyBytes, type Source } from '../../../core/catalogue/content.ts'
import { oncePer } from '../../../core/once-per.ts'
import { isRemote } from '../../../fetch/file-address.ts'
import type { FileToRead } from '../../../fetch/file-finder.ts'
import { LoadRefused } from '../../../fetch/load-refused.ts'
import {
  hashJsonText,
  hashPackedFile,
  type ReadingOptions,
  requireRemote,
  sizeOfPacked,
} from '../../../fetch/published-bytes.ts'
import type { RemoteFacts } from '../../../fetch/remote/remote-facts.ts'
import { sourceUnit } from '../../../schema/columns/warehouse-tables.ts'
import type { LoadDeps } from '../load-request.ts'
import { isReadAlike } from './loader-version.ts'
import type { ReadRun } from './read-file.ts'

type Reuse = Pick<ReadRun, 'request' | 'finder'> & {
  readonly deps: Pick<LoadDeps, 'contents' | 'warehouse' | 'remote' | 'signal'>
}

export type FormerSources = Awaited<ReturnType<typeof findFormerSources>>

/** Finds the sources that earlier loads made of the files of this one. */
export async function findFormerSources(files: readonly FileToRead[], { request, finder, deps }: Reuse) {
  const latestSources = await deps.contents.findSources(files.map(({ identity }) => identity))
  const sources = new Map(latestSources.map((source) => [source.identity, source]))
  const hashOf = oncePer((path: string) =>
    hashJsonText(path, deps).catch((error: unknown) => {
      // The signature of a remote file's URL is in the file that refers to it.
      if (error instanceof LoadRefused && isRemote(path)) return undefined
      throw error
    }),
  )

  /** Returns true if a file's references still lead to files of the same content. */
  const hasReferences = async (references: Source['references'], from: string): Promise<boolean> => {
    for (const { identity, contentHash } of references) {
      const reference = finder.find(identity, from)
      if (reference.outcome !== 'found') return false
      if ((await hashOf(reference.path)) !== contentHash) return false
    }
    return true
  }

  /** Returns true if this load would read the same rows from the file, provided that the file has not changed. */
  const canTakeOver = async (source: Source, path: string): Promise<boolean> =>
    // The catalogue may be older than the warehouse: its folder may have been deleted, or another one chosen.
    isReadAlike(source, request) &&
    (await deps.warehouse.has(sourceUnit(source))) &&
    (await hasReferences(source.references, path))

  return {
    /** The latest source of each file that has one. */
    sources: latestSources,

    hasReferences,

    /**
     * Finds a source with the same bytes and the same name, which rows state. Its address may differ, because payers
     * put dates into addresses.
     */
    findStored: async ({ identity, path }: FileToRead, name: string, packedHash: string) => {
      const equalSources = await deps.contents.findSources([identifyBytes(packedHash)])
      const candidates = [sources.get(identity), ...equalSources.filter((source) => source.name === name)]
      for (const candidate of candidates)
        if (candidate?.etag === packedHash && (await canTakeOver(candidate, path))) return candidate
      return undefined
    },

    /**
     * Finds the source of a file that has not changed since, if this load would read the same rows from it.
     *
     * @param facts of the file, if somebody has asked its server already
     */
    findUnchanged: async ({ identity, path }: FileToRead, facts?: RemoteFacts): Promise<Source | undefined> => {
      const source = sources.get(identity)
      const formerTag = isRemote(path) ? source?.publishedEtag : source?.etag
      if (source === undefined || formerTag === undefined || !isReadAlike(source, request)) return undefined
      const { size, etag } = facts ?? (await lookAt(path, deps))
      if (size !== source.bytes) return undefined
      const tag = isRemote(path) ? etag : await hashPackedFile(path)
      return tag === formerTag && (await canTakeOver(source, path)) ? source : undefined
    },
  }
}

/**
 * Returns the size of a file without reading it, and a remote file's entity tag.
 *
 * @throws LoadRefused if it cannot be read or fetched
 */
export async function lookAt(path: string, { remote, signal }: ReadingOptions): Promise<RemoteFacts> {
  if (isRemote(path)) return requireRemote(path, remote).probe(path, signal)
  return { size: await sizeOfPacked(path), etag: undefined }
}
