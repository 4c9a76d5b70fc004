import type { ColumnsOf } from '../../schema/columns/rates.ts'
import type { RowFilter } from '../filter/row-filter.ts'
import type { InlineGroup } from '../inline-groups/inline-groups.ts'
import type { Place } from '../json/json-object.ts'
import { pathOf } from '../json/json-object.ts'
import type { PlainRate } from '../plain/plain-rates.ts'
import { PlainRates } from '../plain/plain-rates.ts'
import type { Findings } from '../published/findings.ts'
import type { InNetworkItem, NegotiatedPrice, NegotiatedRate } from '../published/in-network-file.ts'
import { itemColumns } from '../published/in-network-file.ts'
import type { BillingCode } from '../published/published-code.ts'
import { readCanonicalCode } from '../published/published-code.ts'
import { readExactRate } from '../published/values/exact-rate.ts'
import { isId } from '../published/values/published-number.ts'
import { PriceRows } from './price-rows.ts'
import type { ProviderStage } from './stage-providers.ts'
import type { KnownTerms } from './stage-terms.ts'
import { TermStage } from './stage-terms.ts'
import { stageValues, toText } from './staged-value.ts'
import type { StagingDatabase } from './staging-database.ts'

/**
 * Takes the prices of a file into the staging database, each value once: `items` has a row an element of `in_network`,
 * `terms` one for what many prices share, `prices` one a price, `rates` one an element of `negotiated_rates` and
 * `refs` one for each provider group that it names.
 */
export class PriceStage {
  /** Published prices so far, whether or not they became rows. */
  published = 0
  /** Reads rates from their bytes, for `addPlainRate`. */
  readonly plainRates: PlainRates<KnownTerms>
  #rows: PriceRows
  readonly #terms: TermStage
  readonly #providers: ProviderStage
  readonly #findings: Findings
  readonly #keepsCode: ((code: BillingCode) => boolean) | undefined
  /** The last item that was added, and whether it is kept. */
  #item: { readonly index: number; readonly isKept: boolean } | undefined

  private constructor(
    rows: PriceRows,
    terms: TermStage,
    providers: ProviderStage,
    findings: Findings,
    { keepsCode }: RowFilter,
  ) {
    this.#rows = rows
    this.#terms = terms
    this.plainRates = new PlainRates((values) => terms.add(values), providers.inline)
    this.#providers = providers
    this.#findings = findings
    this.#keepsCode = keepsCode
  }

  static async create(
    database: StagingDatabase,
    providers: ProviderStage,
    findings: Findings,
    filter: RowFilter,
  ): Promise<PriceStage> {
    const rows = await PriceRows.create(database, 0)
    return new PriceStage(rows, await TermStage.create(database), providers, findings, filter)
  }

  /** Stages what follows in the next part of the file. */
  async startPart(database: StagingDatabase): Promise<void> {
    this.#rows = await PriceRows.create(database, this.#rows.nextRate)
    await this.#terms.startPart(database)
  }

  /** How many rows of `negotiated_rates` the current part has, if all references are defined. */
  get rowCount(): number {
    return this.#rows.count
  }

  /** How many items the current part has. */
  get itemCount(): number {
    return this.#rows.items.count
  }

  /** Whether a rate of the current part names a provider reference. */
  get hasReferences(): boolean {
    return this.#rows.hasReferences
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
      this.#rows.leftOut.add({ item: index, filtered: this.#keepsCode !== undefined })
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
    this.#rows.items.add({ item: index, ...codes }, values)
  }

  /**
   * @param item index of the rate's item in its file
   * @param place index of the rate in its item
   */
  addRate(rate: NegotiatedRate | undefined, item: number, place: number): void {
    if (rate?.prices === undefined) {
      // How many prices are lost is not known: one is counted.
      if (rate !== undefined) this.#findings.count('unfit-rates', rate.at, 'negotiated_prices')
      this.#rows.addRate(item, place, 1, 0)
      return
    }
    const inline = this.#providers.addInlineGroups(rate.groups)
    const named = this.#addReferences(rate, inline)
    if (named === 'left out') {
      this.published += rate.priceCount
      return
    }
    const before = this.published
    let priced = 0
    for (const price of rate.prices) {
      this.published++
      if (price === undefined) continue
      if (named === 'no provider') this.#findings.count('price-without-provider', price.at)
      else if (this.#addPrice(price)) priced++
    }
    if (priced > 0) this.#useInline(inline, item)
    this.#rows.addRate(item, place, this.published - before, priced)
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
    const { firstReference, endOfReferences, firstPrice, endOfPrices, groups, npiCount } = rate
    const inline = groups && this.#providers.addPlainGroups(groups, npiCount)
    if (this.#leavesOut(inline, references, firstReference, endOfReferences)) {
      this.published += endOfPrices - firstPrice
      return
    }
    for (let index = firstReference; index < endOfReferences; index++)
      this.#rows.nameReference(index - firstReference, references[index] ?? 0)
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
    this.#rows.addRate(item, place, endOfPrices - firstPrice, endOfPrices - firstPrice)
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
    const seen = new Set<bigint>()
    for (let index = 0; index < providerReferences.length; index++) {
      const id = providerReferences[index]
      const number = isId(id) ? this.#providers.numberOf(id) : undefined
      if (number === undefined) this.#findings.count('dangling-reference', at, 'provider_references', index)
      else if (seen.has(number)) this.#findings.count('repeated-reference', at, 'provider_references', index)
      else {
        this.#rows.nameReference(index, number)
        seen.add(number)
      }
    }
    this.#nameInline(inline)
    return seen.size > 0 || inline !== undefined ? 'named' : 'no provider'
  }

  #nameInline(inline: InlineGroup): void {
    if (typeof inline === 'number') this.#rows.nameInline(inline, this.#providers.inline.rowsOf(inline))
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
    this.#rows.addPrice(this.published, this.#terms.numberOf(terms), tenThousandths)
  }
}
