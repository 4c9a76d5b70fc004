import { at } from '../../schema/at.ts'
import type { FindingRule } from '../decode/findings.ts'
import { termColumns } from '../decode/in-network-file.ts'
import { keyOfValue, type PublishedValue } from '../decode/published-column.ts'
import type { Portion } from './portion.ts'
import { storeValue } from './stored-value.ts'

/** What is counted for a price, and for which column. */
export type TermFinding = readonly [rule: FindingRule, field: string]

const none: readonly TermFinding[] = []

/** Numbers the values that prices share, each once in a portion and column. The number of an absent value is 0. */
export class TermCollector {
  readonly #portion: Portion
  #hasFindings = false
  readonly #columns = termColumns.map((described) => ({
    described,
    numbers: new Map<string, number>(),
    /** By number: what is counted for each price that has the value. */
    findings: Array.of<FindingRule | undefined>(),
  }))

  /** @param portion to which no value was added */
  constructor(portion: Portion) {
    this.#portion = portion
    for (const column of termColumns.keys()) this.numberOf(column, undefined)
  }

  /** The number of a value of one of `termColumns` in the current portion. */
  numberOf(column: number, published: PublishedValue): number {
    const known = this.#columns[column]
    if (known === undefined) throw new RangeError(`terms have no column ${column}`)
    const key = keyOfValue(published)
    const number = known.numbers.get(key)
    if (number !== undefined) return number
    const { value, finding } = storeValue(known.described, published)
    known.numbers.set(key, known.findings.length)
    known.findings.push(finding)
    if (finding !== undefined) this.#hasFindings = true
    return this.#portion.addTerm(column, value)
  }

  /** What is counted for a price; the numbers of its values begin at `first`. */
  findingsOf(terms: ArrayLike<number>, first: number): readonly TermFinding[] {
    let findings = none
    if (!this.#hasFindings) return findings
    for (let column = 0; column < termColumns.length; column++) {
      const rule = this.#columns[column]?.findings[at(terms, first + column)]
      if (rule !== undefined) findings = [...findings, [rule, termColumns[column]?.name ?? '']]
    }
    return findings
  }
}
