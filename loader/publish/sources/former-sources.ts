import { hash } from 'node:crypto'
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
import { relationColumns } from '../../../schema/columns/rates.ts'
import { layoutVersion, sourceUnit } from '../../../schema/columns/warehouse-tables.ts'
import type { EncodeOptions } from '../../write/encode-file.ts'
import type { LoadDeps, LoadRequest } from '../load-request.ts'
import type { ReadRun } from './read-file.ts'

const stored = relationColumns.filter(({ home }) => home !== 'view')
const columns = stored.map(({ name, type, home, sourceField }) => [name, type, home, sourceField])
const layout = JSON.stringify([columns, layoutVersion])

/**
 * The version of the loader's rules. Sources of the same version are reused unread, so raise the number when a rule
 * changes; the hash covers changed columns and places of files.
 */
const loaderVersion = `6.${hash('sha256', layout).slice(0, 8)}`

/** Default maximum share of a file's prices that may be skipped. */
const defaultMaxSkipped = 0.01

/** How the files of a load are encoded. */
export const describeEncoding = (request: LoadRequest): Omit<EncodeOptions, 'finder' | 'machine'> => ({
  partial: request.partial ?? false,
  maxSkipped: request.maxSkipped ?? defaultMaxSkipped,
  strict: request.strict ?? false,
  assumesVersion: request.assumeVersion !== undefined,
  repair: request.repair,
  withoutDescriptions: request.withoutDescriptions,
  maxCpu: request.maxCpu,
  filter: request.filter,
})

/** Stricter than any share: a strict load also refuses values that others convert. */
const strictest = -1

/** The findings of a file that is only read with `--repair`. */
const repairs = ['trailing-comma', 'stray-backslash'] as const

type Limits = Pick<LoadRequest, 'strict' | 'maxSkipped'>

/** The rules for a source, and the share of its values that may be skipped; a strict load skips none. */
export const versionOf = (limits: Limits): string => `${loaderVersion}/${allowedBy(limits)}`

const allowedBy = ({ strict, maxSkipped = defaultMaxSkipped }: Limits) => (strict ? strictest : maxSkipped)

type Reuse = Pick<ReadRun, 'request' | 'finder'> & {
  readonly deps: Pick<LoadDeps, 'contents' | 'warehouse' | 'remote' | 'signal'>
}

export type FormerSources = Awaited<ReturnType<typeof findFormerSources>>

/** Finds the sources that earlier loads made of the files of this one. */
export async function findFormerSources(files: readonly FileToRead[], { request, finder, deps }: Reuse) {
  const found = await deps.contents.findSources(files.map(({ identity }) => identity))
  const sources = new Map(found.map((source) => [source.identity, source]))
  const hashOf = oncePer((path: string) =>
    hashJsonText(path, deps).catch((error: unknown) => {
      // The signature of a remote file's URL is in the file that refers to it.
      if (error instanceof LoadRefused && isRemote(path)) return undefined
      throw error
    }),
  )

  /** Whether a file's references still lead to files of this content. */
  const hasReferences = async (references: Source['references'], from: string): Promise<boolean> => {
    for (const { identity, contentHash } of references) {
      const reference = finder.find(identity, from)
      if (reference.outcome !== 'found') return false
      if ((await hashOf(reference.path)) !== contentHash) return false
    }
    return true
  }

  /** Whether this load would make the same of the file, if the file has not changed. */
  const canTakeOver = async (source: Source, path: string): Promise<boolean> =>
    // The catalogue may be older than the warehouse: its folder may have been deleted, or another one chosen.
    isReadAlike(source, request) &&
    (await deps.warehouse.has(sourceUnit(source))) &&
    (await hasReferences(source.references, path))

  return {
    /** The latest source of each file that has one. */
    sources: found,

    hasReferences,

    /**
     * What a load stored of the same bytes. Payers date their addresses, so the file may have had another one; rows say its
     * name.
     */
    findStored: async ({ identity, path }: FileToRead, name: string, packedHash: string) => {
      const equal = await deps.contents.findSources([identifyBytes(packedHash)])
      for (const known of [sources.get(identity), ...equal.filter((each) => each.name === name)])
        if (known?.etag === packedHash && (await canTakeOver(known, path))) return known
      return undefined
    },

    /**
     * The source of a file that has not changed since, if this load would make the same of it.
     *
     * @param seen what is known of the file already
     */
    findUnchanged: async ({ identity, path }: FileToRead, seen?: RemoteFacts): Promise<Source | undefined> => {
      const source = sources.get(identity)
      const before = isRemote(path) ? source?.publishedEtag : source?.etag
      if (source === undefined || before === undefined || !isReadAlike(source, request)) return undefined
      const { size, etag } = seen ?? (await lookAt(path, deps))
      if (size !== source.bytes) return undefined
      const now = isRemote(path) ? etag : await hashPackedFile(path)
      return now === before && (await canTakeOver(source, path)) ? source : undefined
    },
  }
}

/** Whether a load with these options reads a file as it was read for this source. */
function isReadAlike(source: Source, request: LoadRequest): boolean {
  const { loaderVersion: readBy, findings, partial, filterId, withoutDescriptions } = source
  const [version, allowed] = readBy.split('/')
  // A source that was read with more lenient limits might be refused now.
  if (version !== loaderVersion || Number(allowed) > allowedBy(request)) return false
  // If the file names no publisher, it may have a different one now.
  if (partial || findings['missing-entity'] !== undefined) return false
  if (request.repair !== true && repairs.some((rule) => findings[rule] !== undefined)) return false
  if (request.assumeVersion === undefined && findings['assumed-version'] !== undefined) return false
  return filterId === request.filter?.id && (withoutDescriptions ?? false) === (request.withoutDescriptions ?? false)
}

/**
 * What can be seen of a file without reading it; of a local one its size.
 *
 * @throws LoadRefused if it cannot be read or fetched
 */
export async function lookAt(path: string, { remote, signal }: ReadingOptions): Promise<RemoteFacts> {
  if (isRemote(path)) return requireRemote(path, remote).probe(path, signal)
  return { size: await sizeOfPacked(path), etag: undefined }
}
