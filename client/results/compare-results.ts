import type { ResultRow } from './parquet-column.ts'

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
  readonly old: readonly number[]
  readonly new: readonly number[]
  /** Of one amount to one; null for others, because nobody can say which became which, and from zero. */
  readonly percent: number | null
}

/** Rows of a result, some at a time. */
type Blocks = AsyncIterable<readonly ResultRow[]> | Iterable<readonly ResultRow[]>

interface Price {
  readonly row: ResultRow
  isShared: boolean
  readonly old: Set<number>
  readonly new: Set<number>
}

/**
 * Compares the prices of two results by their keys. It holds each key once, about 500 bytes.
 *
 * @param older rows with `comparedColumns`
 * @returns what differs, by change, billing code, TIN and key
 * @throws RangeError if a row has no key
 */
export async function compareResults(older: Blocks, newer: Blocks): Promise<readonly Change[]> {
  const prices = new Map<string, Price>()
  for (const [side, blocks] of [['old', older] as const, ['new', newer] as const])
    for await (const rows of blocks)
      for (const row of rows) {
        const key = row['price_key']
        if (typeof key !== 'string')
          throw new RangeError('a row has no price_key: searches made it before this version')
        const price = prices.get(key) ?? { row, isShared: false, old: new Set(), new: new Set() }
        prices.set(key, price)
        price.isShared ||= price.row['plan'] !== row['plan']
        price[side].add(Number(row['negotiated_rate']))
      }
  return [...prices]
    .map(([key, price]) => describe(key, price))
    .filter((each) => each.old.join() !== each.new.join())
    .sort((a, b) => compareTexts(sortKey(a), sortKey(b)))
}

/** How many prices were added, removed and changed. */
export function countChanges(changes: readonly Change[]): string {
  const count = (kind: Change['change']) => changes.filter(({ change }) => change === kind).length
  const added = count('added')
  return `${added} ${added === 1 ? 'price' : 'prices'} added, ${count('removed')} removed, ${count('changed')} changed`
}

function describe(key: string, { row, isShared, old, new: now }: Price): Change {
  const text = (column: string) => String(row[column] ?? '')
  const [before, after] = [[...old].sort((a, b) => a - b), [...now].sort((a, b) => a - b)]
  const [first = 0, last = 0] = [before[0], after[0]]
  const isOne = before.length === 1 && after.length === 1 && first !== 0
  return {
    change: before.length === 0 ? 'added' : after.length === 0 ? 'removed' : 'changed',
    price_key: key,
    payer: text('payer'),
    plan: isShared ? null : text('plan'),
    billing_code_type: text('billing_code_type'),
    billing_code: text('billing_code'),
    tin_value: text('tin_value'),
    rate_unit: text('rate_unit'),
    old: before,
    new: after,
    percent: isOne ? Math.round((last / first - 1) * 10_000) / 100 : null,
  }
}

const sortKey = ({ change, billing_code, tin_value, price_key }: Change) =>
  [change, billing_code, tin_value, price_key].join('\n')

const compareTexts = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
