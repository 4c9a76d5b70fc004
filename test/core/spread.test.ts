import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { resultLimits } from '../../core/publish-results.ts'
import { mostPartitions, widenSpread } from '../../core/spread.ts'

const { shardBytes, resultBytes } = resultLimits
const totalBytes = fc.integer({ min: shardBytes + 1, max: resultBytes })

describe('the spread of a result that is too large for its files', () => {
  it('makes files of at most half a shard, and never needs more partitions than there may be', () => {
    fc.assert(
      fc.property(totalBytes, (total) => {
        const spread = widenSpread(undefined, total, shardBytes) ?? 0
        expect(total / spread).toBeLessThanOrEqual(shardBytes / 2)
        expect(spread).toBeGreaterThan(2)
        expect(spread).toBeLessThanOrEqual(mostPartitions)
      }),
    )
  })

  it('comes to its end after a few attempts, the last one over all partitions', () => {
    fc.assert(
      fc.property(totalBytes, (total) => {
        const spreads: number[] = []
        for (
          let spread = widenSpread(undefined, total, shardBytes);
          spread !== undefined;
          spread = widenSpread(spread, total, shardBytes)
        )
          spreads.push(spread)
        expect(spreads.length).toBeLessThanOrEqual(7)
        expect(spreads.at(-1)).toBe(mostPartitions)
        expect(spreads).toEqual([...new Set(spreads)].sort((a, b) => a - b))
      }),
    )
  })

  it('is 50 megabytes a partition and twice as many the next time where a shard is 100', () => {
    expect(widenSpread(undefined, 101e6, 100e6)).toBe(3)
    expect(widenSpread(3, 150e6, 100e6)).toBe(6)
    expect(widenSpread(60, 150e6, 100e6)).toBe(100)
    expect(widenSpread(100, 150e6, 100e6)).toBeUndefined()
  })
})
