import { hash } from 'node:crypto'
import type { Source } from '../../../core/catalogue/content.ts'
import { oncePer } from '../../../core/once-per.ts'
import { relationColumns } from '../../../schema/columns/rates.ts'
import { layoutVersion, sourcePart } from '../../../schema/columns/warehouse-tables.ts'
import { isRemote } from '../../fetch/file-address.ts'
import type { FileToRead } from '../../fetch/file-finder.ts'
import { LoadRefused } from '../../fetch/load-refused.ts'
import { hashJsonText } from '../../fetch/published-bytes.ts'
import type { RemoteFacts } from '../../fetch/remote/remote-facts.ts'
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
export const describeEncoding = (request: LoadRequest): Omit<EncodeOptions, 'finder'> => ({
  partial: request.partial ?? false,
  maxSkipped: request.maxSkipped ?? defaultMaxSkipped,
  strict: request.strict ?? false,
  needsPlan: request.toc === undefined && request.plan === undefined,
  assumesVersion: request.assumeVersion !== undefined,
  repair: request.repair,
  withoutDescriptions: request.withoutDescriptions,
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
  const hashOf = oncePer((path: string) => hashReference(path, deps))

  /** Whether a file's references still lead to files of this content. */
  const hasReferences = async (references: Source['references'], from: string): Promise<boolean> => {
    for (const { identity, contentHash } of references) {
      const reference = finder.find(identity, from)
      if (reference.outcome !== 'found') return false
      if ((await hashOf(reference.path)) !== contentHash) return false
    }
    return true
  }

  return {
    /** The latest source of a file. */
    find: (identity: string): Source | undefined => sources.get(identity),

    hasReferences,

    /** Whether this load would make the same of the file, if the file has not changed. */
    canTakeOver: async (source: Source, path: string): Promise<boolean> => {
      const [version, allowed] = source.loaderVersion.split('/')
      // A source that was read with more lenient limits might be refused now.
      const isFit = version === loaderVersion && Number(allowed) <= allowedBy(request)
      // If the file names no publisher, it may have a different one now.
      const isWhole = !source.partial && source.findings['missing-entity'] === undefined
      const isRepaired = repairs.some((rule) => source.findings[rule] !== undefined)
      const isAllowed =
        (request.repair === true || !isRepaired) &&
        (request.assumeVersion !== undefined || source.findings['assumed-version'] === undefined)
      const isSame =
        source.filterId === request.filter?.id &&
        (source.withoutDescriptions ?? false) === (request.withoutDescriptions ?? false)
      if (!(isFit && isWhole && isAllowed && isSame)) return false
      // The catalogue may be older than the warehouse: its folder may have been deleted, or another one chosen.
      return (await deps.warehouse.has(sourcePart(source))) && (await hasReferences(source.references, path))
    },
  }
}

/** Whether a remote file is still the one that the source was made of, by size and strong entity tag. */
export const isUnchanged = ({ bytes, publishedEtag }: Source, { size, etag }: RemoteFacts): boolean =>
  etag !== undefined && etag === publishedEtag && size === bytes

/** Undefined for a remote file that cannot be fetched: the signature of its URL is in the file that refers to it. */
async function hashReference(path: string, deps: Reuse['deps']): Promise<string | undefined> {
  try {
    return await hashJsonText(path, deps)
  } catch (error) {
    if (error instanceof LoadRefused && isRemote(path)) return undefined
    throw error
  }
}
