import { FileParts, partSizes } from '../assembly/file-parts.ts'
import { findLocationFault, identifyAddress } from '../files/file-address.ts'
import type { RowFilter } from '../filter/row-filter.ts'
import { createRowFilter } from '../filter/row-filter.ts'
import { JsonStream } from '../json/json-stream.ts'
import { LoadRefused } from '../load-refused.ts'
import { Findings } from '../published/findings.ts'
import type { FileHeader, ProviderReference } from '../published/in-network-file.ts'
import type { InNetworkVisitor } from '../published/read-in-network.ts'
import { readInNetwork } from '../published/read-in-network.ts'
import { readReferenceFile } from '../published/reference-file.ts'
import type { StagedFile, StageOptions, StagingFiles } from './stage-file.ts'
import { PriceStage } from './stage-prices.ts'
import { ProviderStage } from './stage-providers.ts'
import { StagingDatabase } from './staging-database.ts'

interface StageParts {
  readonly filter: RowFilter
  readonly database: StagingDatabase
  readonly findings: Findings
  readonly prices: PriceStage
  readonly providers: ProviderStage
  readonly parts: FileParts
}

/** Reads the text of an in-network file into a staging database. */
export class FileStage implements AsyncDisposable {
  readonly database: StagingDatabase
  readonly findings: Findings
  readonly prices: PriceStage
  readonly providers: ProviderStage
  readonly parts: FileParts
  /** How many files that the file points to are missing. */
  missingFiles = 0
  readonly #path: string
  readonly #options: StageOptions
  readonly #visitor: InNetworkVisitor
  readonly #references = new Map<string, string>()

  static async open(path: string, { scratch, fileOf }: StagingFiles, options: StageOptions): Promise<FileStage> {
    const database = await StagingDatabase.open(scratch, options)
    const findings = new Findings(options.strict ? path : undefined)
    const filter = createRowFilter(options.filter)
    const providers = await ProviderStage.create(database, scratch, findings, filter)
    const prices = await PriceStage.create(database, providers, findings, filter)
    const sizes = { ...partSizes, ...options.sizes }
    const parts = new FileParts({ folder: scratch, first: database, prices, providers, filter, fileOf, sizes })
    return new FileStage(path, options, { filter, database, findings, prices, providers, parts })
  }

  private constructor(path: string, options: StageOptions, stage: StageParts) {
    this.#path = path
    this.#options = options
    this.database = stage.database
    this.findings = stage.findings
    this.prices = stage.prices
    this.providers = stage.providers
    this.parts = stage.parts
    const { filter, prices, providers, parts } = stage
    this.#visitor = {
      isWanted: filter.keepsCode,
      groups: (groups) => providers.addGroups(groups),
      reference: (reference, index) => this.#addReference(reference, index),
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
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.parts[Symbol.asyncDispose]()
    this.providers.inline.npis[Symbol.dispose]()
    await this.database[Symbol.asyncDispose]()
  }
}

function refuseMissing(file: string, path: string, location: string): never {
  const fault = `points to another file, which is not there: ${identifyAddress(location)}`
  throw new LoadRefused(
    file,
    `${path}.location ${fault} (put it beside the file, map it with --files, fetch it with --fetch, or use --partial)`,
  )
}
