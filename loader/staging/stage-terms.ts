import type { PortionRows } from '../columns/portion.ts'
import { termColumns } from '../published/in-network-file.ts'
import { keyOfValues, type PublishedValue } from '../published/published-column.ts'
import { type StagedValues, stageValues } from './staged-value.ts'

/** Terms that are known by their values; when there are more, all are forgotten and stored again as they recur. */
const maxKnownTerms = 100_000

/** Terms that prices share, and what is counted for each price that has them. */
export interface KnownTerms extends StagedValues {
  /** In the portion of the file that had them last. */
  number: number
  /** The last portion of the file that has them; -1 if none has. */
  portion: number
}

/** Stores what many prices share, each combination once in a portion. */
export class TermStage {
  readonly #rows: PortionRows
  #portion = 0
  readonly #known = new Map<string, KnownTerms>()

  constructor(rows: PortionRows) {
    this.#rows = rows
  }

  startPortion(): void {
    this.#portion++
  }

  /** The number of terms in the current portion. */
  numberOf(terms: KnownTerms): number {
    if (terms.portion !== this.#portion) {
      terms.number = this.#rows.addTerms(terms.values)
      terms.portion = this.#portion
    }
    return terms.number
  }

  add(terms: readonly PublishedValue[]): KnownTerms {
    const key = keyOfValues(terms)
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const read = { ...stageValues(termColumns, terms), number: 0, portion: -1 }
    if (this.#known.size >= maxKnownTerms) this.#known.clear()
    this.#known.set(key, read)
    return read
  }
}
