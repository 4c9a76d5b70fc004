import { TextPool } from '../collect/distinct/text-pool.ts'
import { fact, type References } from '../collect/groups/references.ts'
import type { Portion, PortionItem } from '../collect/portion.ts'
import { type FindingRule, Findings } from '../decode/findings.ts'
import { derivedItemColumns } from '../decode/in-network-file.ts'
import type { NewSeed } from '../decode/keyed-hash.ts'
import { NumberSet } from '../decode/number-set.ts'

/** What a file holds. */
export interface PriceCounts {
  /** Published prices that became rows. */
  readonly prices: number
  /**
   * Published prices that became no rows, except those whose provider groups are in a file that is known to be
   * missing.
   */
  readonly skipped: number
  /** Rows that the file has in `rates`, for each plan. */
  readonly rates: number
  /** Prices that the filter keeps. */
  readonly published: number
  /** Distinct billing codes of its prices that became rows. */
  readonly codes: number
}

/** In place of a reference that makes no row. */
export const noReference = 0xff_ff_ff_ff

/** The rules that are counted here, in the order in which a load reports them. */
const rules: readonly FindingRule[] = [
  'numeric-reference',
  'repeated-reference',
  'repeated-definition',
  'missing-reference-file',
  'dangling-reference',
]

const [typeColumn, codeColumn] = (['billing_code_type', 'billing_code'] as const).map((name) =>
  derivedItemColumns.indexOf(name),
)

/** Finds the groups of the references that prices name, and counts the prices that become rows. */
export class PriceJudge {
  readonly #references: References
  readonly #found = new Findings()
  readonly #codes: TextPool
  /** The references of the rate that is judged. */
  readonly #named = new NumberSet()
  readonly #counts = { prices: 0, skipped: 0, rates: 0, published: 0 }

  /** @param references of a file, all of which are defined */
  constructor(references: References, newSeed: NewSeed) {
    this.#codes = new TextPool(newSeed)
    this.#references = references
  }

  get counts(): PriceCounts {
    return { ...this.#counts, codes: this.#codes.count }
  }

  /** Adds what was found to the findings of a file, in the same order however the file was cut. */
  report(findings: Findings): void {
    this.#references.countRepeated(this.#found)
    const found = this.#found.list()
    for (const rule of rules) for (const finding of found) if (finding.rule === rule) findings.add(finding)
  }

  /**
   * Replaces the references that a portion names by those that have rows, or by `noReference`.
   *
   * @returns how many of its prices make rows
   */
  judge(portion: Portion): number {
    let rows = 0
    for (const [place, item] of portion.items.entries()) {
      if (item.outcome === 'filtered') continue
      const endOfRates = portion.items[place + 1]?.firstRate ?? portion.rateCount
      const before = this.#counts.prices
      for (let rate = item.firstRate; rate < endOfRates; rate++) rows += this.#judgeRate(portion, item, rate)
      if (this.#counts.prices > before && typeof item.outcome === 'object')
        this.#codes.add(JSON.stringify([item.outcome[typeColumn ?? 0], item.outcome[codeColumn ?? 0]]))
    }
    return rows
  }

  #judgeRate(portion: Portion, item: PortionItem, rate: number): number {
    const { numbers } = portion
    const references = this.#references
    const priced = typeof item.outcome === 'object' ? portion.pricesOf(rate) : 0
    const first = numbers.firstReferences.items[rate] ?? 0
    const end = numbers.firstReferences.items[rate + 1] ?? 0
    this.#matchNumbers(portion, item, rate, first, end)
    let hasGroups = (numbers.inlineGroups.items[rate] ?? 0) > 0
    let members = numbers.inlineRows.items[rate] ?? 0
    let isKnown = hasGroups
    let isMissing = false
    let hasLost = false
    for (let index = first; index < end; index++) {
      const number = numbers.references.items[index] ?? 0
      if (number === noReference) continue
      const rowsOfGroup = references.rowsOf(number)
      if (rowsOfGroup > 0) {
        if (priced > 0) references.note(number, fact.used)
        members += rowsOfGroup
        hasGroups = true
        continue
      }
      hasLost = true
      numbers.references.items[index] = noReference
      if (references.is(number, fact.provided)) isKnown = true
      else {
        const missing = references.is(number, fact.missing)
        this.#count(missing ? 'missing-reference-file' : 'dangling-reference', portion, item, rate, index)
        isMissing ||= missing
      }
    }
    const counts = this.#counts
    const published = numbers.published.items[rate] ?? 0
    counts.rates += priced * members
    if (!hasLost || members > 0) {
      counts.prices += priced
      counts.skipped += published - priced
      counts.published += published
    } else if (!isKnown) {
      counts.published += published
      if (!isMissing) counts.skipped += published
    }
    return hasGroups ? priced : 0
  }

  /**
   * Gives references that have no group by their characters the one of the same number, if the rate does not name it.
   */
  #matchNumbers(portion: Portion, item: PortionItem, rate: number, first: number, end: number): void {
    const { numbers } = portion
    let isAnyMatched = false
    for (let index = first; index < end; index++) {
      const number = numbers.references.items[index] ?? 0
      const match = this.#references.match(number)
      if (match === number) continue
      this.#count('numeric-reference', portion, item, rate, index)
      if (!isAnyMatched) this.#note(numbers.references.items.subarray(first, end))
      isAnyMatched = true
      const isNew = this.#named.add(match)
      numbers.references.items[index] = isNew ? match : noReference
      if (!isNew) this.#count('repeated-reference', portion, item, rate, index)
    }
  }

  /** Notes all references of a rate. */
  #note(references: Uint32Array): void {
    this.#named.clear()
    for (const number of references) this.#named.add(number)
  }

  #count(rule: FindingRule, { numbers }: Portion, item: PortionItem, rate: number, index: number): void {
    const place = {
      get path() {
        return `in_network[${item.index}].negotiated_rates[${numbers.places.items[rate]}]`
      },
    }
    this.#found.count(rule, place, 'provider_references', numbers.referencePlaces.items[index])
  }
}
