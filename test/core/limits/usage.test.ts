import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { judgeClaim, type Limits, measureAllowance, unused } from '../../../core/limits/usage.ts'
import { addSeconds } from '../../../core/time.ts'
import { createMemoryUsages } from '../../doubles/memory-usages.ts'

const start = new Date('2026-11-20T09:30:00.000Z')
const later = (seconds: number) => addSeconds(start, seconds)

/** Creates a search at each of the times, in seconds; returns which were admitted. */
async function create(limits: Limits, times: readonly number[]): Promise<readonly boolean[]> {
  const usages = createMemoryUsages()
  const admitted: boolean[] = []
  for (const [index, time] of times.entries()) {
    const claim = { orgId: 'org', jobId: `job ${index}`, at: later(time), limits }
    admitted.push((await usages.take(claim, await usages.read('org'))) === 'written')
  }
  return admitted
}

const many = (searches: number) => ({ searches: 100_000, perMinute: searches })

describe('the rate', () => {
  it('admits a whole minute at once, and then one search an interval', async () => {
    const times = [...Array.from({ length: 61 }, () => 0), 0.999, 1, 1.5, 2]
    expect(await create(many(60), times)).toEqual([
      ...Array.from({ length: 60 }, () => true),
      false,
      false,
      true,
      false,
      true,
    ])
  })

  it('admits a whole minute again after an idle one', async () => {
    const times = [0, 60].flatMap((second) => Array.from({ length: 8 }, () => second))
    const admitted = await create(many(7), times)
    expect(admitted.filter(Boolean)).toHaveLength(14)
    expect([admitted[7], admitted[15]]).toEqual([false, false])
  })

  it('admits in no window more than twice the rate, and over time no more than the rate and one burst', async () => {
    const gaps = fc.array(fc.double({ min: 0, max: 5, noNaN: true }), { maxLength: 300 })
    await fc.assert(
      fc.asyncProperty(gaps, fc.integer({ min: 1, max: 100 }), async (between, perMinute) => {
        let time = 0
        const times = between.map((gap) => (time += Math.round(gap * 1000) / 1000))
        const admitted = await create(many(perMinute), times)
        const accepted = times.filter((_, index) => admitted[index])
        for (const from of accepted) {
          for (const length of [1, 60, 600]) {
            const within = accepted.filter((each) => each >= from && each < from + length).length
            expect(within).toBeLessThanOrEqual(perMinute + Math.ceil((length * perMinute) / 60))
          }
        }
        // A refusal means that the burst is used up.
        if (between.length <= perMinute) expect(admitted).not.toContain(false)
      }),
    )
  })

  it('says in how many seconds there is more', async () => {
    const limits = many(60)
    expect(measureAllowance(unused, limits, start)).toEqual({ limits, created: 60, moreIn: 1, running: 100_000 })
    const used = { slots: new Map(), arrivalTime: later(67.2).getTime() * 1000 }
    expect(measureAllowance(used, limits, start)).toMatchObject({ created: 0, moreIn: 9 })
  })
})

describe('slots', () => {
  it('number as many as the limit, and none if the limit was lowered below the taken ones', async () => {
    const limits = { searches: 3, perMinute: 60_000 }
    expect(await create(limits, [0, 0, 0, 0])).toEqual([true, true, true, false])
    const slots = new Map(['a', 'b', 'c'].map((jobId) => [jobId, start]))
    const claimOf = (jobId: string) => ({ orgId: 'org', jobId, at: start, limits })
    expect(['a', 'd'].map((jobId) => judgeClaim({ slots, arrivalTime: 0 }, claimOf(jobId)))).toEqual([
      'held',
      'refused',
    ])
    expect(measureAllowance({ slots, arrivalTime: 0 }, { ...limits, searches: 2 }, start).running).toBe(0)
  })
})
