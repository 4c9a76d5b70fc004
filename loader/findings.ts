/**
 * Values that a load could not take as published. They never refuse a file: in files of millions of prices a few are
 * always wrong, and the operator must learn which, not lose the rest.
 */
export const findingRules = {
  'price-without-provider': 'prices skipped: no provider reference is named with them',
  'dangling-reference': 'references skipped: their provider group is not defined in the file, or has no provider',
  'repeated-reference': 'references counted once: the same price names them again',
  'unfit-rate': 'prices skipped: the rate does not fit decimal(18,4)',
  'rounded-rate': 'rates rounded half to even to four decimals',
  'unfit-npi': 'NPIs skipped: neither 0 nor ten digits',
  'unfit-tin': 'provider groups skipped: the TIN has no digit',
  'unreadable-date': 'dates read as NULL: not a day as YYYY-MM-DD',
} as const

export type FindingRule = keyof typeof findingRules

export interface Finding {
  readonly rule: FindingRule
  readonly count: number
  /** JSON paths of the first few. */
  readonly examples: readonly string[]
}

const mostExamples = 3

/** Counts the findings of one file. */
export class Findings {
  readonly #byRule = new Map<FindingRule, { count: number; readonly examples: string[] }>()

  /** @param path JSON path of the value */
  count(rule: FindingRule, path: string): void {
    const tally = this.#byRule.get(rule) ?? { count: 0, examples: [] }
    this.#byRule.set(rule, tally)
    tally.count++
    if (tally.examples.length < mostExamples) tally.examples.push(path)
  }

  /** The findings so far, each rule where it was first met. */
  list(): readonly Finding[] {
    return [...this.#byRule].map(([rule, tally]) => ({ rule, ...tally }))
  }
}
