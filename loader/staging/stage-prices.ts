import type { ColumnsOf } from '../../schema/columns/rates.ts'
import type { ItemOutcome, Portion } from '../columns/portion.ts'
import { PortionRows } from '../columns/portion.ts'
import type { RowFilter } from '../filter/row-filter.ts'
import type { InlineGroup } from '../inline-groups/inline-groups.ts'
import type { Place } from '../json/json-object.ts'
import { pathOf } from '../json/json-object.ts'
import type { PlainRate } from '../plain/plain-rates.ts'
import { PlainRates } from '../plain/plain-rates.ts'
import type { Findings } from '../published/findings.ts'
import type { InNetworkItem, NegotiatedPrice, NegotiatedRate } from '../published/in-network-file.ts'
import { itemColumns, ownItemColumns } from '../published/in-network-file.ts'
import type { BillingCode } from '../published/published-code.ts'
import { readCanonicalCode } from '../published/published-code.ts'
import { readExactRate } from '../published/values/exact-rate.ts'
import { isId } from '../published/values/published-number.ts'
import type { ProviderStage } from './stage-providers.ts'
import type { KnownTerms } from './stage-terms.ts'
import { TermStage } from './stage-terms.ts'
import { stageValues, toText } from './staged-value.ts'

/** Takes the prices of a file as numbers, with what they share: their items and terms. */
export class PriceStage {
  /** Published prices so far, whether or not they became rows. */
  published = 0
  /** Reads rates from their bytes, for `addPlainRate`. */
  readonly plainRates: PlainRates<KnownTerms>
  readonly rows = new PortionRows()
  readonly #terms: TermStage
  readonly #providers: ProviderStage
  readonly #findings: Findings
  readonly #keepsCode: ((code: BillingCode) => boolean) | undefined
  /** What became of the last item. */
  lastOutcome: { readonly index: number; readonly outcome: ItemOutcome } | undefined
  /** The last item that was added, and whether it is kept. */
  #item: { readonly index: number; readonly isKept: boolean } | undefined

  constructor(providers: ProviderStage, findings: Findings, { keepsCode }: RowFilter) {
    this.#terms = new TermStage(this.rows)
    this.plainRates = new PlainRates((values) => this.#terms.add(values), providers.inline)
    this.#providers = providers
    this.#findings = findings
    this.#keepsCode = keepsCode
  }

  /** The portion so far, valid until `startPortion`. */
  view(): Portion {
    return this.rows.view(this.#providers.inline.portion)
  }

  /** Takes what follows into the next portion of the file. */
  startPortion(): void {
    this.rows.clear()
    this.#terms.startPortion()
    this.#providers.inline.startPortion()
  }

  /**
   * Its prices may have been added before: those of an item that is left out are dropped at the end.
   *
   * @param item undefined if it cannot be used; its prices are dropped with it
   * @param index of the item in its file
   */
  addItem(item: InNetworkItem | undefined, index: number): void {
    const { items } = this.#findings.units
    items.published++
    if (item === undefined) items.skipped++
    const isKept = item !== undefined && this.#keepsCode?.(item.code) !== false
    this.#item = { index, isKept }
    this.#providers.inline.decide(isKept)
    if (item === undefined || !isKept) {
      // Whether a filter would keep the prices of an item without a code is not known: they are not judged.
      this.#setOutcome(index, this.#keepsCode === undefined ? 'unusable' : 'filtered')
      return
    }
    const { type, code } = readCanonicalCode(item.code)
    if (type.finding !== undefined) this.#findings.count(type.finding, item.at, 'billing_code_type')
    const { values, findings } = stageValues(itemColumns, item.values)
    for (const [rule, field] of findings) this.#findings.count(rule, item.at, field)
    const codes: Readonly<Record<ColumnsOf<'item', 'own'>, string | null>> = {
      billing_code_type: toText(type.value),
      billing_code: toText(code),
      billing_code_published: toText(item.code.code),
      billing_code_type_version: toText(item.code.version),
    }
    this.#setOutcome(index, [...ownItemColumns.map((name) => codes[name]), ...values])
  }

  #setOutcome(index: number, outcome: ItemOutcome): void {
    this.lastOutcome = { index, outcome }
    this.rows.addItem(index, outcome)
  }

  /**
   * @param item index of the rate's item in its file
   * @param place index of the rate in its item
   */
  addRate(rate: NegotiatedRate | undefined, item: number, place: number): void {
    if (rate?.prices === undefined) {
      // How many prices are lost is not known: one is counted.
      if (rate !== undefined) this.#findings.count('unfit-rates', rate.at, 'negotiated_prices')
      this.rows.addRate(item, place, 1)
      return
    }
    const inline = this.#providers.addInlineGroups(rate.groups)
    const named = this.#addReferences(rate, inline)
    if (named === 'left out') {
      this.published += rate.priceCount
      return
    }
    const before = this.published
    let isPriced = false
    for (const price of rate.prices) {
      this.published++
      if (price === undefined) continue
      if (named === 'no provider') this.#findings.count('price-without-provider', price.at)
      else if (this.#addPrice(price)) isPriced = true
    }
    if (isPriced) this.#useInline(inline, item)
    this.rows.addRate(item, place, this.published - before)
  }

  /**
   * Adds a rate of `plainRates`, with the same outcome as `addRate`. It names at least one provider.
   *
   * @param at place of the rate
   * @param item index of the rate's item in its file
   * @param place index of the rate in its item
   */
  addPlainRate(rate: PlainRate, at: Place, item: number, place: number): void {
    const { references, tenThousandths, terms } = this.plainRates
    const { ids } = this.#providers.references
    const { firstReference, endOfReferences, firstPrice, endOfPrices, groups, npiCount } = rate
    const inline = groups && this.#providers.addPlainGroups(groups, npiCount)
    if (this.#leavesOut(inline, references, firstReference, endOfReferences)) {
      this.published += endOfPrices - firstPrice
      return
    }
    for (let index = firstReference; index < endOfReferences; index++)
      this.rows.nameReference(index - firstReference, ids.numberOfNatural(references[index] ?? 0))
    this.#nameInline(inline)
    if (endOfPrices > firstPrice) this.#useInline(inline, item)
    for (let index = firstPrice; index < endOfPrices; index++) {
      const shared = terms[index]
      const amount = tenThousandths[index]
      if (shared === undefined || amount === undefined)
        throw new RangeError('a plain rate has prices that were not read')
      this.published++
      if (amount === 0 || shared.findings.length > 0) this.#countFindings(shared, amount, at, index - firstPrice)
      this.#stagePrice(shared, amount)
    }
    this.rows.addRate(item, place, endOfPrices - firstPrice)
  }

  #countFindings({ findings }: KnownTerms, amount: number, at: Place, index: number): void {
    const price = {
      get path() {
        return `${pathOf(at)}.negotiated_prices[${index}]`
      },
    }
    if (amount === 0) this.#findings.count('zero-rate', price, 'negotiated_rate')
    for (const [rule, field] of findings) this.#findings.count(rule, price, field)
  }

  /** Passes over an item that the filter leaves out: prices after it keep their ordinals. */
  passItem(priceCount: number): void {
    this.#findings.units.items.published++
    this.published += priceCount
  }

  /** Adds the groups that a rate names, unless the filter is known to leave out all of them. */
  #addReferences(
    { at, providerReferences }: NegotiatedRate,
    inline: InlineGroup,
  ): 'named' | 'no provider' | 'left out' {
    if (this.#leavesOut(inline, providerReferences)) return 'left out'
    const seen = new Set<number>()
    for (let index = 0; index < providerReferences.length; index++) {
      const id = providerReferences[index]
      const number = isId(id) ? this.#providers.references.ids.numberOf(id) : undefined
      if (number === undefined) this.#findings.count('dangling-reference', at, 'provider_references', index)
      else if (seen.has(number)) this.#findings.count('repeated-reference', at, 'provider_references', index)
      else {
        this.rows.nameReference(index, number)
        seen.add(number)
      }
    }
    this.#nameInline(inline)
    return seen.size > 0 || inline !== undefined ? 'named' : 'no provider'
  }

  #nameInline(inline: InlineGroup): void {
    if (typeof inline === 'number') this.rows.nameInline(inline, this.#providers.inline.rowsOf(inline))
  }

  /** Notes that prices of an item name an inline group. */
  #useInline(inline: InlineGroup, item: number): void {
    if (typeof inline !== 'number') return
    const isCertain = this.#item?.index === item
    if (!isCertain || this.#item?.isKept) this.#providers.inline.use(inline, isCertain)
  }

  /** Whether the filter is known to leave out all groups that a rate names. */
  #leavesOut(inline: InlineGroup, references: readonly unknown[], first = 0, end = references.length): boolean {
    if (!this.#providers.isFiltered || typeof inline === 'number') return false
    return (first < end || inline !== undefined) && this.#providers.leavesOut(references.slice(first, end))
  }

  #addPrice(price: NegotiatedPrice): boolean {
    const rate = readExactRate(price.negotiatedRate)
    if (rate === undefined) {
      this.#findings.count('unfit-rate', price.at, 'negotiated_rate')
      return false
    }
    if (rate.rounded) this.#findings.count('rounded-rate', price.at, 'negotiated_rate')
    if (rate.tenThousandths === 0n) this.#findings.count('zero-rate', price.at, 'negotiated_rate')
    const terms = this.#terms.add(price.terms)
    for (const [rule, field] of terms.findings) this.#findings.count(rule, price.at, field)
    this.#stagePrice(terms, rate.tenThousandths)
    return true
  }

  #stagePrice(terms: KnownTerms, tenThousandths: number | bigint): void {
    this.rows.addPrice(this.published, this.#terms.numberOf(terms), tenThousandths)
  }
}
