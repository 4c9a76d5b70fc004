import { LoadRefused } from './load-refused.ts'

/**
 * Values that a load could not take as published, or that mean less than they should. They never refuse a file by
 * themselves: in files of millions of prices a few are always wrong, and the operator must learn which, not lose the rest.
 */
export const findingRules = {
  'price-without-provider': 'prices skipped: no provider is named with them',
  'dangling-reference': 'references skipped: their provider group is not defined in the file, or has no provider',
  'missing-reference-file': 'references skipped: the file with their provider group is missing',
  'repeated-reference': 'references counted once: the same price names them again',
  'repeated-definition': 'provider groups defined again: they are the union of their definitions',
  'unfit-rate': 'prices skipped: the rate does not fit decimal(18,4)',
  'rounded-rate': 'rates rounded half to even to four decimals',
  'zero-rate': 'rates of zero, kept as published',
  'unknown-value': 'values that the schema does not list, kept as published',
  'unfit-npi': 'NPIs skipped: neither 0 nor ten digits',
  'unfit-tin': 'provider groups skipped: the TIN has no digit',
  'unreadable-date': 'dates read as NULL: not a day as YYYY-MM-DD',
} as const

export type FindingRule = keyof typeof findingRules

/** The rules by which something is left out: the first such finding refuses a strict load. */
const skippingRules: ReadonlySet<FindingRule> = new Set([
  'price-without-provider',
  'dangling-reference',
  'unfit-rate',
  'unfit-npi',
  'unfit-tin',
])

export interface Finding {
  readonly rule: FindingRule
  readonly count: number
  /** JSON paths of the first few. */
  readonly examples: readonly string[]
}

/** How many examples a finding has at most. */
export const mostExamples = 3

/** Counts the findings of one file. */
export class Findings {
  readonly #byRule = new Map<FindingRule, { count: number; readonly examples: string[] }>()
  readonly #strictFile: string | undefined

  /** @param strictFile the file to refuse at the first value that would be skipped; undefined to count on */
  constructor(strictFile?: string) {
    this.#strictFile = strictFile
  }

  /**
   * @param part where the value is; its path is asked for only when it becomes an example
   * @throws LoadRefused where the load is strict and the rule skips
   */
  count(rule: FindingRule, part: { readonly path: string }, field?: string): void {
    const tally = this.#tallyOf(rule)
    tally.count++
    if (tally.examples.length >= mostExamples) return
    tally.examples.push([part.path, field].filter(Boolean).join('.'))
    this.#refuseIfStrict(rule)
  }

  /** Counts findings that were made all at once. */
  add({ rule, count, examples }: Finding): void {
    if (count === 0) return
    const tally = this.#tallyOf(rule)
    tally.count += count
    tally.examples.push(...examples.slice(0, mostExamples - tally.examples.length))
    this.#refuseIfStrict(rule)
  }

  /** The findings so far, each rule where it was first met. */
  list(): readonly Finding[] {
    return [...this.#byRule].map(([rule, tally]) => ({ rule, ...tally }))
  }

  #tallyOf(rule: FindingRule) {
    const tally = this.#byRule.get(rule) ?? { count: 0, examples: [] }
    this.#byRule.set(rule, tally)
    return tally
  }

  #refuseIfStrict(rule: FindingRule): void {
    if (this.#strictFile === undefined || !skippingRules.has(rule)) return
    const [example] = this.#tallyOf(rule).examples
    throw new LoadRefused(this.#strictFile, `is refused (strict) for ${example}: ${findingRules[rule]}`)
  }
}
