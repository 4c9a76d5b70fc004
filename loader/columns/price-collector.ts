import type { ColumnsOf } from '../../schema/columns/rates.ts'
import { termCount } from '../decode/by-bytes/price-reader.ts'
import { type ScannedRate, ScannedRates } from '../decode/by-bytes/scanned-rates.ts'
import type { Findings } from '../decode/findings.ts'
import type { InNetworkItem, NegotiatedPrice, NegotiatedRate } from '../decode/in-network-file.ts'
import { derivedItemColumns, itemColumns } from '../decode/in-network-file.ts'
import { type Place, pathOf } from '../decode/json/json-object.ts'
import { isId } from '../decode/json/published-number.ts'
import type { InlineGroup } from '../decode/provider-groups.ts'
import { type BillingCode, readCanonicalCode } from '../decode/published-code.ts'
import { readExactRate } from '../decode/values/exact-rate.ts'
import type { ColumnValue } from './column-values.ts'
import { type ItemOutcome, Portion } from './portion.ts'
import type { ProviderCollector } from './provider-collector.ts'
import type { RowFilter } from './row-filter.ts'
import { storeValue, toText } from './stored-value.ts'
import { TermCollector, type TermFinding } from './term-collector.ts'

/** Takes the prices of a file as numbers, with what they share: their items and terms. */
export class PriceCollector {
  /** Published prices so far, whether or not they became rows. */
  published = 0
  /** Reads rates from their bytes, for `addScannedRate`. */
  readonly scannedRates: ScannedRates
  readonly portion = new Portion()
  readonly #terms: TermCollector
  readonly #providers: ProviderCollector
  readonly #findings: Findings
  readonly #keepsCode: ((code: BillingCode) => boolean) | undefined
  /** What became of the last item. */
  lastOutcome: { readonly index: number; readonly outcome: ItemOutcome } | undefined

  constructor(providers: ProviderCollector, findings: Findings, { keepsCode }: RowFilter) {
    this.#terms = new TermCollector(this.portion)
    this.scannedRates = new ScannedRates((column, value) => this.#terms.numberOf(column, value), providers.inline)
    this.#providers = providers
    this.#findings = findings
    this.#keepsCode = keepsCode
  }

  /** The portion so far, valid until `startPortion`. */
  endPortion(): Portion {
    this.portion.inline = this.#providers.inline.portion
    return this.portion
  }

  /** Takes what follows into the next portion of the file. */
  startPortion(): void {
    this.portion.clear()
    this.#terms.startPortion()
    this.scannedRates.prices.forget()
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
    const outcome = this.#readOutcome(item)
    this.lastOutcome = { index, outcome }
    this.portion.addItem(index, outcome)
    this.#providers.inline.decide(typeof outcome === 'object')
  }

  #readOutcome(item: InNetworkItem | undefined): ItemOutcome {
    // Whether a filter would keep the prices of an item without a code is not known: they are not judged.
    if (item === undefined) return this.#keepsCode === undefined ? 'unusable' : 'filtered'
    if (this.#keepsCode?.(item.code) === false) return 'filtered'
    const { type, code } = readCanonicalCode(item.code)
    if (type.finding !== undefined) this.#findings.count(type.finding, item.at, 'billing_code_type')
    const codes: Readonly<Record<ColumnsOf<'item', 'derived'>, string | null>> = {
      billing_code_type: toText(type.value),
      billing_code: toText(code),
      billing_code_published: toText(item.code.code),
      billing_code_type_version: toText(item.code.version),
    }
    const values: ColumnValue[] = []
    for (const name of derivedItemColumns) values.push(codes[name])
    for (const [index, column] of itemColumns.entries()) {
      const { value, finding } = storeValue(column, item.values[index])
      if (finding !== undefined) this.#findings.count(finding, item.at, column.name)
      values.push(value)
    }
    return values
  }

  /**
   * @param item index of the rate's item in its file
   * @param place index of the rate in its item
   */
  addRate(rate: NegotiatedRate | undefined, item: number, place: number): void {
    if (rate?.prices === undefined) {
      // How many prices are lost is not known: one is counted.
      if (rate !== undefined) this.#findings.count('unfit-rates', rate.at, 'negotiated_prices')
      this.portion.addRate(item, place, 1)
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
    this.#endRate(item, place, this.published - before, inline, isPriced)
  }

  /**
   * Adds a rate of `scannedRates`, with the same outcome as `addRate`. It names at least one provider.
   *
   * @param at place of the rate
   * @param item index of the rate's item in its file
   * @param place index of the rate in its item
   */
  addScannedRate(rate: ScannedRate, at: Place, item: number, place: number): void {
    const { references, prices } = this.scannedRates
    const { tenThousandths, terms } = prices
    const { ids } = this.#providers.references
    const { firstReference, endOfReferences, firstPrice, endOfPrices, groups } = rate
    const inline = groups && this.#providers.addScannedGroups(groups)
    if (this.#providers.leavesOut(inline, references, firstReference, endOfReferences)) {
      this.published += endOfPrices - firstPrice
      return
    }
    for (const name of rate.unknown) this.#findings.countUnknown(pathOfPrices, name)
    for (let index = firstReference; index < endOfReferences; index++)
      this.portion.nameReference(index - firstReference, ids.numberOfNatural(references[index] ?? 0))
    for (let index = firstPrice; index < endOfPrices; index++) {
      const amount = tenThousandths[index] ?? 0
      const found = this.#terms.findingsOf(terms.items, index * termCount)
      if (amount === 0 || found.length > 0) this.#countFindings(found, amount, placeOfPrice(at, index - firstPrice))
      this.portion.addPrice(++this.published, terms.items, index * termCount, amount)
    }
    this.#endRate(item, place, endOfPrices - firstPrice, inline, endOfPrices > firstPrice)
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
    if (this.#providers.leavesOut(inline, providerReferences)) return 'left out'
    const seen = new Set<number>()
    for (let index = 0; index < providerReferences.length; index++) {
      const id = providerReferences[index]
      const number = isId(id) ? this.#providers.references.ids.numberOf(id) : undefined
      if (number === undefined) this.#findings.count('dangling-reference', at, 'provider_references', index)
      else if (seen.has(number)) this.#findings.count('repeated-reference', at, 'provider_references', index)
      else {
        this.portion.nameReference(index, number)
        seen.add(number)
      }
    }
    return seen.size > 0 || inline !== undefined ? 'named' : 'no provider'
  }

  /** @param isPriced whether any price of the rate makes rows */
  #endRate(item: number, place: number, published: number, number: InlineGroup, isPriced: boolean): void {
    const { inline } = this.#providers
    // Undefined if the item comes after its rates.
    const outcome = this.lastOutcome?.index === item ? this.lastOutcome.outcome : undefined
    const group = typeof number === 'number' ? { number, rows: inline.rowsOf(number) } : undefined
    if (group && isPriced && typeof outcome !== 'string') inline.use(group.number, outcome !== undefined)
    this.portion.addRate(item, place, published, group)
  }

  #addPrice(price: NegotiatedPrice): boolean {
    const rate = readExactRate(price.negotiatedRate)
    if (rate === undefined) {
      this.#findings.count('unfit-rate', price.at, 'negotiated_rate')
      return false
    }
    if (rate.rounded) this.#findings.count('rounded-rate', price.at, 'negotiated_rate')
    const terms = price.terms.map((value, column) => this.#terms.numberOf(column, value))
    this.#countFindings(this.#terms.findingsOf(terms, 0), rate.tenThousandths, price.at)
    this.portion.addPrice(this.published, terms, 0, rate.tenThousandths)
    return true
  }

  #countFindings(found: readonly TermFinding[], amount: number | bigint, at: NegotiatedPrice['at']): void {
    if (amount === 0 || amount === 0n) this.#findings.count('zero-rate', at, 'negotiated_rate')
    for (const [rule, field] of found) this.#findings.count(rule, at, field)
  }
}

const pathOfPrices = 'in_network[].negotiated_rates[].negotiated_prices[]'

const placeOfPrice = (at: Place, index: number): NegotiatedPrice['at'] => ({
  get path() {
    return `${pathOf(at)}.negotiated_prices[${index}]`
  },
})
