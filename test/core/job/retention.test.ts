import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Job } from '../../../core/job/job.ts'
import { isPastRetention, retainRequestUntil, retainUntil } from '../../../core/job/retention.ts'
import { addSeconds } from '../../../core/time.ts'
import { newJob } from '../../builders/sample-search.ts'

const day = 24 * 60 * 60
const { status: _, ...base } = newJob()
const endedAt = new Date('2026-11-20T12:00:00.000Z')
const ended: readonly Job[] = [
  { ...base, status: 'completed', completedAt: endedAt, attempt: 1, shards: [] },
  { ...base, status: 'failed', failedAt: endedAt, error: 'internal: x' },
]

describe('the retention of a job', () => {
  it.each(ended)('ends to the millisecond, counted from the end of a job that is $status', (job) => {
    expect(retainUntil(endedAt, 7)).toEqual(new Date('2026-11-27T12:00:00.000Z'))
    expect(isPastRetention(job, 7, new Date('2026-11-27T11:59:59.999Z'))).toBe(false)
    expect(isPastRetention(job, 7, new Date('2026-11-27T12:00:00.000Z'))).toBe(true)
  })

  it.each([newJob(), { ...newJob(), status: 'processing' as const }])(
    'starts only at the end of a job, which is $status',
    (job) => {
      expect(isPastRetention(job, 7, addSeconds(job.createdAt, 1000 * day))).toBe(false)
    },
  )

  it('never restarts once it is over', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ended),
        fc.integer({ min: 1, max: 30 }),
        fc.nat(40 * day),
        fc.nat(day),
        (job, days, at, more) => {
          const now = addSeconds(endedAt, at)
          const isOver = isPastRetention(job, days, now)
          expect(isOver).toBe(at >= days * day)
          expect(!isOver || isPastRetention(job, days, addSeconds(now, more))).toBe(true)
        },
      ),
    )
  })

  it('ends before that of its request, for runs of up to two days', () => {
    expect(retainRequestUntil(new Date('2026-11-20T12:00:00Z'), 7)).toEqual(new Date('2026-11-29T12:00:00Z'))
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), fc.nat(2 * day), (days, ran) => {
        const { createdAt } = newJob()
        expect(retainRequestUntil(createdAt, days) >= retainUntil(addSeconds(createdAt, ran), days)).toBe(true)
      }),
    )
  })
})
