import { describe, expect, it } from 'vitest'
import { compareGroups } from '../../../client/assistants/summary/compare-groups.ts'
import { Decimal } from '../../../parquet/decimal.ts'

const group = (code: string, median: number | null, unit = 'usd') => ({
  billing_code: code,
  rate_unit: unit,
  median: median === null ? null : new Decimal(BigInt(median * 10_000), 4),
  value_count: 12n,
})

const compare = (first: readonly ReturnType<typeof group>[], second: readonly ReturnType<typeof group>[]) =>
  compareGroups(first, second, ['billing_code', 'rate_unit'])

describe('two summaries', () => {
  it('differ group by group, the largest difference first', () => {
    const { pairs } = compare([group('1', 100), group('2', 100)], [group('1', 101), group('2', 80)])
    expect(pairs.map((pair) => [pair['billing_code'], pair['percent']])).toEqual([
      ['2', -20],
      ['1', 1],
    ])
  })

  it('never pair dollars with percentages, and count what only one of them has', () => {
    const compared = compare([group('1', 100), group('2', 50)], [group('1', 60, 'percent_of_charges')])
    expect(compared).toMatchObject({ pairs: [], onlyInFirst: 2, onlyInSecond: 1 })
  })

  it('differ by no percentage where a side has no median, or zero', () => {
    const { pairs } = compare([group('1', null), group('2', 0)], [group('1', 5), group('2', 5)])
    expect(pairs.map((pair) => pair['percent'])).toEqual([null, null])
  })
})
