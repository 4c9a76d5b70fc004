import { Decimal } from '../../parquet/decimal.ts'
import type { ResultRow } from './result-row.ts'

/** The columns that a comparison reads: the key of a price, its amount, and what to show of it. */
export const comparedColumns = [
  ...['price_key', 'negotiated_rate', 'payer', 'plan', 'billing_code_type', 'billing_code', 'tin_value', 'rate_unit'],
]

/** A price whose amounts differ between two results. */
export interface Change {
  readonly change: 'added' | 'removed' | 'changed'
  readonly price_key: string
  readonly payer: string
  /** Null if rows of several plans have the key, because they share networks. */
  readonly plan: string | null
  readonly billing_code_type: string
  readonly billing_code: string
  readonly tin_value: string
  readonly rate_unit: string
  /** The distinct amounts, ascending: a key can have several in one month. */
  readonly old: readonly Decimal[]
  readonly new: readonly Decimal[]
  /** Change from one amount to one; null if a side has several, which cannot be paired, or the old amount is zero. */
  readonly percent: number | null
}

/** Rows of a result, in blocks. */
type Blocks = AsyncIterable<readonly ResultRow[]> | Iterable<readonly ResultRow[]>

interface Price {
  readonly row: ResultRow
  isShared: boolean
  /** The amounts in ten-thousandths. */
  readonly old: Set<bigint>
  readonly new: Set<bigint>
}

/** Digits of an amount after the point. */
export const amountScale = 4

/**
 * Compares the prices of two results by their keys. It holds each key once, about 500 bytes.
 *
 * @param older rows with `comparedColumns`
 * @returns the changes, ordered by kind, billing code, TIN and key
 * @throws RangeError if a row has no key, or no amount
 */
export async function compareResults(older: Blocks, newer: Blocks): Promise<readonly Change[]> {
  const prices = new Map<string, Price>()
  for (const [side, blocks] of [['old', older] as const, ['new', newer] as const])
    for await (const rows of blocks)
      for (const row of rows) {
        const key = row['price_key']
        if (typeof key !== 'string')
          throw new RangeError(
            'a row has no price_key: the search asked for other columns, or an earlier version made it',
          )
        const price = prices.get(key) ?? { row, isShared: false, old: new Set(), new: new Set() }
        prices.set(key, price)
        price.isShared ||= price.row['plan'] !== row['plan']
        price[side].add(readAmount(row))
      }
  return [...prices]
    .map(([key, price]) => describe(key, price))
    .filter((each) => each.old.join() !== each.new.join())
    .sort((a, b) => compareTexts(sortKey(a), sortKey(b)))
}

function readAmount({ negotiated_rate: amount }: ResultRow): bigint {
  if (!(amount instanceof Decimal)) throw new RangeError(`a row has the negotiated_rate ${amount}, which is no decimal`)
  return amount.unscaledAt(amountScale)
}

/** Counts the prices that were added, removed and changed. */
export function countChanges(changes: readonly Change[]): string {
  const count = (kind: Change['change']) => changes.filter(({ change }) => change === kind).length
  const added = count('added')
  return `${added} ${added === 1 ? 'price' : 'prices'} added, ${count('removed')} removed, ${count('changed')} changed`
}

function describe(key: string, { row, isShared, old, new: now }: Price): Change {
  const text = (column: string) => String(row[column] ?? '')
  const [before, after] = [sortAmounts(old), sortAmounts(now)]
  return {
    change: kindOf(before, after),
    price_key: key,
    payer: text('payer'),
    plan: isShared ? null : text('plan'),
    billing_code_type: text('billing_code_type'),
    billing_code: text('billing_code'),
    tin_value: text('tin_value'),
    rate_unit: text('rate_unit'),
    old: before,
    new: after,
    percent: percentOf(before, after),
  }
}

function kindOf(before: readonly Decimal[], after: readonly Decimal[]): Change['change'] {
  if (before.length === 0) return 'added'
  return after.length === 0 ? 'removed' : 'changed'
}

const sortAmounts = (amounts: Iterable<bigint>) =>
  [...amounts].sort((a, b) => (a < b ? -1 : 1)).map((amount) => new Decimal(amount, amountScale))

/** Returns the percentage with two digits after the point, of one amount to one. */
function percentOf(
  [before, ...moreBefore]: readonly Decimal[],
  [after, ...moreAfter]: readonly Decimal[],
): number | null {
  if (before === undefined || after === undefined || moreBefore.length + moreAfter.length > 0 || before.unscaled === 0n)
    return null
  return Math.round((Number(after) / Number(before) - 1) * 10_000) / 100
}

const sortKey = ({ change, billing_code, tin_value, price_key }: Change) =>
  [change, billing_code, tin_value, price_key].join('\n')

function compareTexts(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
