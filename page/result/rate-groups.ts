import type { Row } from './read-rows.ts'

/** One rate of one provider. */
export interface ProviderRate {
  readonly rate: number
  readonly npi: string
  readonly name: string
}

/** The rates of one fee schedule for one code, in one unit, ascending. */
export interface RateGroup {
  readonly payer: string
  readonly plan: string
  readonly rates: readonly ProviderRate[]
  readonly quartiles: readonly [first: number, median: number, third: number]
}

/** A code in its type, with how many rows have it. */
export interface RatedCode {
  readonly type: string
  readonly code: string
  readonly name: string
  readonly rows: number
}

const text = (value: unknown) => (value === null || value === undefined ? '' : String(value))

const codeKey = (row: Row) => `${text(row['billing_code_type'])}\n${text(row['billing_code'])}`

/** The codes of the rows, the most frequent first. */
export function listCodes(rows: readonly Row[]): readonly RatedCode[] {
  const groups = Map.groupBy(rows, codeKey)
  return [...groups.values()]
    .flatMap(([first, ...others]) =>
      first === undefined
        ? []
        : [
            {
              type: text(first['billing_code_type']),
              code: text(first['billing_code']),
              name: text(first['name']),
              rows: others.length + 1,
            },
          ],
    )
    .sort((a, b) => b.rows - a.rows || a.code.localeCompare(b.code))
}

const isOf = (row: Row, { type, code }: Pick<RatedCode, 'type' | 'code'>) =>
  row['billing_code_type'] === type && row['billing_code'] === code

/** The units that a code's rates have, the most frequent first. */
export function listUnits(rows: readonly Row[], code: RatedCode): readonly string[] {
  const units = Map.groupBy(
    rows.filter((row) => isOf(row, code)),
    (row) => text(row['rate_unit']),
  )
  return [...units].sort(([, a], [, b]) => b.length - a.length).map(([unit]) => unit)
}

/** The rates of a code by fee schedule, of one unit only: dollars and percentages are never in one group. */
export function groupRates(rows: readonly Row[], code: RatedCode, unit: string): readonly RateGroup[] {
  const own = rows.filter((row) => isOf(row, code) && row['rate_unit'] === unit)
  const groups = Map.groupBy(own, (row) => `${text(row['payer'])}\n${text(row['plan'])}`)
  return [...groups.values()]
    .map((members) => {
      const rates = members
        .map((row) => ({
          rate: Number(row['negotiated_rate']),
          npi: text(row['npi']),
          name: text(row['tin_business_name']),
        }))
        .sort((a, b) => a.rate - b.rate || a.npi.localeCompare(b.npi))
      const values = rates.map(({ rate }) => rate)
      return {
        payer: text(members[0]?.['payer']),
        plan: text(members[0]?.['plan']),
        rates,
        quartiles: [quantile(values, 0.25), quantile(values, 0.5), quantile(values, 0.75)] as const,
      }
    })
    .sort((a, b) => a.quartiles[1] - b.quartiles[1])
}

/** Interpolated between the two nearest of ascending values. */
export function quantile(ascending: readonly number[], share: number): number {
  const place = (ascending.length - 1) * share
  const below = ascending[Math.floor(place)] ?? Number.NaN
  const above = ascending[Math.ceil(place)] ?? below
  return below + (above - below) * (place - Math.floor(place))
}
