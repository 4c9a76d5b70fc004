import { at, uint32At } from '../../../schema/at.ts'
import { TextPool } from '../../collect/distinct/text-pool.ts'
import { fact, type References } from '../../collect/groups/references.ts'
import type { Portion, PortionItem } from '../../collect/portion.ts'
import { type FindingRule, Findings } from '../../decode/findings.ts'
import { derivedItemColumns } from '../../decode/in-network-file.ts'
import type { NewSeed } from '../../decode/keyed-hash.ts'
import { NumberSet } from '../../decode/number-set.ts'

/** Counts of a file's prices, rows and codes. */
export interface PriceCounts {
  /** Published prices that became rows. */
  readonly prices: number
  /** Published prices that became no rows. Prices whose provider groups are in a missing file do not count. */
  readonly skipped: number
  /** Rows of the file in `rates`, per plan. */
  readonly rates: number
  /** Pairs of a price that became rows and one of its provider groups. */
  readonly pairs: number
  /** Prices that the filter keeps. */
  readonly published: number
  /** Distinct billing codes of its prices that became rows. */
  readonly codes: number
}

/** Replaces a reference that leads to no rows. */
export const noReference = 0xff_ff_ff_ff

/** Rules of the findings that `ReferenceResolver` counts, in the order of the report. */
const rules: readonly FindingRule[] = [
  'numeric-reference',
  'repeated-reference',
  'repeated-definition',
  'missing-reference-file',
  'dangling-reference',
]

const typeColumn = derivedItemColumns.indexOf('billing_code_type')
const codeColumn = derivedItemColumns.indexOf('billing_code')

/** A rate, with the range of its references among those of the portion: from `first`, to before `end`. */
interface RateReferences {
  readonly portion: Portion
  readonly item: PortionItem
  readonly rate: number
  readonly first: number
  readonly end: number
}

/** Finds the groups of the references that prices name, and counts the prices that become rows. */
export class ReferenceResolver {
  readonly #references: References
  readonly #findings = new Findings()
  readonly #codes: TextPool
  /** References of the current rate; filled only if one of them is replaced. */
  readonly #named = new NumberSet()
  readonly #counts = { prices: 0, skipped: 0, rates: 0, pairs: 0, published: 0 }

  /** @param references the defined references of a file */
  constructor(references: References, newSeed: NewSeed) {
    this.#codes = new TextPool(newSeed)
    this.#references = references
  }

  get counts(): PriceCounts {
    return { ...this.#counts, codes: this.#codes.count }
  }

  /** Adds the findings to those of a file, in an order that does not depend on the portions of the file. */
  report(findings: Findings): void {
    this.#references.countRepeated(this.#findings)
    const countedFindings = this.#findings.list()
    for (const rule of rules) for (const finding of countedFindings) if (finding.rule === rule) findings.add(finding)
  }

  /**
   * Replaces, in the portion, each reference by the defined reference that it leads to, or by `noReference`.
   *
   * @returns number of its prices that make rows
   */
  resolve(portion: Portion): number {
    let rows = 0
    for (const [place, item] of portion.items.entries()) {
      if (item.outcome === 'filtered') continue
      const endOfRates = portion.items[place + 1]?.firstRate ?? portion.rateCount
      const before = this.#counts.prices
      for (let rate = item.firstRate; rate < endOfRates; rate++) rows += this.#resolveRate(portion, item, rate)
      if (this.#counts.prices > before && typeof item.outcome === 'object')
        this.#codes.add(JSON.stringify([at(item.outcome, typeColumn), at(item.outcome, codeColumn)]))
    }
    return rows
  }

  /** Resolves the references of a rate and counts its prices. @returns number of its prices that make rows */
  #resolveRate(portion: Portion, item: PortionItem, rate: number): number {
    const { numbers } = portion
    const priced = typeof item.outcome === 'object' ? portion.pricesOf(rate) : 0
    const rateReferences: RateReferences = {
      portion,
      item,
      rate,
      first: uint32At(numbers.firstReferences.items, rate),
      end: uint32At(numbers.firstReferences.items, rate + 1),
    }
    this.#matchNumbers(rateReferences)
    const hasInline = uint32At(numbers.inlineGroups.items, rate) > 0
    const references = this.#dropEmptyReferences(rateReferences, priced > 0)
    const members = uint32At(numbers.inlineRows.items, rate) + references.members
    this.#counts.rates += priced * members
    const published = uint32At(numbers.published.items, rate)
    if (!references.hasLost || members > 0) {
      this.#counts.prices += priced
      this.#counts.skipped += published - priced
      this.#counts.published += published
    } else if (!(hasInline || references.hasProvided)) {
      this.#counts.published += published
      if (!references.hasMissing) this.#counts.skipped += published
    }
    if (!hasInline && references.members === 0) return 0
    this.#counts.pairs += priced * (references.groups + (hasInline ? 1 : 0))
    return priced
  }

  /**
   * Replaces references without rows by `noReference`.
   *
   * @param isPriced true if the rate has prices that can make rows: its references are then used
   * @returns the numbers of groups and of rows of the references for each price; and which kinds of references without
   *   rows there are: any (`hasLost`), defined ones (`hasProvided`), and ones whose file is missing (`hasMissing`)
   */
  #dropEmptyReferences(rateReferences: RateReferences, isPriced: boolean) {
    const references = rateReferences.portion.numbers.references.items
    const outcome = { groups: 0, members: 0, hasLost: false, hasProvided: false, hasMissing: false }
    for (let index = rateReferences.first; index < rateReferences.end; index++) {
      const number = uint32At(references, index)
      if (number === noReference) continue
      const members = this.#references.rowsOf(number)
      if (members > 0) {
        if (isPriced) this.#references.note(number, fact.used)
        outcome.groups++
        outcome.members += members
        continue
      }
      outcome.hasLost = true
      references[index] = noReference
      if (this.#references.is(number, fact.provided)) outcome.hasProvided = true
      else {
        const isMissing = this.#references.is(number, fact.missing)
        this.#count(isMissing ? 'missing-reference-file' : 'dangling-reference', rateReferences, index)
        outcome.hasMissing ||= isMissing
      }
    }
    return outcome
  }

  /**
   * Replaces references that are not defined as they are written by the only one of equal numeric
   * value. If the rate names that one as well, it stays and the other becomes `noReference`.
   */
  #matchNumbers(rateReferences: RateReferences): void {
    const { first, end } = rateReferences
    const references = rateReferences.portion.numbers.references.items
    let isAnyMatched = false
    for (let index = first; index < end; index++) {
      const number = uint32At(references, index)
      const match = this.#references.match(number)
      if (match === number) continue
      this.#count('numeric-reference', rateReferences, index)
      if (!isAnyMatched) this.#noteNamed(references.subarray(first, end))
      isAnyMatched = true
      const isNew = this.#named.add(match)
      references[index] = isNew ? match : noReference
      if (!isNew) this.#count('repeated-reference', rateReferences, index)
    }
  }

  /** Notes all references of a rate. */
  #noteNamed(references: Uint32Array): void {
    this.#named.clear()
    for (const number of references) this.#named.add(number)
  }

  /** Counts a finding. @param index of the reference, among those of the portion */
  #count(rule: FindingRule, { portion, item, rate }: RateReferences, index: number): void {
    const { positions: places, referencePositions: referencePlaces } = portion.numbers
    const place = {
      get path() {
        return `in_network[${item.index}].negotiated_rates[${uint32At(places.items, rate)}]`
      },
    }
    this.#findings.count(rule, place, 'provider_references', uint32At(referencePlaces.items, index))
  }
}
