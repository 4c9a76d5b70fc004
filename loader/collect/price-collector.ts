import { at } from '../../schema/at.ts'
import type { ColumnsOf } from '../../schema/columns/rates.ts'
import { termCount } from '../decode/by-bytes/price-reader.ts'
import { type Rate, type ScannedRate, ScannedRates } from '../decode/by-bytes/scanned-rates.ts'
import { Findings } from '../decode/findings.ts'
import {
  derivedItemColumns,
  itemColumns,
  type NegotiatedPrice,
  rateFields,
  readItem,
  readNegotiatedPrice,
} from '../decode/in-network-file.ts'
import { type Position, pathOf } from '../decode/json/json-object.ts'
import { isId } from '../decode/json/published-number.ts'
import type { NewSeed } from '../decode/keyed-hash.ts'
import { NumberSet } from '../decode/number-set.ts'
import type { InlineGroup } from '../decode/provider-groups.ts'
import { type BillingCode, readBillingCode, readCanonicalCode } from '../decode/published-code.ts'
import type { PublishedValue } from '../decode/published-column.ts'
import { PublishedObject } from '../decode/published-object.ts'
import type { Element } from '../decode/read-values.ts'
import { readExactRate } from '../decode/values/exact-rate.ts'
import { CodeNameCollector, descriptiveColumns } from './code-name-collector.ts'
import type { ColumnValue } from './column-values.ts'
import { type ItemOutcome, Portion } from './portion.ts'
import type { ProviderCollector } from './provider-collector.ts'
import type { RowFilter } from './row-filter.ts'
import { storeValue, toText } from './stored-value.ts'
import { TermCollector, type TermFinding } from './term-collector.ts'

/** Collects the prices of a file as numbers, with the items and terms that they share. */
export class PriceCollector {
  /** Number of published prices so far, including those that make no rows. */
  published = 0
  /** Reads rates from their bytes, for `addRate`. */
  readonly scannedRates: ScannedRates
  readonly portion = new Portion()
  readonly codeNames = new CodeNameCollector()
  #terms = new TermCollector(this.portion)
  readonly #providers: ProviderCollector
  readonly #findings: Findings
  readonly #keepsCode: ((code: BillingCode) => boolean) | undefined
  readonly #leftOutColumns: ReadonlySet<string>
  /** The references of the rate that is being added. */
  readonly #rateReferences = new NumberSet()

  /** @param withoutDescriptions true to leave out names and descriptions of items */
  constructor(
    providers: ProviderCollector,
    findings: Findings,
    { keepsCode }: RowFilter,
    { newSeed, withoutDescriptions }: { readonly newSeed: NewSeed; readonly withoutDescriptions?: boolean | undefined },
  ) {
    const numberOf = (column: number, value: PublishedValue) => this.#terms.numberOf(column, value)
    this.scannedRates = new ScannedRates(numberOf, providers.references.ids, providers.inline, newSeed)
    this.#providers = providers
    this.#findings = findings
    this.#keepsCode = keepsCode
    this.#leftOutColumns = withoutDescriptions ? descriptiveColumns : new Set()
  }

  /** Returns the portion so far, valid until `startPortion`. */
  endPortion(): Portion {
    this.portion.inline = this.#providers.inline.portion
    return this.portion
  }

  /** Begins the next portion of the file. */
  startPortion(): void {
    this.portion.clear()
    this.#terms = new TermCollector(this.portion)
    this.scannedRates.prices.forget()
    this.#providers.inline.startPortion()
  }

  /** True if the filter certainly leaves out an item. */
  leavesOut(item: unknown): boolean {
    if (this.#keepsCode === undefined) return false
    const object = PublishedObject.read(item, {}, ignored)
    const code = object && readBillingCode(object, 'unfit-item')
    return code !== undefined && !this.#keepsCode(code)
  }

  /** Passes over an item that the filter leaves out. */
  passItem(): void {
    this.#findings.units.items.published++
  }

  /** Passes over a rate that the filter leaves out, and counts its prices: those after it keep their ordinals. */
  passRate(rate: Rate): void {
    this.published +=
      rate.kind === 'scanned'
        ? rate.endOfPrices - rate.firstPrice
        : (PublishedObject.read(rate.value, {}, ignored)?.array(pricesField)?.length ?? 0)
  }

  /**
   * Adds an item, perhaps after its prices. If it is left out, they are dropped when they are written.
   *
   * @param item undefined if it is unusable; its prices are dropped with it
   * @param index index of the item in its file
   */
  addItem(item: PublishedObject | undefined, index: number): void {
    const outcome = this.#readOutcome(item)
    this.portion.addItem(index, outcome)
    this.#providers.inline.decide(typeof outcome === 'object')
  }

  #readOutcome(object: PublishedObject | undefined): ItemOutcome {
    const { items } = this.#findings.units
    const item = object && readItem(object)
    items.published++
    if (object === undefined || item === undefined) {
      items.skipped++
      // Without a code, nobody can say if the filter would keep the item's prices, so no loss is reported.
      return this.#keepsCode === undefined ? 'unusable' : 'filtered'
    }
    if (this.#keepsCode?.(item.code) === false) return 'filtered'
    const { type, code } = readCanonicalCode(item.code)
    if (type.finding !== undefined) object.count(type.finding, 'billing_code_type')
    const codes: Readonly<Record<ColumnsOf<'item', 'derived'>, string | null>> = {
      billing_code_type: toText(type.value),
      billing_code: toText(code),
      billing_code_published: toText(item.code.code),
      billing_code_type_version: toText(item.code.version),
    }
    const values: ColumnValue[] = derivedItemColumns.map((name) => codes[name])
    for (const [index, column] of itemColumns.entries()) {
      const published = this.#leftOutColumns.has(column.name) ? undefined : item.values[index]
      const { value, finding } = storeValue(column, published)
      if (finding !== undefined) object.count(finding, column.name)
      values.push(value)
    }
    if (this.#leftOutColumns.size === 0) this.codeNames.add(type.value, code, item)
    return values
  }

  /**
   * @param at position of the rate
   * @param item index of the rate's item in its file
   */
  addRate(rate: Rate, at: Element, item: number): void {
    if (rate.kind === 'scanned') this.#addScannedRate(rate, at, item)
    else this.#addParsedRate(PublishedObject.readCounting(rate.value, at, this.#findings, 'unfit-rates'), at, item)
  }

  #addParsedRate(rate: PublishedObject | undefined, { index: position }: Element, item: number): void {
    rate?.countUnknown(rateFields)
    const { ids } = this.#providers.references
    const references = (rate?.list('provider_references') ?? []).map((id) => (isId(id) ? ids.numberOf(id) : undefined))
    const groups = rate?.optionalObjects('provider_groups', 'unfit-group') ?? []
    const prices = rate?.array(pricesField)
    if (rate === undefined || prices === undefined) {
      // The number of lost prices is unknown, so one is counted.
      rate?.count('unfit-rates', pricesField)
      this.portion.addRate(item, position, 1)
      return
    }
    const inline = this.#providers.addInlineGroups(groups)
    if (this.#providers.leavesOut(inline, references)) {
      this.published += prices.length
      return
    }
    const isProvided = this.#nameReferences(rate, references) || inline !== undefined
    for (const price of rate.objects(pricesField, prices, 'unfit-price')) {
      this.published++
      const values = price && readNegotiatedPrice(price)
      if (price === undefined || values === undefined) continue
      if (isProvided) this.#addPrice(price, values)
      else price.count('price-without-provider')
    }
    this.#endRate(item, position, prices.length, inline)
  }

  /** Adds a rate that was read from its bytes, which names at least one provider. */
  #addScannedRate(rate: ScannedRate, position: Element, item: number): void {
    const { references, prices } = this.scannedRates
    const { tenThousandths, terms } = prices
    const { firstReference, endOfReferences, firstPrice, endOfPrices, groups } = rate
    const inline = groups && this.#providers.addScannedGroups(groups, position)
    if (this.#providers.leavesOut(inline, references, firstReference, endOfReferences)) {
      this.passRate(rate)
      return
    }
    for (const name of rate.unknown) this.#findings.countUnknown(pathOfPrices, name)
    for (let index = firstReference; index < endOfReferences; index++)
      this.portion.nameReference(index - firstReference, at(references, index))
    for (let index = firstPrice; index < endOfPrices; index++) {
      const amount = at(tenThousandths, index)
      const findings = this.#terms.findingsOf(terms.items, index * termCount)
      if (amount === 0 || findings.length > 0)
        this.#countFindings(findings, amount, positionOfPrice(position, index - firstPrice))
      this.portion.addPrice(++this.published, terms.items, index * termCount, amount)
    }
    this.#endRate(item, position.index, endOfPrices - firstPrice, inline)
  }

  /** Adds the references of a parsed rate, each once. Returns true if there is one. */
  #nameReferences(rate: PublishedObject, references: readonly (number | undefined)[]): boolean {
    this.#rateReferences.clear()
    for (const [index, number] of references.entries()) {
      if (number === undefined) rate.count('dangling-reference', 'provider_references', index)
      else if (!this.#rateReferences.add(number)) rate.count('repeated-reference', 'provider_references', index)
      else this.portion.nameReference(index, number)
    }
    return !this.#rateReferences.isEmpty
  }

  #addPrice(price: PublishedObject, { negotiatedRate, terms }: NegotiatedPrice): void {
    const rate = readExactRate(negotiatedRate)
    if (rate === undefined) {
      price.count('unfit-rate', 'negotiated_rate')
      return
    }
    if (rate.rounded) price.count('rounded-rate', 'negotiated_rate')
    const numbers = terms.map((value, column) => this.#terms.numberOf(column, value))
    this.#countFindings(this.#terms.findingsOf(numbers, 0), rate.tenThousandths, price)
    this.portion.addPrice(this.published, numbers, 0, rate.tenThousandths)
  }

  #countFindings(findings: readonly TermFinding[], amount: number | bigint, at: { readonly path: string }): void {
    if (amount === 0 || amount === 0n) this.#findings.count('zero-rate', at, 'negotiated_rate')
    for (const [rule, field] of findings) this.#findings.count(rule, at, field)
  }

  #endRate(item: number, position: number, published: number, number: InlineGroup): void {
    const { inline } = this.#providers
    const group = typeof number === 'number' ? { number, rows: inline.rowsOf(number) } : undefined
    if (group && this.portion.openPrices > 0) {
      const last = this.portion.lastItem
      // Undefined if the item comes after its rates.
      const outcome = last?.index === item ? last.outcome : undefined
      if (typeof outcome !== 'string') inline.use(group.number, outcome !== undefined)
    }
    this.portion.addRate(item, position, published, group)
  }
}

const pricesField = 'negotiated_prices'
const pathOfPrices = 'in_network[].negotiated_rates[].negotiated_prices[]'

const positionOfPrice = (at: Position, index: number) => ({
  get path() {
    return `${pathOf(at)}.${pricesField}[${index}]`
  },
})

/** Discards the findings of objects that are inspected but not loaded. */
const ignored = new Findings()
