import { toOneLine } from './load-refused.ts'

/** Number of times that a rule applied in a file. */
export interface Occurrence<Rule extends string> {
  readonly rule: Rule
  readonly count: number
  /** The first few positions. */
  readonly examples: readonly string[]
}

/** Maximum number of examples of each rule. */
export const maxExamples = 3

/** Counts the occurrences of rules in a file, in the order in which each rule first occurs. */
export class Occurrences<Rule extends string> {
  readonly #byRule = new Map<Rule, { readonly rule: Rule; count: number; readonly examples: string[] }>()

  /** @param position called for examples only */
  note(rule: Rule, position: () => string): void {
    const occurrence = this.#occurrenceOf(rule)
    occurrence.count++
    if (occurrence.examples.length < maxExamples) occurrence.examples.push(toOneLine(position()))
  }

  /** Adds occurrences that were counted elsewhere. */
  add({ rule, count, examples }: Occurrence<Rule>): void {
    if (count === 0) return
    const occurrence = this.#occurrenceOf(rule)
    occurrence.count += count
    occurrence.examples.push(...examples.slice(0, maxExamples - occurrence.examples.length))
  }

  list(): readonly Occurrence<Rule>[] {
    return [...this.#byRule.values()]
  }

  #occurrenceOf(rule: Rule) {
    const occurrence = this.#byRule.get(rule) ?? { rule, count: 0, examples: [] }
    this.#byRule.set(rule, occurrence)
    return occurrence
  }
}
