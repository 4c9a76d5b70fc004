import type { DuckDBValue } from '@duckdb/node-api'
import { DuckDBDecimalValue } from '@duckdb/node-api'
import { readExactRate } from './exact-rate.ts'
import type { FindingRule, Findings } from './findings.ts'
import type { InNetworkItem, NegotiatedPrice, NegotiatedRate } from './in-network-file.ts'
import type { ListedField } from './known-values.ts'
import { readListedValue } from './known-values.ts'
import { formatContainedCode, readCanonicalCode } from './published-code.ts'
import { parsePublishedDate } from './published-date.ts'
import { isId } from './published-number.ts'
import type { ProviderStage } from './stage-providers.ts'
import { toDate, toSet, toText } from './staged-value.ts'
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

/** The columns that many prices share: all of a price but its rate. */
export const termColumns = [
  'negotiated_type',
  'billing_class',
  'setting',
  'service_code',
  'billing_code_modifier',
  'additional_information',
  'expiration_date',
] as const

const typeOf = (column: string) =>
  ({ bundled_codes: 'varchar[]', covered_services: 'varchar[]', service_code: 'varchar[]' })[column] ??
  { billing_code_modifier: 'varchar[]', expiration_date: 'date' }[column] ??
  'varchar'

/** Terms whose numbers are kept: such as come again after so many others are stored again. */
const mostKeptTerms = 100_000

/** Terms that were stored before, and what is counted each time they come. */
interface KnownTerms {
  readonly number: number
  readonly findings: readonly (readonly [rule: FindingRule, field: string])[]
}

/**
 * Takes the prices of a file into the staging database, each value once: `items` has a row an element of `in_network`,
 * `terms` one for what many prices share, `prices` one a price, `rates` one an element of `negotiated_rates` and
 * `refs` one for each provider group that it names.
 */
export class PriceStage {
  /** Published prices so far, whether or not they became rows. */
  published = 0
  readonly #items: StagedTable
  readonly #terms: StagedTable
  readonly #prices: StagedTable
  readonly #rates: StagedTable
  readonly #refs: StagedTable
  readonly #leftOut: StagedTable
  readonly #providers: ProviderStage
  readonly #findings: Findings
  readonly #known = new Map<string, KnownTerms>()
  #termCount = 0
  #rate = 0

  private constructor(tables: PriceTables, providers: ProviderStage, findings: Findings) {
    this.#items = tables.items
    this.#terms = tables.terms
    this.#prices = tables.prices
    this.#rates = tables.rates
    this.#refs = tables.refs
    this.#leftOut = tables.leftOut
    this.#providers = providers
    this.#findings = findings
  }

  static async create(database: StagingDatabase, providers: ProviderStage, findings: Findings): Promise<PriceStage> {
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
      leftOut: await database.createTable('left_out', [item]),
    }
    return new PriceStage(tables, providers, findings)
  }

  /**
   * @param item undefined if it cannot be used; its prices are dropped with it
   * @param index of the item in its file
   */
  addItem(item: InNetworkItem | undefined, index: number): void {
    const { items } = this.#findings.units
    items.published++
    if (item === undefined) {
      items.skipped++
      this.#leftOut.add(index)
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
    const before = this.published
    let priced = 0
    for (const price of rate.prices) {
      this.published++
      if (price === undefined) continue
      if (!named) this.#findings.count('price-without-provider', price.at)
      else if (this.#addPrice(price, item)) priced++
    }
    this.#rates.add(this.#rate++, item, place, this.published - before, priced)
  }

  /** Passes over prices: those after them keep their ordinals. */
  pass(priceCount: number): void {
    this.published += priceCount
  }

  /** @returns whether the rate names any provider */
  #addReferences(rate: NegotiatedRate): boolean {
    const seen = new Set<bigint>()
    const { providerReferences } = rate
    for (let index = 0; index < providerReferences.length; index++) {
      const id = providerReferences[index]
      const number = isId(id) ? this.#providers.numberOf(id) : undefined
      if (number === undefined) this.#findings.count('dangling-reference', rate.at, 'provider_references', index)
      else if (seen.has(number)) this.#findings.count('repeated-reference', rate.at, 'provider_references', index)
      else {
        this.#refs.add(this.#rate, index, number)
        seen.add(number)
      }
    }
    const inline = this.#providers.addInlineGroups(rate.groups)
    if (inline !== undefined) this.#refs.add(this.#rate, inlinePlace, inline)
    return seen.size > 0 || inline !== undefined
  }

  #addPrice(price: NegotiatedPrice, item: number): boolean {
    const rate = readExactRate(price.negotiatedRate)
    if (rate === undefined) {
      this.#findings.count('unfit-rate', price.at, 'negotiated_rate')
      return false
    }
    if (rate.rounded) this.#findings.count('rounded-rate', price.at, 'negotiated_rate')
    if (rate.tenThousandths === 0n) this.#findings.count('zero-rate', price.at, 'negotiated_rate')
    const terms = this.#termsOf(price)
    for (const [rule, field] of terms.findings) this.#findings.count(rule, price.at, field)
    const amount = new DuckDBDecimalValue(rate.tenThousandths, 18, 4)
    this.#prices.add(this.published, item, this.#rate, terms.number, amount)
    return true
  }

  #termsOf(price: NegotiatedPrice): KnownTerms {
    const { negotiatedType, billingClass, setting, expirationDate, additionalInformation } = price
    const lists = `${price.serviceCodes.join('\u0001')}\u0000${price.modifiers.join('\u0001')}`
    const key = `${negotiatedType}\u0000${billingClass ?? ''}\u0000${setting ?? ''}\u0000${expirationDate ?? ''}\u0000${lists}\u0000${additionalInformation ?? ''}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const findings: (readonly [FindingRule, string])[] = []
    const read = (field: ListedField, text: string | undefined): string | undefined => {
      if (text === undefined || text.trim() === '') return undefined
      const { value, finding } = readListedValue(field, text)
      if (finding !== undefined) findings.push([finding, field])
      return value
    }
    const date = parsePublishedDate(expirationDate)
    if (date === undefined) findings.push(['unreadable-date', 'expiration_date'])
    const values: readonly DuckDBValue[] = [
      toText(read('negotiated_type', negotiatedType)),
      toText(read('billing_class', billingClass)),
      toText(read('setting', setting)),
      toSet(price.serviceCodes),
      toSet(price.modifiers),
      toText(additionalInformation),
      toDate(date),
    ]
    const terms = { number: this.#termCount++, findings }
    this.#terms.add(terms.number, ...values)
    if (this.#known.size >= mostKeptTerms) this.#known.clear()
    this.#known.set(key, terms)
    return terms
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
