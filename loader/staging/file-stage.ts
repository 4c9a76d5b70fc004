import { findLocationFault, identifyAddress } from '../files/file-address.ts'
import { createRowFilter } from '../filter/row-filter.ts'
import { JsonStream } from '../json/json-stream.ts'
import { LoadRefused } from '../load-refused.ts'
import { Findings } from '../published/findings.ts'
import type { FileHeader, ProviderReference } from '../published/in-network-file.ts'
import { type InNetworkVisitor, readInNetwork } from '../published/read-in-network.ts'
import { readReferenceFile } from '../published/reference-file.ts'
import { FilePortions, portionSizes } from '../write/file-portions.ts'
import type { StagedFile, StageOptions, StagingFiles } from './stage-file.ts'
import { PriceStage } from './stage-prices.ts'
import { ProviderStage } from './stage-providers.ts'

/** Reads the text of an in-network file, and writes its tables. */
export class FileStage implements Disposable {
  readonly findings: Findings
  readonly prices: PriceStage
  readonly providers: ProviderStage
  readonly portions: FilePortions
  /** How many files that the file points to are missing. */
  missingFiles = 0
  readonly #path: string
  readonly #options: StageOptions
  readonly #visitor: InNetworkVisitor
  readonly #references = new Map<string, string>()

  constructor(path: string, { scratch, fileOf }: StagingFiles, options: StageOptions) {
    this.#path = path
    this.#options = options
    const filter = createRowFilter(options.filter)
    this.findings = new Findings(options.strict ? path : undefined)
    const providers = new ProviderStage(scratch, this.findings, filter)
    const prices = new PriceStage(providers, this.findings, filter)
    const sizes = { ...portionSizes, ...options.sizes }
    const { signal } = options
    const portions = new FilePortions({ folder: scratch, prices, providers, fileOf, sizes, signal })
    this.providers = providers
    this.prices = prices
    this.portions = portions
    this.#visitor = {
      needsPlan: options.needsPlan,
      isWanted: filter.keepsCode,
      groups: (groups) => providers.addGroups(groups),
      reference: (reference, index) => this.#addReference(reference, index),
      beforeItem: () => portions.makeRoom(),
      beforeLongRate: () => portions.makeRoom(),
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
  references(): StagedFile['references'] {
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
        const take: InNetworkVisitor['groups'] = (groups) => this.providers.addGroups(groups)
        const hash = await readReferenceFile(found.path, take, this.findings, this.#options)
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
