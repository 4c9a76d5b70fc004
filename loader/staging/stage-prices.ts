import { DuckDBDecimalValue } from '@duckdb/node-api'
import type { RowFilter } from '../filter/row-filter.ts'
import { readExactRate } from '../published/exact-rate.ts'
import type { Findings } from '../published/findings.ts'
import type { BillingCode, InNetworkItem, NegotiatedPrice, NegotiatedRate } from '../published/in-network-file.ts'
import { readListedValue } from '../published/known-values.ts'
import { formatContainedCode, readCanonicalCode } from '../published/published-code.ts'
import { isId } from '../published/published-number.ts'
import type { ProviderStage } from './stage-providers.ts'
import { TermStage, termColumns } from './stage-terms.ts'
import { toSet, toText } from './staged-value.ts'
import type { StagedTable, StagingDatabase } from './staging-database.ts'

/** The columns of `negotiated_rates` that an item's prices share. */
export const itemColumns = [
  'billing_code_type',
  'billing_code',
  'billing_code_published',
  'billing_code_type_version',
  'negotiation_arrangement',
  'severity_of_illness',
  'name',
  'description',
  'bundled_codes',
  'covered_services',
] as const

const typeOf = (column: string) =>
  ({ bundled_codes: 'varchar[]', covered_services: 'varchar[]', service_code: 'varchar[]' })[column] ??
  { billing_code_modifier: 'varchar[]', expiration_date: 'date' }[column] ??
  'varchar'

/**
 * Takes the prices of a file into the staging database, each value once: `items` has a row an element of `in_network`,
 * `terms` one for what many prices share, `prices` one a price, `rates` one an element of `negotiated_rates` and
 * `refs` one for each provider group that it names.
 */
export class PriceStage {
  /** Published prices so far, whether or not they became rows. */
  published = 0
  readonly #items: StagedTable
  readonly #terms: TermStage
  readonly #prices: StagedTable
  readonly #rates: StagedTable
  readonly #refs: StagedTable
  readonly #leftOut: StagedTable
  readonly #providers: ProviderStage
  readonly #findings: Findings
  readonly #keepsCode: ((code: BillingCode) => boolean) | undefined
  #rate = 0

  private constructor(tables: PriceTables, providers: ProviderStage, findings: Findings, { keepsCode }: RowFilter) {
    this.#keepsCode = keepsCode
    this.#items = tables.items
    this.#terms = new TermStage(tables.terms)
    this.#prices = tables.prices
    this.#rates = tables.rates
    this.#refs = tables.refs
    this.#leftOut = tables.leftOut
    this.#providers = providers
    this.#findings = findings
  }

  static async create(
    database: StagingDatabase,
    providers: ProviderStage,
    findings: Findings,
    filter: RowFilter,
  ): Promise<PriceStage> {
    const columns = (names: readonly string[]) => names.map((name) => [name, typeOf(name)] as const)
    const rate = ['rate', 'uinteger'] as const
    const item = ['item', 'uinteger'] as const
    const terms = ['terms', 'uinteger'] as const
    const tables = {
      items: await database.createTable('items', [item, ...columns(itemColumns)]),
      terms: await database.createTable('terms', [terms, ...columns(termColumns)]),
      prices: await database.createTable('prices', [
        ['ordinal', 'double'],
        item,
        rate,
        terms,
        ['negotiated_rate', 'decimal(18,4)'],
      ]),
      rates: await database.createTable('rates', [
        rate,
        item,
        ['place', 'uinteger'],
        ['published', 'uinteger'],
        ['priced', 'uinteger'],
      ]),
      refs: await database.createTable('refs', [rate, ['place', 'integer'], ['number', 'bigint']]),
      leftOut: await database.createTable('left_out', [item, ['filtered', 'boolean']]),
    }
    return new PriceStage(tables, providers, findings, filter)
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
      this.#leftOut.add(index, this.#keepsCode !== undefined)
      return
    }
    const { type, code } = readCanonicalCode(item.code)
    const arrangement = readListedValue('negotiation_arrangement', item.negotiationArrangement)
    if (type.finding !== undefined) this.#findings.count(type.finding, item.at, 'billing_code_type')
    if (arrangement.finding !== undefined) this.#findings.count(arrangement.finding, item.at, 'negotiation_arrangement')
    this.#items.add(
      index,
      toText(type.value),
      toText(code),
      toText(item.code.code),
      toText(item.code.version),
      toText(arrangement.value),
      toText(item.severityOfIllness),
      toText(item.name),
      toText(item.description),
      toSet(item.bundledCodes.map(formatContainedCode)),
      toSet(item.coveredServices.map(formatContainedCode)),
    )
  }

  /**
   * @param item index of the rate's item in its file
   * @param place index of the rate in its item
   */
  addRate(rate: NegotiatedRate | undefined, item: number, place: number): void {
    if (rate?.prices === undefined) {
      // How many prices are lost is not known: one is counted.
      if (rate !== undefined) this.#findings.count('unfit-rates', rate.at, 'negotiated_prices')
      this.#rates.add(this.#rate++, item, place, 1, 0)
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
    this.#rates.add(this.#rate++, item, place, this.published - before, priced)
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
        this.#refs.add(this.#rate, index, number)
        seen.add(number)
      }
    }
    if (typeof inline === 'bigint') this.#refs.add(this.#rate, inlinePlace, inline)
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
    const amount = new DuckDBDecimalValue(rate.tenThousandths, 18, 4)
    this.#prices.add(this.published, item, this.#rate, terms.number, amount)
    return true
  }
}

interface PriceTables {
  readonly items: StagedTable
  readonly terms: StagedTable
  readonly prices: StagedTable
  readonly rates: StagedTable
  readonly refs: StagedTable
  readonly leftOut: StagedTable
}

/** The place of a group that stands with its price, in no array of references. */
const inlinePlace = -1
