import { expect, it } from 'vitest'
import type { JobHolder, JobStatus } from '../../../core/job/job.ts'
import { addSeconds } from '../../../core/time.ts'
import { freeSlots } from '../../../core/workflow/free-slots.ts'
import { newJob } from '../../builders/sample-search.ts'
import { createMemoryUsages } from '../../doubles/memory-usages.ts'

const now = new Date('2026-11-20T09:30:00.000Z')
const ago = (seconds: number) => addSeconds(now, -seconds)

/** Frees the slots of organizations that were taken at these times, in seconds before now. */
async function free(
  organizations: Readonly<Record<string, Readonly<Record<string, number>>>>,
  jobs: Readonly<Record<string, JobStatus>> = {},
) {
  const usages = createMemoryUsages()
  const limits = { searches: 100, perMinute: 60_000 }
  for (const [orgId, slots] of Object.entries(organizations)) {
    for (const [jobId, seconds] of Object.entries(slots).sort(([, a], [, b]) => b - a))
      await usages.take({ orgId, jobId, at: ago(seconds), limits }, await usages.read(orgId))
    await usages.noteReview(orgId, ago(301))
  }
  const asked: string[] = []
  const readHolders = async (keys: readonly { readonly orgId: string; readonly jobId: string }[]) => {
    asked.push(...keys.map(({ jobId }) => jobId))
    return keys.flatMap((key): JobHolder[] => {
      const status = jobs[key.jobId]
      return status === undefined ? [] : [{ ...newJob(key), status }]
    })
  }
  const freed = await freeSlots({ usages, reviews: usages, holders: { readHolders }, now: () => now })
  const left = [...usages.usages.values()].flatMap(({ slots }) => [...slots.keys()])
  return { freed, left, asked, usages }
}

it('frees slots that were taken over five minutes ago and have no job that runs', async () => {
  const slots = { young: 300, absent: 301, queued: 900, processing: 900, completed: 900, failed: 900, ahead: -301 }
  const jobs = { queued: 'queued', processing: 'processing', completed: 'completed', failed: 'failed' } as const
  const { freed, left, asked } = await free({ org: slots }, jobs)
  expect(freed).toBe(4)
  expect(left).toEqual(['queued', 'processing', 'young'])
  expect(asked).not.toContain('young')
})

it('frees the slots of all organizations, and reviews each again only five minutes later', async () => {
  const { freed, left, usages } = await free({ org1: { a: 400 }, org2: { b: 400, c: 0 } })
  expect(freed).toBe(2)
  expect(left).toEqual(['c'])
  expect(await usages.list(ago(1), 50)).toEqual([])
  expect(await usages.list(now, 50)).toEqual(['org2'])
})

it('leaves organizations for the next sweep that were reviewed a moment ago, or are more than fifty', async () => {
  const many = Array.from({ length: 51 }, (_, index) => [`org${index}`, { [`job${index}`]: 400 }])
  expect((await free(Object.fromEntries(many))).left).toHaveLength(1)
})
