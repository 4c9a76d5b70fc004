import type { LoadFilter } from '../../core/catalogue/load-filter.ts'
import type { FileCounts } from '../assembly/count-prices.ts'
import type { PartSizes } from '../assembly/file-parts.ts'
import { FileParts, partSizes } from '../assembly/file-parts.ts'
import { identifyAddress } from '../files/file-address.ts'
import type { FileFinder } from '../files/file-finder.ts'
import type { PublishedBytes } from '../files/published-bytes.ts'
import { openPublishedBytes } from '../files/published-bytes.ts'
import { createRowFilter } from '../filter/row-filter.ts'
import { JsonStream } from '../json/json-stream.ts'
import { LoadRefused } from '../load-refused.ts'
import type { Finding } from '../published/findings.ts'
import { Findings } from '../published/findings.ts'
import type { FileHeader } from '../published/in-network-file.ts'
import type { InNetworkVisitor } from '../published/read-in-network.ts'
import { readInNetwork } from '../published/read-in-network.ts'
import { readReferenceFile } from '../published/reference-file.ts'
import { parsePublishedDate } from '../published/values/published-date.ts'
import type { RemoteFiles } from '../remote/remote-files.ts'
import { refuseSkipped } from '../sources/refuse-skipped.ts'
import type { StagedPart } from '../warehouse/warehouse-folder.ts'
import { PriceStage } from './stage-prices.ts'
import { ProviderStage } from './stage-providers.ts'
import { StagingDatabase } from './staging-database.ts'

/** Where the tables of a file are written. */
export type StagingFiles = Pick<StagedPart, 'scratch' | 'fileOf'>

/** How a file is staged. */
export interface StageOptions {
  /** Finds the files that the file points to. */
  readonly finder: FileFinder
  /** Fetches remote files; without it they are refused. */
  readonly remote?: RemoteFiles | undefined
  /** Whether files that the file points to may be missing. */
  readonly partial: boolean
  /** The largest share of prices, items, provider groups or NPIs that may be skipped. */
  readonly maxSkipped: number
  /** Whether the first value that is lost or has the wrong type refuses the file. */
  readonly strict: boolean
  /** Which rates are kept; all if absent. */
  readonly filter?: LoadFilter | undefined
  /** Whether every price is parsed: slower, and what the faster reading is held to. */
  readonly parsesAll?: boolean | undefined
  /** Overrides how large the parts of a file are; for tests. */
  readonly sizes?: Partial<PartSizes> | undefined
  /** Threads of the staging database; as many as processors if absent. */
  readonly threads?: number | undefined
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: FileProgress) => void) | undefined
}

export interface FileProgress {
  readonly bytesRead: number
  /** Undefined where the file comes through a pipe. */
  readonly size: number | undefined
  readonly prices: number
  /** Whether all is read, and the tables are being written. */
  readonly isRead: boolean
}

/** A file whose tables are written, and what is known of it. */
export interface StagedFile extends FileCounts {
  /** Base name without a query string. */
  readonly name: string
  /** Size as it is packed. */
  readonly bytes: number
  /** The strong entity tag of a remote file. */
  readonly etag: string | undefined
  /** SHA-256 of the file as it is packed, in hex. */
  readonly packedHash: string
  /** SHA-256 of the JSON text, in hex. */
  readonly contentHash: string
  readonly header: FileHeader
  /** `YYYY-MM-DD`; undefined if the file states none that can be read. */
  readonly lastUpdatedOn: string | undefined
  /** Whether files that it points to were missing. */
  readonly partial: boolean
  /** The files that were read because it points to them. */
  readonly references: readonly { readonly identity: string; readonly contentHash: string }[]
  readonly findings: readonly Finding[]
}

/**
 * Writes the tables of one file into a source's staging folder.
 *
 * @throws LoadRefused if the file's structure is not that of an in-network file, or too many of its values are unusable
 */
export async function stageFile(path: string, staged: StagingFiles, options: StageOptions): Promise<StagedFile> {
  await using published = await openPublishedBytes(path, options)
  await using database = await StagingDatabase.open(staged.scratch, options)
  const findings = new Findings(options.strict ? path : undefined)
  const filter = createRowFilter(options.filter)
  const providers = await ProviderStage.create(database, staged.scratch, findings, filter)
  using _npis = providers.inline.npis
  const prices = await PriceStage.create(database, providers, findings, filter)
  const fileOf: StagingFiles['fileOf'] = (table, index) => staged.fileOf(table, index)
  const sizes = { ...partSizes, ...options.sizes }
  await using parts = new FileParts({
    ...{ folder: staged.scratch, first: database, prices, providers, filter, fileOf, sizes },
  })
  const tell = (isRead: boolean) =>
    options.onProgress?.({
      bytesRead: published.bytesRead(),
      size: published.size,
      prices: prices.published,
      isRead,
    })

  const chunks = watch(published, options.signal, () => tell(false))
  const references = new Map<string, string>()
  let missingFiles = 0
  const stream = new JsonStream(chunks, path, (value) => findings.count('not-utf8', value))
  const visitor: InNetworkVisitor = {
    isWanted: filter.keepsCode,
    groups: (groups) => providers.addGroups(groups),
    async reference(reference, index) {
      const location = reference?.location
      if (reference !== undefined && location !== undefined) {
        const found = options.finder.find(location, path)
        if (found.outcome === 'ambiguous') {
          throw new LoadRefused(path, `${reference.at.path}.location is ambiguous: ${found.reason}`)
        }
        if (found.outcome === 'found') {
          const hash = await readReferenceFile(found.path, (groups) => providers.addGroups(groups), findings, options)
          references.set(identifyAddress(location), hash)
        } else if (options.partial) {
          missingFiles++
          providers.addMissing(reference)
        } else refuseMissing(path, reference.at.path, location)
      }
      providers.addReference(reference, index)
    },
    beforeItem: () => parts.makeRoom(),
    beforeLongRate: () => parts.makeRoomForGroups(),
    item: (item, index) => prices.addItem(item, index),
    rate: (rate, item, index) => prices.addRate(rate, item, index),
    passItem: (priceCount) => prices.passItem(priceCount),
    ...(options.parsesAll !== true && {
      plain: {
        rates: prices.plainRates,
        rate: (rate, at, item, index) => prices.addPlainRate(rate, at, item, index),
      },
    }),
  }
  const header = await readInNetwork(stream, path, visitor, findings)

  const lastUpdatedOn = parsePublishedDate(header.lastUpdatedOn)
  if (lastUpdatedOn === undefined) findings.count('unreadable-date', { path: 'last_updated_on' })
  if (header.reportingEntityName === undefined) findings.count('missing-entity', { path: 'reporting_entity_name' })
  tell(true)
  const counts = await parts.join(findings)
  refuseSkipped(path, { published: counts.published, skipped: counts.skipped }, findings, options.maxSkipped)
  await parts.write()
  return {
    name: published.name,
    bytes: published.bytesRead(),
    etag: published.etag(),
    packedHash: published.packedHash(),
    contentHash: published.contentHash(),
    header,
    lastUpdatedOn,
    partial: missingFiles > 0,
    references: [...references].map(([identity, hash]) => ({ identity, contentHash: hash })),
    ...counts,
    findings: findings.list(),
  }
}

async function* watch(
  { chunks }: PublishedBytes,
  signal: AbortSignal | undefined,
  tell: () => void,
): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    signal?.throwIfAborted()
    tell()
    yield chunk
  }
}

function refuseMissing(file: string, path: string, location: string): never {
  const fault = `points to another file, which is not there: ${identifyAddress(location)}`
  throw new LoadRefused(
    file,
    `${path}.location ${fault} (put it beside the file, map it with --files, fetch it with --fetch, or use --partial)`,
  )
}
