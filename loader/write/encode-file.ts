import type { LoadFilter } from '../../core/catalogue/load-filter.ts'
import type { WarehouseTable } from '../../schema/columns/warehouse-tables.ts'
import { PriceCollector } from '../columns/price-collector.ts'
import { ProviderCollector } from '../columns/provider-collector.ts'
import { createRowFilter } from '../columns/row-filter.ts'
import { type Finding, Findings } from '../decode/findings.ts'
import { type FileHeader, leaveOutTexts, type ProviderReference } from '../decode/in-network-file.ts'
import type { InNetworkVisitor } from '../decode/in-network-visitor.ts'
import { JsonStream } from '../decode/json/json-stream.ts'
import { readInNetwork } from '../decode/read-in-network.ts'
import { readReferenceFile } from '../decode/reference-file.ts'
import { parsePublishedDate } from '../decode/values/published-date.ts'
import { findLocationFault, identifyAddress } from '../fetch/file-address.ts'
import type { FileFinder } from '../fetch/file-finder.ts'
import { LoadRefused } from '../fetch/load-refused.ts'
import { openPublishedBytes, type ReadingOptions } from '../fetch/published-bytes.ts'
import { type FileCounts, FilePortions, type PortionSizes, portionSizes } from './file-portions.ts'
import { refuseSkipped } from './refuse-skipped.ts'

/** Where the tables of a file are written. */
export interface TableFiles {
  /** A folder for temporary files. */
  readonly scratch: string
  /** The local path to write a table's file to, the first or a further part; its folder exists. */
  fileOf(table: WarehouseTable, part?: number): string
}

/** How a file is encoded. */
export interface EncodeOptions extends Omit<ReadingOptions, 'onRead'> {
  /** Finds the files that the file points to. */
  readonly finder: FileFinder
  /** Whether files that the file points to may be missing. */
  readonly partial: boolean
  /** The largest share of prices, items, provider groups or NPIs that may be skipped. */
  readonly maxSkipped: number
  /** Whether the first value that is lost or has the wrong type refuses the file. */
  readonly strict: boolean
  /** Whether a file must say before its rates which plan it is for: nobody else does. */
  readonly needsPlan?: boolean | undefined
  /** Whether files of a newer schema version are read. */
  readonly assumesVersion?: boolean | undefined
  /** Whether names and descriptions of items are left out. */
  readonly withoutDescriptions?: boolean | undefined
  /** Which rates are kept; all if absent. */
  readonly filter?: LoadFilter | undefined
  /** Whether every price is parsed: slower, and what the faster reading is held to. */
  readonly parsesAll?: boolean | undefined
  /** Overrides how large the portions of a file are; for tests. */
  readonly sizes?: Partial<PortionSizes> | undefined
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
export interface EncodedFile extends FileCounts {
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
  readonly networks: readonly string[]
  /** `YYYY-MM-DD`; undefined if the file states none that can be read. */
  readonly lastUpdatedOn: string | undefined
  /** Whether files that it points to were missing. */
  readonly partial: boolean
  /** The files that were read because it points to them. */
  readonly references: readonly { readonly identity: string; readonly contentHash: string }[]
  readonly findings: readonly Finding[]
}

/**
 * Reads one file and writes its tables.
 *
 * @throws LoadRefused if the file's structure is not that of an in-network file, or too many of its values are unusable
 */
export async function encodeFile(path: string, files: TableFiles, options: EncodeOptions): Promise<EncodedFile> {
  using encoder = new FileEncoder(path, files, options)
  const { findings } = encoder
  const tell = (bytesRead: number, size: number | undefined, isRead = false) =>
    options.onProgress?.({ bytesRead, size, isRead, prices: encoder.prices.published })
  await using published = await openPublishedBytes(path, { ...options, onRead: tell })
  const header = await encoder.read(published.chunks)
  const lastUpdatedOn = readLastUpdatedOn(header, findings)
  for (const oddity of published.oddities()) findings.add(oddity)
  tell(published.bytesRead(), published.size, true)
  const counts = await encoder.portions.end(findings)
  refuseSkipped(path, counts, findings, options.maxSkipped)
  return {
    ...{ name: published.name, bytes: published.bytesRead(), etag: published.etag() },
    ...{ packedHash: published.packedHash(), contentHash: published.contentHash() },
    ...{
      header,
      networks: [...encoder.providers.networks],
      lastUpdatedOn,
      partial: encoder.missingFiles > 0,
      references: encoder.references(),
    },
    ...counts,
    findings: findings.list(),
  }
}

/** The day that a file states; counts what is missing in its header. */
function readLastUpdatedOn(header: FileHeader, findings: Findings): string | undefined {
  const lastUpdatedOn = parsePublishedDate(header.lastUpdatedOn)
  if (lastUpdatedOn === undefined) findings.count('unreadable-date', { path: 'last_updated_on' })
  if (header.reportingEntityName === undefined) findings.count('missing-entity', { path: 'reporting_entity_name' })
  return lastUpdatedOn
}

/** Reads the text of an in-network file, and writes its tables. */
class FileEncoder implements Disposable {
  readonly findings: Findings
  readonly prices: PriceCollector
  readonly providers: ProviderCollector
  readonly portions: FilePortions
  /** How many files that the file points to are missing. */
  missingFiles = 0
  readonly #path: string
  readonly #options: EncodeOptions
  readonly #visitor: InNetworkVisitor
  readonly #references = new Map<string, string>()

  constructor(path: string, { scratch, fileOf }: TableFiles, options: EncodeOptions) {
    this.#path = path
    this.#options = options
    const filter = createRowFilter(options.filter)
    this.findings = new Findings(options.strict ? path : undefined)
    const providers = new ProviderCollector(scratch, this.findings, filter)
    const prices = new PriceCollector(providers, this.findings, filter)
    const sizes = { ...portionSizes, ...options.sizes }
    const { signal } = options
    const portions = new FilePortions({ folder: scratch, prices, providers, fileOf, sizes, signal })
    this.providers = providers
    this.prices = prices
    this.portions = portions
    this.#visitor = {
      needsPlan: options.needsPlan,
      assumesVersion: options.assumesVersion,
      isWanted: filter.keepsCode,
      groups: providers.referenceGroups.store,
      reference: (reference, index) => this.#addReference(reference, index),
      makeRoom: () => portions.makeRoom(),
      item: (item, index) => prices.addItem(options.withoutDescriptions ? item && leaveOutTexts(item) : item, index),
      rate: (rate, item, index) => prices.addRate(rate, item, index),
      passItem: (priceCount) => prices.passItem(priceCount),
      ...(options.parsesAll !== true && {
        scan: {
          rates: prices.scannedRates,
          references: providers.scannedReferences,
          makeRoomForReferences: () => portions.makeRoomForReferences(),
          reference: (bytes, index) => providers.addScannedReference(bytes, index),
          rate: (rate, at, item, index) => prices.addScannedRate(rate, at, item, index),
        },
      }),
    }
  }

  /**
   * Reads a text from its start to its end.
   *
   * @throws LoadRefused as `readInNetwork`
   */
  read(chunks: AsyncIterator<Buffer>): Promise<FileHeader> {
    const stream = new JsonStream(chunks, this.#path, (value) => this.findings.count('not-utf8', value))
    return readInNetwork(stream, this.#path, this.#visitor, this.findings)
  }

  /** The files that were read because the file points to them. */
  references(): EncodedFile['references'] {
    return [...this.#references].map(([identity, hash]) => ({ identity, contentHash: hash }))
  }

  async #addReference(reference: ProviderReference | undefined, index: number): Promise<void> {
    const { finder, partial } = this.#options
    const location = reference?.location
    if (reference !== undefined && location !== undefined) {
      const fault = findLocationFault(location)
      if (fault !== undefined) throw new LoadRefused(this.#path, `${reference.at.path}.location ${fault}`)
      const found = finder.find(location, this.#path)
      if (found.outcome === 'ambiguous') {
        throw new LoadRefused(this.#path, `${reference.at.path}.location is ambiguous: ${found.reason}`)
      }
      if (found.outcome === 'found') {
        const { store } = this.providers.referenceGroups
        const hash = await readReferenceFile(found.path, store, this.findings, this.#options)
        this.#references.set(identifyAddress(location), hash)
      } else if (partial) {
        this.missingFiles++
        this.providers.addMissing(reference)
      } else refuseMissing(this.#path, reference.at.path, location)
    }
    this.providers.addReference(reference, index)
    await this.portions.makeRoomForReferences()
  }

  [Symbol.dispose](): void {
    this.providers.inline.npis[Symbol.dispose]()
  }
}

function refuseMissing(file: string, path: string, location: string): never {
  const fault = `points to another file, which is not there: ${identifyAddress(location)}`
  throw new LoadRefused(
    file,
    `${path}.location ${fault} (put it beside the file, map it with --files, fetch it with --fetch, or use --partial)`,
  )
}
