import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { groupTable, priceTable, type WarehouseTable } from '../../schema/columns/warehouse-tables.ts'
import type { Portion, PortionItem } from '../collect/portion.ts'
import type { PriceCollector } from '../collect/price-collector.ts'
import type { ProviderCollector } from '../collect/provider-collector.ts'
import { readPortion, savePortion } from '../collect/saved-portion.ts'
import type { Findings } from '../decode/findings.ts'
import type { NewSeed } from '../decode/keyed-hash.ts'
import type { FileWatch } from './file-watch.ts'
import { GroupRows } from './group-rows.ts'
import { type PriceCounts, ReferenceResolver } from './validation/reference-resolver.ts'
import { writePrices } from './write-prices.ts'

/** Limits of the memory that a file's portions take. */
export interface PortionSizes {
  /**
   * Bytes of prices, with the values that they share, that are held in memory before they are written. A smaller number
   * makes more files, and a search reads at least a row group of each.
   */
  readonly prices: number
  /** Bytes of provider groups that are held in memory: one limit for inline groups, and the same for references. */
  readonly groups: number
}

export const portionSizes: PortionSizes = { prices: 200 << 20, groups: 48 << 20 }

/** Bytes of the key of an inline group while prices are written. */
const keyWeight = 16

/** Counts of a file's prices, rows and providers. */
export interface FileCounts extends PriceCounts {
  /** Distinct NPIs of the provider groups that its prices name; 0 is not counted. */
  readonly npis: number
  /** Rows of `provider_groups`. */
  readonly groupRows: number
}

/** A portion on disk, which waits until its last item is complete and the references are defined. */
interface WaitingPortion {
  readonly path: string
  readonly lastItem: PortionItem
  readonly namesReferences: boolean
}

/** Dependencies of `FilePortions`. */
export interface FilePortionsDeps {
  /** An empty local folder; the caller removes it. */
  readonly folder: string
  readonly prices: PriceCollector
  readonly providers: ProviderCollector
  readonly fileOf: (table: WarehouseTable, index: number) => string
  readonly sizes: PortionSizes
  readonly newSeed: NewSeed
  readonly watch: FileWatch
}

/**
 * Cuts a file into portions that fit in memory. Each is sorted and written by itself, so that a file of any size takes
 * the same memory. A portion waits on disk while its prices name references and none is defined, or while the code of
 * its last item has not been read.
 */
export class FilePortions {
  readonly #deps: FilePortionsDeps
  readonly #files = new Map<string, number>()
  readonly #resolver: ReferenceResolver
  readonly #groupRows = new GroupRows((table) => this.#nextFile(table))
  readonly #waiting: WaitingPortion[] = []
  #portions = 0
  #isMerged = false

  constructor(deps: FilePortionsDeps) {
    this.#deps = deps
    this.#resolver = new ReferenceResolver(deps.providers.references, deps.newSeed)
  }

  /** Must be called before each item, and before each rate of a long one. @returns undefined if there is room */
  makeRoom(): Promise<void> | undefined {
    const { providers, prices, sizes } = this.#deps
    if (this.#waiting.length > 0 && this.#canWriteWaiting()) return this.#writeWaiting().then(() => this.makeRoom())
    if (providers.inline.store.weight >= sizes.groups) return this.#writeInline().then(() => this.makeRoom())
    const weight = prices.portion.weight + keyWeight * providers.inline.portion.count
    return weight < sizes.prices ? undefined : this.#cut()
  }

  /** Must be called after each reference. @returns undefined if there is room */
  makeRoomForReferences(): Promise<void> | undefined {
    const { referenceGroups } = this.#deps.providers
    return referenceGroups.store.weight < this.#deps.sizes.groups ? undefined : referenceGroups.save()
  }

  /** Writes the last portions, and adds the findings to those of the file. */
  async end(findings: Findings): Promise<FileCounts> {
    const { prices, providers } = this.#deps
    const { inline, referenceGroups } = providers
    await this.#writeInline()
    this.#copyOutcome()
    await this.#writeWaiting()
    await this.#writePortion(prices.endPortion(), !this.#files.has(priceTable.name))
    await referenceGroups.take((store, filterNpis) =>
      this.#groupRows.writeReferences(store, providers.references.ids.texts, inline.npis, filterNpis),
    )
    if (!this.#files.has(groupTable.name)) await this.#groupRows.writeNothing()
    this.#resolver.report(findings)
    return { ...this.#resolver.counts, npis: inline.npis.count(), groupRows: this.#groupRows.count }
  }

  /** Ends a portion: it is written, or waits on disk. */
  async #cut(): Promise<void> {
    const { prices, providers, folder } = this.#deps
    const portion = prices.endPortion()
    const { lastItem, hasReferences: namesReferences } = portion
    if (lastItem?.outcome !== undefined && (providers.references.isAnyDefined || !namesReferences))
      await this.#writePortion(portion, false)
    else if (lastItem !== undefined) {
      const path = join(folder, `portion-${this.#portions++}`)
      await savePortion(path, portion)
      this.#waiting.push({ path, lastItem, namesReferences })
    }
    prices.startPortion()
  }

  /** True if every waiting portion can be written. */
  #canWriteWaiting(): boolean {
    this.#copyOutcome()
    const { isAnyDefined } = this.#deps.providers.references
    return this.#waiting.every(
      ({ lastItem, namesReferences }) => lastItem.outcome !== undefined && (isAnyDefined || !namesReferences),
    )
  }

  /** Copies the outcome of an item that has become complete to the waiting portions that end in it. */
  #copyOutcome(): void {
    const last = this.#deps.prices.portion.lastItem
    for (const { lastItem } of this.#waiting) if (lastItem.index === last?.index) lastItem.outcome ??= last.outcome
  }

  async #writeWaiting(): Promise<void> {
    for (const { path, lastItem } of this.#waiting.splice(0)) {
      const portion = await readPortion(path)
      portion.items.splice(-1, 1, lastItem)
      await this.#writePortion(portion, false)
      await rm(path)
    }
  }

  async #writePortion(portion: Portion, isNeeded: boolean): Promise<void> {
    const { providers, newSeed, watch } = this.#deps
    watch.look()
    if (providers.references.isAnyDefined && !this.#isMerged) {
      this.#isMerged = true
      await providers.referenceGroups.merge()
    }
    const priced = this.#resolver.resolve(portion)
    if (priced === 0 && !isNeeded) return
    await writePrices(portion, priced, this.#nextFile(priceTable), {
      ids: providers.references.ids.texts,
      newSeed,
      watch,
    })
  }

  async #writeInline(): Promise<void> {
    const { inline } = this.#deps.providers
    if (inline.store.count > 0) await this.#groupRows.writeInline(inline)
    inline.clear()
  }

  #nextFile(table: WarehouseTable): string {
    const index = this.#files.get(table.name) ?? 0
    this.#files.set(table.name, index + 1)
    return this.#deps.fileOf(table, index)
  }
}
