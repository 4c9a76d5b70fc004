import { DuckDBDecimalValue } from '@duckdb/node-api'
import type { ColumnsOf } from '../../schema/rates.ts'
import { defineColumn, ownColumnsOf } from '../../schema/rates.ts'
import type { RowFilter } from '../filter/row-filter.ts'
import { readExactRate } from '../published/exact-rate.ts'
import type { Findings } from '../published/findings.ts'
import type { InNetworkItem, NegotiatedPrice, NegotiatedRate } from '../published/in-network-file.ts'
import { itemColumns } from '../published/in-network-file.ts'
import type { BillingCode } from '../published/published-code.ts'
import { readCanonicalCode } from '../published/published-code.ts'
import { isId } from '../published/published-number.ts'
import type { ProviderStage } from './stage-providers.ts'
import { TermStage } from './stage-terms.ts'
import { stageValues, toText } from './staged-value.ts'
import type { StagedTable, StagingDatabase } from './staging-database.ts'

/**
 * Takes the prices of a file into the staging database, each value once: `items` has a row an element of `in_network`,
 * `terms` one for what many prices share, `prices` one a price, `rates` one an element of `negotiated_rates` and
 * `refs` one for each provider group that it names.
 */
export class PriceStage {
  /** Published prices so far, whether or not they became rows. */
  published = 0
  readonly #tables: PriceTables
  readonly #terms: TermStage
  readonly #providers: ProviderStage
  readonly #findings: Findings
  readonly #keepsCode: ((code: BillingCode) => boolean) | undefined
  #rate = 0

  private constructor(
    tables: PriceTables,
    terms: TermStage,
    providers: ProviderStage,
    findings: Findings,
    { keepsCode }: RowFilter,
  ) {
    this.#tables = tables
    this.#terms = terms
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
    const rate = ['rate', 'uinteger'] as const
    const item = ['item', 'uinteger'] as const
    const place = ['place', 'integer'] as const
    const itemCodes = ownColumnsOf('item').map((name) => defineColumn(name))
    const tables = {
      items: await database.createTable('items', [item, ...itemCodes], itemColumns),
      prices: await database.createTable('prices', [
        ['ordinal', 'double'],
        item,
        rate,
        ['terms', 'uinteger'],
        defineColumn('negotiated_rate'),
      ]),
      rates: await database.createTable('rates', [
        rate,
        item,
        place,
        ['published', 'uinteger'],
        ['priced', 'uinteger'],
      ]),
      refs: await database.createTable('refs', [rate, place, ['number', 'bigint']]),
      leftOut: await database.createTable('left_out', [item, ['filtered', 'boolean']]),
    }
    return new PriceStage(tables, await TermStage.create(database), providers, findings, filter)
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
    if (item === undefined || this.#keepsCode?.(item.code) === false) {
      // Whether a filter would keep the prices of an item without a code is not known: they are not judged.
      this.#tables.leftOut.add({ item: index, filtered: this.#keepsCode !== undefined })
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
    this.#tables.items.add({ item: index, ...codes }, values)
  }

  /**
   * @param item index of the rate's item in its file
   * @param place index of the rate in its item
   */
  addRate(rate: NegotiatedRate | undefined, item: number, place: number): void {
    if (rate?.prices === undefined) {
      // How many prices are lost is not known: one is counted.
      if (rate !== undefined) this.#findings.count('unfit-rates', rate.at, 'negotiated_prices')
      this.#tables.rates.add({ rate: this.#rate++, item, place, published: 1, priced: 0 })
      return
    }
    const named = this.#addReferences(rate)
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
      else if (this.#addPrice(price, item)) priced++
    }
    this.#tables.rates.add({ rate: this.#rate++, item, place, published: this.published - before, priced })
  }

  /** Passes over an item that the filter leaves out: prices after it keep their ordinals. */
  passItem(priceCount: number): void {
    this.#findings.units.items.published++
    this.published += priceCount
  }

  /** Adds the groups that a rate names, unless the filter is known to leave out all of them. */
  #addReferences({ at, providerReferences, groups }: NegotiatedRate): 'named' | 'no provider' | 'left out' {
    const inline = this.#providers.addInlineGroups(groups)
    const isReferring = providerReferences.length > 0
    if (typeof inline !== 'bigint' && (isReferring || inline) && this.#providers.leavesOut(providerReferences))
      return 'left out'
    const seen = new Set<bigint>()
    for (let index = 0; index < providerReferences.length; index++) {
      const id = providerReferences[index]
      const number = isId(id) ? this.#providers.numberOf(id) : undefined
      if (number === undefined) this.#findings.count('dangling-reference', at, 'provider_references', index)
      else if (seen.has(number)) this.#findings.count('repeated-reference', at, 'provider_references', index)
      else {
        this.#tables.refs.add({ rate: this.#rate, place: index, number })
        seen.add(number)
      }
    }
    if (typeof inline === 'bigint') this.#tables.refs.add({ rate: this.#rate, place: inlinePlace, number: inline })
    return seen.size > 0 || inline !== undefined ? 'named' : 'no provider'
  }

  #addPrice(price: NegotiatedPrice, item: number): boolean {
    const rate = readExactRate(price.negotiatedRate)
    if (rate === undefined) {
      this.#findings.count('unfit-rate', price.at, 'negotiated_rate')
      return false
    }
    if (rate.rounded) this.#findings.count('rounded-rate', price.at, 'negotiated_rate')
    if (rate.tenThousandths === 0n) this.#findings.count('zero-rate', price.at, 'negotiated_rate')
    const terms = this.#terms.add(price)
    for (const [rule, field] of terms.findings) this.#findings.count(rule, price.at, field)
    this.#tables.prices.add({
      ordinal: this.published,
      item,
      rate: this.#rate,
      terms: terms.number,
      negotiated_rate: new DuckDBDecimalValue(rate.tenThousandths, 18, 4),
    })
    return true
  }
}

interface PriceTables {
  readonly items: StagedTable<'item' | ColumnsOf<'item', 'own'>>
  readonly prices: StagedTable<'ordinal' | 'item' | 'rate' | 'terms' | 'negotiated_rate'>
  readonly rates: StagedTable<'rate' | 'item' | 'place' | 'published' | 'priced'>
  readonly refs: StagedTable<'rate' | 'place' | 'number'>
  readonly leftOut: StagedTable<'item' | 'filtered'>
}

/** The place of an inline group, which is in no array of references. */
const inlinePlace = -1
