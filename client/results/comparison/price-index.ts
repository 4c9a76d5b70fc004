import { Decimal } from '../../../parquet/decimal.ts'
import { formatNumber } from '../../../schema/phrases.ts'
import { isDoubtful } from '../../../schema/summary/definition.ts'
import { readText, showValue } from '../csv.ts'
import type { ResultRow } from '../result-row.ts'
import { NotComparable } from './not-comparable.ts'

/** Columns that say what a price is for and on which terms. All rows of a price have the same values. */
export const subjectColumns = [
  ...(['payer', 'plan', 'billing_code_type', 'billing_code', 'name', 'billing_code_modifier', 'rate_unit'] as const),
  ...(['negotiated_type', 'billing_class', 'setting', 'service_code'] as const),
] as const

/** The values of `subjectColumns` as text; null if nothing was published. */
export type Subject = Readonly<Record<(typeof subjectColumns)[number], string | null>>

/** The columns that a comparison of prices reads. */
export const comparedColumns: readonly string[] = [
  ...['price_key', 'negotiated_rate', ...subjectColumns, 'tin_value', 'tin_business_name', 'provider_name'],
  ...['last_updated_on', 'flags'],
]

/** Rows of a result, in blocks. */
export type Blocks = AsyncIterable<readonly ResultRow[]> | Iterable<readonly ResultRow[]>

/** One of the two results. */
export type Side = 'old' | 'new'

/** The distinct amounts of a price in ten-thousandths. Nearly all prices have one, which needs no set. */
type Amounts = bigint | Set<bigint> | undefined

/** A price of one plan in both results. */
export interface Price {
  readonly subject: Subject
  readonly tin: string
  /** The business name of the TIN, and the name of one of its providers; empty if unknown. */
  business: string
  provider: string
  hasOtherProviders: boolean
  /** True if one of its amounts may not be a rate. */
  isDoubtful: boolean
  old: Amounts
  new: Amounts
}

/** The prices of a plan, or of all plans, by their keys. */
export interface PriceGroup {
  /** Null if plans are not told apart. */
  readonly payer: string | null
  readonly plan: string | null
  readonly prices: ReadonlyMap<string, Price>
  /** The results that have a price of it. */
  readonly sides: ReadonlySet<Side>
  /** Dates on which the prices were published, `YYYY-MM-DD`, by result. */
  readonly dates: Readonly<Record<Side, ReadonlySet<string>>>
}

interface PlanPrices extends PriceGroup {
  readonly prices: Map<string, Price>
  readonly sides: Set<Side>
  readonly dates: Readonly<Record<Side, Set<string>>>
}

/** Digits of an amount after the point. */
export const amountScale = 4

/** Maximum number of prices. If all differ, a comparison takes about 2 GB, the heap of Node on a machine with 4 GB. */
export const maxPrices = 1_500_000

/**
 * Holds each price of two results once, by plan and `price_key`, in about 300 bytes for any number of rows.
 */
export class PriceIndex {
  readonly #plans = new Map<string, PlanPrices>()
  readonly #subjects = new Map<string, Subject>()
  readonly #texts = new Map<string, string>()
  readonly #limit: number
  #count = 0

  constructor(limit = maxPrices) {
    this.#limit = limit
  }

  /**
   * Adds the rows of a result.
   *
   * @param blocks rows with `comparedColumns`
   * @throws NotComparable if a row has no key or no amount, or there are too many prices
   */
  async add(side: Side, blocks: Blocks): Promise<void> {
    for await (const rows of blocks) for (const row of rows) this.#addRow(side, row)
  }

  /** Returns the prices of each plan. */
  get plans(): readonly PriceGroup[] {
    return [...this.#plans.values()]
  }

  #addRow(side: Side, row: ResultRow): void {
    const { price_key: key } = row
    if (typeof key !== 'string')
      throw new NotComparable(
        `the ${side === 'old' ? 'older' : 'newer'} result has a row without price_key, by which prices are matched: ` +
          'the search asked for other columns, or an earlier version made it; search again',
      )
    const plan = this.#planOf(row)
    plan.sides.add(side)
    const price = plan.prices.get(key) ?? this.#addPrice(plan, key, row)
    price[side] = addAmount(price[side], readAmount(row))
    price.isDoubtful ||= isDoubtful(Array.isArray(row['flags']) ? row['flags'].map(String) : null)
    price.business ||= this.#share(row['tin_business_name'])
    const provider = row['provider_name'] == null ? '' : String(row['provider_name'])
    if (price.provider === '') price.provider = this.#share(provider)
    else if (provider !== '' && provider !== price.provider) price.hasOtherProviders = true
    if (row['last_updated_on'] != null) plan.dates[side].add(showValue(row['last_updated_on']))
  }

  #planOf({ payer, plan }: ResultRow): PlanPrices {
    const name = `${payer}\n${plan}`
    const existing = this.#plans.get(name)
    if (existing !== undefined) return existing
    const dates = { old: new Set<string>(), new: new Set<string>() }
    const group = {
      payer: readText(payer),
      plan: readText(plan),
      prices: new Map<string, Price>(),
      sides: new Set<Side>(),
      dates,
    }
    this.#plans.set(name, group)
    return group
  }

  #addPrice({ prices }: PlanPrices, key: string, row: ResultRow): Price {
    this.#count += 1
    if (this.#count > this.#limit)
      throw new NotComparable(
        `the results have more than ${formatNumber(this.#limit)} prices, which memory may not hold: compare fewer plans or codes at once`,
      )
    const price: Price = {
      subject: this.#shareSubject(row),
      tin: this.#share(row['tin_value']),
      business: '',
      provider: '',
      hasOtherProviders: false,
      isDoubtful: false,
      old: undefined,
      new: undefined,
    }
    prices.set(key, price)
    return price
  }

  /** Returns one object for all prices that are for the same. */
  #shareSubject(row: ResultRow): Subject {
    const subject = readSubject(row)
    const name = JSON.stringify(subject)
    const shared = this.#subjects.get(name)
    if (shared !== undefined) return shared
    this.#subjects.set(name, subject)
    return subject
  }

  /** Returns one string for all texts that are equal: each file has strings of its own. */
  #share(value: unknown): string {
    const text = showValue(value)
    const shared = this.#texts.get(text)
    if (shared !== undefined) return shared
    this.#texts.set(text, text)
    return text
  }
}

const readSubject = (row: ResultRow): Subject => ({
  payer: readText(row['payer']),
  plan: readText(row['plan']),
  billing_code_type: readText(row['billing_code_type']),
  billing_code: readText(row['billing_code']),
  name: readText(row['name']),
  billing_code_modifier: readText(row['billing_code_modifier']),
  rate_unit: readText(row['rate_unit']),
  negotiated_type: readText(row['negotiated_type']),
  billing_class: readText(row['billing_class']),
  setting: readText(row['setting']),
  service_code: readText(row['service_code']),
})

function readAmount({ negotiated_rate: amount }: ResultRow): bigint {
  if (!(amount instanceof Decimal))
    throw new NotComparable(`a row has the negotiated_rate ${amount}, which is no decimal`)
  return amount.unscaledAt(amountScale)
}

function addAmount(amounts: Amounts, amount: bigint): Amounts {
  if (amounts === undefined || amounts === amount) return amount
  return amounts instanceof Set ? amounts.add(amount) : new Set([amounts, amount])
}

/** Returns the distinct amounts, ascending. */
export function listAmounts(amounts: Amounts): readonly bigint[] {
  if (amounts === undefined) return []
  if (!(amounts instanceof Set)) return [amounts]
  return [...amounts].sort((one, other) => (one < other ? -1 : 1))
}

/** Merges the prices of all plans that have the same key. */
export function mergePlans(plans: readonly PriceGroup[]): PriceGroup {
  const prices = new Map<string, Price>()
  const dates = { old: new Set<string>(), new: new Set<string>() }
  for (const plan of plans) {
    for (const side of ['old', 'new'] as const) for (const date of plan.dates[side]) dates[side].add(date)
    for (const [key, price] of plan.prices) {
      const merged = prices.get(key)
      if (merged === undefined) prices.set(key, { ...price })
      else mergePrice(merged, price)
    }
  }
  return { payer: null, plan: null, prices, sides: new Set(plans.flatMap(({ sides }) => [...sides])), dates }
}

function mergePrice(price: Price, other: Price): void {
  for (const side of ['old', 'new'] as const)
    for (const amount of listAmounts(other[side])) price[side] = addAmount(price[side], amount)
  price.isDoubtful ||= other.isDoubtful
  price.business ||= other.business
  if (price.provider === '') price.provider = other.provider
  price.hasOtherProviders ||= other.hasOtherProviders || (other.provider !== '' && other.provider !== price.provider)
}
