import type { NegotiatedPrice } from '../published/in-network-file.ts'
import { termColumns } from '../published/in-network-file.ts'
import type { PublishedValue } from '../published/published-column.ts'
import type { StagedValues } from './staged-value.ts'
import { stageValues } from './staged-value.ts'
import type { StagedTable, StagingDatabase } from './staging-database.ts'

/** Terms whose numbers are kept in memory; when there are more, all are forgotten and stored again as they recur. */
const maxKnownTerms = 100_000

/** Terms that are stored, and what is counted for each price that has them. */
export interface KnownTerms {
  readonly number: number
  readonly findings: StagedValues['findings']
}

/** Stores what many prices share, each combination once. */
export class TermStage {
  readonly #table: StagedTable<'terms'>
  readonly #known = new Map<string, KnownTerms>()
  #count = 0

  private constructor(table: StagedTable<'terms'>) {
    this.#table = table
  }

  static async create(database: StagingDatabase): Promise<TermStage> {
    return new TermStage(await database.createTable('terms', [['terms', 'uinteger']], termColumns))
  }

  add({ terms }: NegotiatedPrice): KnownTerms {
    const key = keyOf(terms)
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const { values, findings } = stageValues(termColumns, terms)
    const stored = { number: this.#count++, findings }
    this.#table.add({ terms: stored.number }, values)
    if (this.#known.size >= maxKnownTerms) this.#known.clear()
    this.#known.set(key, stored)
    return stored
  }
}

/** The same for equal values only: each text comes after its length. */
function keyOf(values: readonly PublishedValue[]): string {
  let key = ''
  for (const value of values) {
    if (typeof value !== 'object') key += value === undefined ? '-' : `${value.length}:${value}`
    else {
      key += `${value.length};`
      for (const text of value) key += `${text.length}:${text}`
    }
  }
  return key
}
