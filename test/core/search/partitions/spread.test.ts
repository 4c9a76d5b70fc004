import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { maxPartitions, widenSpread } from '../../../../core/search/partitions/spread.ts'
import { resultLimits } from '../../../../core/workflow/publish-results.ts'

const { shardBytes, resultBytes } = resultLimits
const totalBytes = fc.integer({ min: shardBytes + 1, max: resultBytes })

describe('the spread of a result with oversized files', () => {
  it('aims at files of half a shard, and never exceeds the maximum number of partitions', () => {
    fc.assert(
      fc.property(totalBytes, (total) => {
        const spread = widenSpread(undefined, total, shardBytes) ?? 0
        expect(total / spread).toBeLessThanOrEqual(shardBytes / 2)
        expect(spread).toBeGreaterThan(2)
        expect(spread).toBeLessThanOrEqual(maxPartitions)
      }),
    )
  })

  it('reaches its maximum after a few attempts', () => {
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
        expect(spreads.at(-1)).toBe(maxPartitions)
        expect(spreads).toEqual([...new Set(spreads)].sort((a, b) => a - b))
      }),
    )
  })

  it('starts at 50 MB per partition for shards of 100 MB, then doubles the partitions', () => {
    expect(widenSpread(undefined, 101e6, 100e6)).toBe(3)
    expect(widenSpread(3, 150e6, 100e6)).toBe(6)
    expect(widenSpread(60, 150e6, 100e6)).toBe(100)
    expect(widenSpread(100, 150e6, 100e6)).toBeUndefined()
  })
})
