import { toOneLine } from './load-refused.ts'

/** How often something was found in a file. */
export interface Occurrence<Rule extends string> {
  readonly rule: Rule
  readonly count: number
  /** The first few places. */
  readonly examples: readonly string[]
}

/** Maximum number of examples of each rule. */
export const maxExamples = 3

/** Counts what is found in a file by rules, in the order in which each first occurs. */
export class Occurrences<Rule extends string> {
  readonly #byRule = new Map<Rule, { readonly rule: Rule; count: number; readonly examples: string[] }>()

  /** @param place is only computed for examples */
  note(rule: Rule, place: () => string): void {
    const found = this.#of(rule)
    found.count++
    if (found.examples.length < maxExamples) found.examples.push(toOneLine(place()))
  }

  /** Adds what was counted elsewhere. */
  add({ rule, count, examples }: Occurrence<Rule>): void {
    if (count === 0) return
    const found = this.#of(rule)
    found.count += count
    found.examples.push(...examples.slice(0, maxExamples - found.examples.length))
  }

  list(): readonly Occurrence<Rule>[] {
    return [...this.#byRule.values()]
  }

  #of(rule: Rule) {
    const found = this.#byRule.get(rule) ?? { rule, count: 0, examples: [] }
    this.#byRule.set(rule, found)
    return found
  }
}
