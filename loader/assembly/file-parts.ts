import type { WarehouseTable } from '../../schema/columns/warehouse-tables.ts'
import type { RowFilter } from '../filter/row-filter.ts'
import { GroupRows } from '../inline-groups/group-rows.ts'
import type { PartGroups } from '../inline-groups/inline-groups.ts'
import type { Finding, FindingRule } from '../published/findings.ts'
import { Findings } from '../published/findings.ts'
import type { PriceStage } from '../staging/stage-prices.ts'
import type { ProviderStage } from '../staging/stage-providers.ts'
import type { StagingDatabase } from '../staging/staging-database.ts'
import { joinStaged, writeTables } from './assemble-tables.ts'
import type { FileCounts, PriceCounts } from './count-prices.ts'
import { countDistinct, createUsedTables, noteUsed } from './count-prices.ts'
import type { HeldSizes } from './sort-prices.ts'

/** How large parts are. */
export interface PartSizes {
  /**
   * Rows of `negotiated_rates`, and for each inline group and item as many as take the same memory. More would spill to
   * disk while they are sorted; fewer make more files, of each of which a search reads at least a row group.
   */
  readonly rows: number
  /** Bytes of inline groups that are held in memory before they are written, in a file for one or several parts. */
  readonly groups: number
  /** How much of a part is held in memory while it is written. A part whose items have more prices is rare. */
  readonly held: HeldSizes
}

export const partSizes: PartSizes = {
  rows: 8_000_000,
  groups: 48 << 20,
  held: { shared: 1_500_000, prices: 10_000_000 },
}

/** Rows that take as much memory as an item. */
const rowsPerItem = 32

/** Rows that take as much memory as the key of an inline group. */
const rowsPerKey = 14

interface FullPart {
  readonly database: StagingDatabase
  readonly inline: PartGroups
}

/** What the parts of a file hold. */
interface JoinedParts {
  readonly counts: PriceCounts
  readonly findings: readonly Finding[]
}

/** What assembling the parts of a file needs. */
export interface FilePartsDeps {
  /** An empty local folder; the caller removes it. */
  readonly folder: string
  readonly first: StagingDatabase
  readonly prices: PriceStage
  readonly providers: ProviderStage
  readonly filter: RowFilter
  readonly fileOf: (table: WarehouseTable, index: number) => string
  readonly sizes: PartSizes
}

/**
 * Cuts a file into parts between its items. While one is read, the one before is sorted and written, so that a file of any
 * size takes the same memory and disk space. Each part can be written by itself: its references are defined in the
 * first part, and inline groups are known by their numbers. A file that defines references after its prices is one part.
 */
export class FileParts implements AsyncDisposable {
  readonly #deps: FilePartsDeps
  readonly #files = new Map<string, number>()
  readonly #outcomes: JoinedParts[] = []
  #current: StagingDatabase
  #part = 0
  /** The part that is being sorted and written. */
  #previous: StagingDatabase | undefined
  #assembling: Promise<void> | undefined
  readonly #groupRows = new GroupRows()

  constructor(deps: FilePartsDeps) {
    this.#deps = deps
    this.#current = deps.first
  }

  /** To be called before each item. @returns undefined if there is room */
  makeRoom(): Promise<void> | undefined {
    const written = this.makeRoomForGroups()
    const { prices, providers, sizes } = this.#deps
    const inline = rowsPerKey * providers.inline.part.count
    if (prices.rowCount + rowsPerItem * prices.itemCount + inline < sizes.rows) return written
    if (prices.hasReferences && !providers.hasReferences) return written
    return written === undefined ? this.#cut() : written.then(() => this.#cut())
  }

  /** To be called where there may be many inline groups. @returns undefined if there is room */
  makeRoomForGroups(): Promise<void> | undefined {
    const { providers, sizes } = this.#deps
    return providers.inline.store.weight < sizes.groups ? undefined : this.#writeGroups()
  }

  /** Joins what is left. */
  async join(): Promise<JoinedParts> {
    const { providers } = this.#deps
    await this.#assembling
    if (providers.inline.store.count > 0) await this.#writeGroups()
    await this.#current.commit()
    await this.#join(this.#current)
    return mergeParts(this.#outcomes)
  }

  /** Counts what all parts have, after `join`. */
  async countDistinct(): Promise<Pick<FileCounts, 'codes' | 'npis'>> {
    const { first, providers } = this.#deps
    return countDistinct(first, this.#part > 0, providers.inline.npis)
  }

  /** Writes what is left, after `join`. */
  async write(): Promise<void> {
    await this.#write({ database: this.#current, inline: this.#deps.providers.inline.part }, true)
  }

  /** Ends what runs, and waits until nothing uses the parts any more. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#previous?.interrupt()
    await this.#assembling?.catch(() => undefined)
    if (this.#current !== this.#deps.first) await this.#current[Symbol.asyncDispose]()
  }

  async #cut(): Promise<void> {
    const { first, folder, prices, providers } = this.#deps
    await this.#assembling
    const full = { database: this.#current, inline: providers.inline.part }
    await full.database.commit()
    if (this.#part === 0) await createUsedTables(first)
    this.#part++
    this.#current = await first.openPart(folder, this.#part)
    await prices.startPart(this.#current)
    await providers.startPart(this.#current)
    this.#previous = full.database
    this.#assembling = this.#assemble(full)
    // It is thrown by the next cut, or at the end.
    this.#assembling.catch(() => undefined)
  }

  async #assemble(part: FullPart): Promise<void> {
    try {
      await this.#join(part.database)
      await this.#write(part, false)
    } finally {
      this.#previous = undefined
      if (part.database !== this.#deps.first) await part.database[Symbol.asyncDispose]()
    }
  }

  async #join(part: StagingDatabase): Promise<void> {
    const findings = new Findings()
    const counts = await joinStaged(part, findings, this.#deps.filter)
    this.#outcomes.push({ counts, findings: findings.list() })
    if (this.#part > 0) await noteUsed(part)
  }

  /** Each table of a file has a file, if only without rows. */
  #write({ database, inline }: FullPart, isLast: boolean): Promise<void> {
    const isNeeded = (table: WarehouseTable, rows: number) => rows > 0 || (isLast && !this.#files.has(table.name))
    const nextFile = (table: WarehouseTable, rows: number) =>
      isNeeded(table, rows) ? this.#nextFile(table) : undefined
    return writeTables(database, { nextFile, held: this.#deps.sizes.held, inline })
  }

  async #writeGroups(): Promise<void> {
    const { inline } = this.#deps.providers
    await this.#groupRows.write(inline, (table) => this.#nextFile(table))
    inline.clear()
  }

  #nextFile(table: WarehouseTable): string {
    const index = this.#files.get(table.name) ?? 0
    this.#files.set(table.name, index + 1)
    return this.#deps.fileOf(table, index)
  }
}

/** The rules that joining counts, in the order of a file that is one part. */
const joiningRules: readonly FindingRule[] = [
  'numeric-reference',
  'repeated-reference',
  'repeated-definition',
  'missing-reference-file',
  'dangling-reference',
]

/** Adds up what parts hold, in their order. The findings do not depend on where a file is cut. */
function mergeParts(parts: readonly JoinedParts[]): JoinedParts {
  const sum = (name: keyof PriceCounts) => parts.reduce((total, { counts }) => total + counts[name], 0)
  const all = parts.flatMap(({ findings }) => findings)
  const merged = new Findings()
  for (const rule of joiningRules) for (const finding of all) if (finding.rule === rule) merged.add(finding)
  return {
    counts: { prices: sum('prices'), skipped: sum('skipped'), rates: sum('rates'), published: sum('published') },
    findings: merged.list(),
  }
}
