import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { chooseUnendedPartition, unendedPartitions } from '../../schema/tables.ts'

describe('the index of jobs that have not ended', () => {
  it('spreads jobs evenly over eight partitions', () => {
    const ids = Array.from({ length: 8000 }, (_, number) => createHash('md5').update(String(number)).digest('hex'))
    const counts = new Map<string, number>(unendedPartitions.map((partition) => [partition, 0]))
    for (const id of ids) counts.set(chooseUnendedPartition(id), (counts.get(chooseUnendedPartition(id)) ?? 0) + 1)
    expect([...counts.keys()]).toEqual([0, 1, 2, 3, 4, 5, 6, 7].map((partition) => `unended-${partition}`))
    expect(Math.min(...counts.values())).toBeGreaterThan(900)
    expect(Math.max(...counts.values())).toBeLessThan(1100)
  })
})
