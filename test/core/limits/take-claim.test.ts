import { expect, it } from 'vitest'
import { RateLimited } from '../../../core/limits/rate-limited.ts'
import { takeClaim } from '../../../core/limits/take-claim.ts'
import { unused } from '../../../core/limits/usage.ts'
import { addSeconds } from '../../../core/time.ts'
import { createMemoryUsages } from '../../doubles/memory-usages.ts'

const start = new Date('2026-11-20T09:30:00.000Z')
const limits = { searches: 3, perMinute: 60_000 }
const claimOf = (jobId: string, seconds = 0) => ({ orgId: 'org', jobId, at: addSeconds(start, seconds), limits })

it('reads the usage again when another search was faster', async () => {
  const usages = createMemoryUsages()
  let reads = 0
  const racing = {
    ...usages,
    read: async (orgId: string) => {
      reads++
      return usages.read(orgId)
    },
    take: async (...args: Parameters<typeof usages.take>) => {
      if (reads < 2) await usages.take(claimOf(`faster ${reads}`), unused)
      return reads < 2 ? ('superseded' as const) : usages.take(...args)
    },
  }
  await takeClaim(racing, claimOf('a'), unused)
  expect(reads).toBe(2)
  expect([...(await usages.read('org')).slots.keys()]).toEqual(['faster 0', 'faster 1', 'a'])
})

it('refuses a search beyond the limit without a write, and names those that hold slots, the longest first', async () => {
  const usages = createMemoryUsages()
  for (const [jobId, seconds] of [
    ['b', 2],
    ['a', 1],
    ['c', 3],
  ] as const)
    await takeClaim(usages, claimOf(jobId, seconds), await usages.read('org'))
  const noWrite = { ...usages, take: () => Promise.reject(new Error('took a slot')) }
  const refused = takeClaim(noWrite, claimOf('d', 4), await usages.read('org'))
  await expect(refused).rejects.toThrow(RateLimited)
  await expect(refused).rejects.toMatchObject({
    allowance: { limits, running: 0 },
    details: ['a', 'b', 'c'].map((jobId) => ({ path: '', message: `search ${jobId} has not ended` })),
  })
})

it('gives up after ten writes that others were faster than', async () => {
  const usages = createMemoryUsages()
  let takes = 0
  const take = async () => {
    takes++
    return 'superseded' as const
  }
  await expect(takeClaim({ ...usages, take }, claimOf('a'), unused)).rejects.toThrow(RateLimited)
  expect(takes).toBe(10)
})
