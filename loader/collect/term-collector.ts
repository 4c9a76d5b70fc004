import { at } from '../../schema/at.ts'
import type { FindingRule } from '../decode/findings.ts'
import { termColumns } from '../decode/in-network-file.ts'
import { keyOfValue, type PublishedValue } from '../decode/published-column.ts'
import type { Portion } from './portion.ts'
import { storeValue } from './stored-value.ts'

/** A finding that is counted for a price, and the field that it is about. */
export type TermFinding = readonly [rule: FindingRule, field: string]

const none: readonly TermFinding[] = []

/** Numbers the values that prices share, once for each portion and column. The number of an absent value is 0. */
export class TermCollector {
  readonly #portion: Portion
  #hasFindings = false
  readonly #columns = termColumns.map((described) => ({
    described,
    numbers: new Map<string, number>(),
    /** By number: the finding that is counted for each price with the value. */
    rules: Array.of<FindingRule | undefined>(),
  }))

  /** @param portion a portion without any value */
  constructor(portion: Portion) {
    this.#portion = portion
    for (const column of termColumns.keys()) this.numberOf(column, undefined)
  }

  /** Returns the number of a value of one of `termColumns` in the portion. */
  numberOf(column: number, published: PublishedValue): number {
    const { described, numbers, rules } = at(this.#columns, column)
    const key = keyOfValue(published)
    const number = numbers.get(key)
    if (number !== undefined) return number
    const { value, finding } = storeValue(described, published)
    numbers.set(key, rules.length)
    rules.push(finding)
    if (finding !== undefined) this.#hasFindings = true
    return this.#portion.addTerm(column, value)
  }

  /** Returns the findings of a price. @param first index of the price's first number in `terms` */
  findingsOf(terms: ArrayLike<number>, first: number): readonly TermFinding[] {
    if (!this.#hasFindings) return none
    let findings = none
    for (let index = 0; index < this.#columns.length; index++) {
      const { described, rules } = at(this.#columns, index)
      const number = at(terms, first + index)
      if (number >= rules.length) throw new RangeError(`no value of ${described.name} has the number ${number}`)
      const rule = rules[number]
      if (rule !== undefined) findings = [...findings, [rule, described.name]]
    }
    return findings
  }
}
