import { termColumns } from '../published/in-network-file.ts'
import type { PublishedValue } from '../published/published-column.ts'
import { keyOfValues } from '../published/published-column.ts'
import type { StagedTable } from './staged-table.ts'
import type { StagedValues } from './staged-value.ts'
import { stageValues } from './staged-value.ts'
import type { StagingDatabase } from './staging-database.ts'

/** Terms whose numbers are kept in memory; when there are more, all are forgotten and stored again as they recur. */
const maxKnownTerms = 100_000

/** Terms that are stored, and what is counted for each price that has them. */
export interface KnownTerms {
  /** In the part of the file that had them last. */
  number: number
  readonly values: StagedValues['values']
  readonly findings: StagedValues['findings']
  /** The last part of the file that has them. */
  part: number
}

/** Stores what many prices share, each combination once. */
export class TermStage {
  #table: StagedTable<'terms'>
  #part = 0
  readonly #known = new Map<string, KnownTerms>()
  #count = 0

  private constructor(table: StagedTable<'terms'>) {
    this.#table = table
  }

  static async create(database: StagingDatabase): Promise<TermStage> {
    return new TermStage(await createTable(database))
  }

  /** Stores what follows in the next part of the file. */
  async startPart(database: StagingDatabase): Promise<void> {
    this.#table = await createTable(database)
    this.#part++
    this.#count = 0
  }

  /** The number of terms in the current part. */
  numberOf(terms: KnownTerms): number {
    if (terms.part !== this.#part) {
      terms.number = this.#count++
      terms.part = this.#part
      this.#table.add({ terms: terms.number }, terms.values)
    }
    return terms.number
  }

  add(terms: readonly PublishedValue[]): KnownTerms {
    const key = keyOfValues(terms)
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const { values, findings } = stageValues(termColumns, terms)
    const stored = { number: this.#count++, values, findings, part: this.#part }
    this.#table.add({ terms: stored.number }, values)
    if (this.#known.size >= maxKnownTerms) this.#known.clear()
    this.#known.set(key, stored)
    return stored
  }
}

const createTable = (database: StagingDatabase) => database.createTable('terms', [['terms', 'uinteger']], termColumns)
