import { isDoubtful } from '../../schema/summary/definition.ts'
import { percentileOf } from '../../schema/summary/percentiles.ts'

/** A row of a result, as Parquet readers give it. */
export type ResultRow = Readonly<Record<string, unknown>>

/** Prices that differ in one of these are never in one statistic; in the order in which their groups are listed. */
const alike = [
  ...['billing_code_type', 'billing_code', 'billing_code_modifier', 'billing_class', 'setting', 'rate_unit'],
  ...['service_code', 'negotiation_arrangement', 'additional_information', 'payer', 'plan'],
]

/** The prices of a plan for a service on the same terms. */
export type PriceSummary = Readonly<
  Record<'code' | 'service' | 'billing_class' | 'unit' | 'plan', string> &
    Record<'prices' | 'lowest' | 'median' | 'highest', number>
>

/**
 * Sums up prices that are priced alike, each counted once, whatever the number of its providers.
 *
 * @returns in the order of codes, with the number of prices that are left out because they are doubtful
 */
export function summarisePrices(rows: readonly ResultRow[]): {
  readonly summaries: readonly PriceSummary[]
  readonly leftOut: number
} {
  const prices = [
    ...new Map(rows.map((row) => [[row['payer'], row['plan'], row['price_id']].join('\n'), row])).values(),
  ]
  const plain = prices.filter(({ flags }) => !isDoubtful(Array.isArray(flags) ? flags : null))
  const groups = Map.groupBy(plain, (row) => alike.map((column) => String(row[column] ?? '')).join('\n'))
  const summaries = [...groups]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, members]) => summarise(members))
  return { summaries, leftOut: prices.length - plain.length }
}

function summarise(members: readonly ResultRow[]): PriceSummary {
  const [first] = members
  if (first === undefined) throw new RangeError('no prices to sum up')
  const ascending = members.map((row) => Number(row['negotiated_rate'])).sort((a, b) => a - b)
  const modifiers = first['billing_code_modifier']
  return {
    code: [first['billing_code_type'], first['billing_code'], ...(Array.isArray(modifiers) ? modifiers : [])].join(' '),
    service: String(first['name']),
    billing_class: String(first['billing_class']),
    unit: String(first['rate_unit']),
    plan: String(first['plan']),
    prices: members.length,
    lowest: percentileOf(ascending, 0),
    median: percentileOf(ascending, 50),
    highest: percentileOf(ascending, 100),
  }
}
