import type { WarehouseTable } from '../../schema/columns/warehouse-tables.ts'
import type { RowFilter } from '../filter/row-filter.ts'
import type { Finding, FindingRule } from '../published/findings.ts'
import { Findings } from '../published/findings.ts'
import type { PriceStage } from '../staging/stage-prices.ts'
import type { ProviderStage } from '../staging/stage-providers.ts'
import type { StagingDatabase } from '../staging/staging-database.ts'
import { joinStaged, writeTables } from './assemble-tables.ts'
import type { FileCounts, PriceCounts } from './count-prices.ts'
import { countDistinct, createUsedTables, noteUsed, takeUsed } from './count-prices.ts'

/** How large parts are. */
export interface PartSizes {
  /**
   * Rows of `negotiated_rates` and members of inline groups, and for each inline group and item as many as take the
   * same memory. More would spill to disk while they are sorted; fewer make more files, of each of which a search reads
   * at least a row group.
   */
  readonly rows: number
  /** The most groups, items and terms of a part that are held in memory while it is written. */
  readonly shared: number
}

export const partSizes: PartSizes = { rows: 8_000_000, shared: 1_500_000 }

/** Rows that take as much memory as an inline group or an item. */
const rowsPerText = 32

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
  /** Absent if the file is staged as a whole. */
  readonly piece?: PieceContext | undefined
}

/** What others tell of a file while one of its pieces is staged. */
export interface PieceContext {
  /** The path of a database with the references of the file: see `shareReferences`. */
  readonly references: Promise<string>
  /** How many prices the file has before the piece. */
  readonly pricesBefore: Promise<number>
}

/** What the parts of a file, or of a piece of it, hold. */
export interface JoinedParts {
  readonly counts: PriceCounts
  readonly findings: readonly Finding[]
}

/**
 * Cuts a file into parts between its items. While one is read, the one before is sorted and written, so that a file of any
 * size takes the same memory and disk space. Each part can be written by itself: its references are defined in the
 * first part, and its inline groups in itself. A file that defines references after its prices is one part.
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

  constructor(deps: FilePartsDeps) {
    this.#deps = deps
    this.#current = deps.first
  }

  /** To be called before each item. @returns undefined if the part goes on */
  cutIfFull(): Promise<void> | undefined {
    const { prices, providers, sizes, piece } = this.#deps
    const ofReferences = this.#part === 0 && providers.hasReferences
    const inline = ofReferences ? 0 : providers.members + rowsPerText * providers.definitions
    if (prices.rowCount + rowsPerText * prices.itemCount + inline < sizes.rows) return undefined
    const isUndefined = prices.hasReferences && !providers.hasReferences && piece === undefined
    return isUndefined ? undefined : this.#cut()
  }

  /** Joins what is left. */
  async join(): Promise<JoinedParts> {
    await this.#assembling
    await this.#current.commit()
    if (this.#part === 0 && this.#deps.piece !== undefined) await createUsedTables(this.#deps.first)
    await this.#join(this.#current)
    return mergeParts(this.#outcomes)
  }

  /**
   * Counts what all parts have, after `join`.
   *
   * @param pieces folders of `writeUsed`, if the items were staged elsewhere
   */
  async countDistinct(pieces: readonly string[] = []): Promise<Pick<FileCounts, 'codes' | 'npis'>> {
    const { first } = this.#deps
    const hasNotes = this.#part > 0 || pieces.length > 0
    if (hasNotes && this.#part === 0) await createUsedTables(first)
    for (const folder of pieces) await takeUsed(first, folder)
    return countDistinct(first, hasNotes)
  }

  /** Writes what is left, after `join`. */
  async write(): Promise<void> {
    await this.#write(this.#current)
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
    const full = this.#current
    await full.commit()
    if (this.#part === 0) await createUsedTables(first)
    this.#part++
    this.#current = await first.openPart(folder, this.#part)
    await prices.startPart(this.#current)
    await providers.startPart(this.#current)
    this.#previous = full
    this.#assembling = this.#assemble(full)
    // It is thrown by the next cut, or at the end.
    this.#assembling.catch(() => undefined)
  }

  async #assemble(part: StagingDatabase): Promise<void> {
    try {
      await this.#join(part)
      await this.#write(part)
    } finally {
      this.#previous = undefined
      if (part !== this.#deps.first) await part[Symbol.asyncDispose]()
    }
  }

  async #join(part: StagingDatabase): Promise<void> {
    const { piece, filter } = this.#deps
    if (piece !== undefined) await part.attachReferences(await piece.references)
    const findings = new Findings()
    const counts = await joinStaged(part, findings, filter)
    this.#outcomes.push({ counts, findings: findings.list() })
    if (this.#part > 0 || piece !== undefined) await noteUsed(part)
  }

  #write(part: StagingDatabase): Promise<void> {
    const { first, piece, sizes } = this.#deps
    return writeTables(part, {
      nextFile: (table) => this.#nextFile(table),
      maxShared: sizes.shared,
      pricesBefore: async () => piece?.pricesBefore ?? 0,
      writesEmpty: piece === undefined && part === first,
    })
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
export function mergeParts(parts: readonly JoinedParts[]): JoinedParts {
  const sum = (name: keyof PriceCounts) => parts.reduce((total, { counts }) => total + counts[name], 0)
  const all = parts.flatMap(({ findings }) => findings)
  const merged = new Findings()
  for (const rule of joiningRules) for (const finding of all) if (finding.rule === rule) merged.add(finding)
  return {
    counts: { prices: sum('prices'), skipped: sum('skipped'), rates: sum('rates'), published: sum('published') },
    findings: merged.list(),
  }
}
