import { PriceCollector } from '../columns/price-collector.ts'
import { ProviderCollector } from '../columns/provider-collector.ts'
import { createRowFilter } from '../columns/row-filter.ts'
import { GroupReader } from '../decode/by-bytes/group-reader.ts'
import { Findings } from '../decode/findings.ts'
import type { FileHeader, ProviderReference } from '../decode/in-network-file.ts'
import { JsonStream } from '../decode/json/json-stream.ts'
import { type InNetworkVisitor, readInNetwork } from '../decode/read-in-network.ts'
import { readReferenceFile } from '../decode/reference-file.ts'
import { findLocationFault, identifyAddress } from '../fetch/file-address.ts'
import { LoadRefused } from '../fetch/load-refused.ts'
import type { EncodedFile, EncodeOptions, TableFiles } from './encode-file.ts'
import { FilePortions, portionSizes } from './file-portions.ts'

/** Reads the text of an in-network file, and writes its tables. */
export class FileEncoder implements Disposable {
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
      beforeItem: () => portions.makeRoom(),
      beforeLongRate: () => portions.makeRoom(),
      item: (item, index) => prices.addItem(item, index),
      rate: (rate, item, index) => prices.addRate(rate, item, index),
      passItem: (priceCount) => prices.passItem(priceCount),
      ...(options.parsesAll !== true && {
        plain: {
          rates: prices.plainRates,
          groups: new GroupReader(providers.referenceGroups.store),
          rate: (rate, at, item, index) => prices.addPlainRate(rate, at, item, index),
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
