import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { attemptPrefix, queryToken } from '../../../core/job/attempt.ts'
import { resultsPrefix } from '../../../schema/workflow-step.ts'

const word = fc.stringMatching(/^[0-9A-Za-z]{1,3}$/)
const anyAttempt = fc.record({
  job: fc.record({ orgId: word, jobId: word, run: word }),
  attempt: fc.integer({ min: 1, max: 120 }),
})
type Attempt = typeof anyAttempt extends fc.Arbitrary<infer Value> ? Value : never
const isSame = (a: Attempt, b: Attempt) =>
  a.job.orgId === b.job.orgId && a.job.jobId === b.job.jobId && a.job.run === b.job.run && a.attempt === b.attempt

/** Two attempts that differ in at most one part. */
const neighbours = fc.tuple(anyAttempt, anyAttempt, fc.nat(4)).map(([one, other, part]): [Attempt, Attempt] => [
  one,
  [
    { ...one, attempt: other.attempt },
    { ...one, job: { ...one.job, run: other.job.run } },
    { ...one, job: { ...one.job, jobId: other.job.jobId } },
    { ...one, job: { ...one.job, orgId: other.job.orgId } },
  ][part] ?? one,
])

describe('the prefix of an attempt', () => {
  it('never begins another attempt’s prefix', () => {
    fc.assert(
      fc.property(neighbours, ([one, other]) => {
        const prefix = attemptPrefix(one.job, one.attempt)
        const key = `${attemptPrefix(other.job, other.attempt)}file`
        expect(key.startsWith(prefix)).toBe(isSame(one, other))
      }),
    )
    const job = { orgId: 'o', jobId: 'j', run: 'r' }
    expect(attemptPrefix(job, 10).startsWith(attemptPrefix(job, 1))).toBe(false)
  })

  it('lies below the results and ends in a slash', () => {
    const prefix = attemptPrefix({ orgId: 'o', jobId: 'j', run: 'r' }, 2)
    expect(prefix).toBe('results/o/j/r/attempt-2/')
    expect(prefix.startsWith(resultsPrefix)).toBe(true)
  })
})

describe('the token of an attempt', () => {
  it('differs even if moving text from one id to the next makes them alike', () => {
    const token = queryToken({ orgId: 'a', jobId: 'bc', run: 'd' }, 1)
    expect(token).not.toBe(queryToken({ orgId: 'ab', jobId: 'c', run: 'd' }, 1))
    expect(token).not.toBe(queryToken({ orgId: 'a', jobId: 'b', run: 'cd' }, 1))
  })

  it('consists of 64 characters and differs by organization, job, run and attempt', () => {
    fc.assert(
      fc.property(neighbours, ([one, other]) => {
        const token = queryToken(one.job, one.attempt)
        expect(token).toMatch(/^[0-9a-f]{64}$/)
        expect(token === queryToken(other.job, other.attempt)).toBe(isSame(one, other))
      }),
    )
  })
})
