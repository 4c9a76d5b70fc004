import type { JsonRow } from './json-row.ts'

/** A row of a file, and a key of its provider group. */
export interface GroupedRow {
  readonly row: JsonRow
  readonly group: string
}

/** Adds the flags of rows that depend on no other file, in plain loops over all rows of one file. */
export function flagNaively(rows: readonly GroupedRow[]): JsonRow[] {
  const prices = new Map(rows.map(({ row }) => [row['price_id'], row]))
  const alike = Map.groupBy(
    [...prices.values()].filter((row) => !isPlaceholder(row)),
    alikeKey,
  )
  const medians = new Map([...alike].map(([key, prices]) => [key, findMedian(prices)]))
  const codes = new Map<string, Set<string>>()
  for (const each of rows) {
    const groupCodes = codes.get(blanketKey(each)) ?? new Set<string>()
    codes.set(
      blanketKey(each),
      groupCodes.add(JSON.stringify([each.row['billing_code_type'], each.row['billing_code']])),
    )
  }
  return rows.map((each) => {
    const { row } = each
    const median = isPlaceholder(row) ? undefined : medians.get(alikeKey(row))
    const flags = {
      blanket: (codes.get(blanketKey(each))?.size ?? 0) >= 50,
      expired: String(row['expiration_date'] ?? '~') < String(row['last_updated_on'] ?? ''),
      outlier_high: median !== undefined && unitsOf(row) > 10n * median,
      outlier_low: median !== undefined && 10n * unitsOf(row) < median,
      placeholder: isPlaceholder(row),
    }
    const rowFlags = Object.entries(flags).flatMap(([name, holds]) => (holds ? [name] : []))
    return { ...row, flags: rowFlags.length > 0 ? rowFlags : null }
  })
}

/** Returns a rate in ten-thousandths. */
const unitsOf = (row: JsonRow) => BigInt(String(row['negotiated_rate']).replace('.', ''))

const isPlaceholder = (row: JsonRow) =>
  unitsOf(row) <= 0n ||
  unitsOf(row) === 100n ||
  (unitsOf(row) === 10_000n && row['rate_unit'] !== 'percent_of_charges') ||
  /^9{4,9}\.9*0*$/.test(String(row['negotiated_rate']))

const alikeKey = (row: JsonRow) =>
  JSON.stringify(
    ['billing_code_type', 'billing_code', 'rate_unit', 'billing_class', 'setting'].map((column) => row[column]),
  )

const blanketKey = ({ row, group }: GroupedRow) => JSON.stringify([group, row['negotiated_rate'], row['rate_unit']])

/** Returns the median, which is the lower of two in the middle; undefined for fewer than eleven prices. */
function findMedian(rows: readonly JsonRow[]): bigint | undefined {
  const sorted = rows.map(unitsOf).sort((one, other) => Number(one > other) - Number(one < other))
  return sorted.length < 11 ? undefined : sorted[Math.floor((sorted.length - 1) / 2)]
}
