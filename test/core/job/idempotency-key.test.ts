import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { issueOrganizationId } from '../../../core/access/api-key.ts'
import { deriveJobId, findIdempotencyKeyFaults } from '../../../core/job/idempotency-key.ts'
import { isJobId } from '../../../core/job/job.ts'

const visible = Array.from({ length: 94 }, (_, index) => String.fromCharCode(0x21 + index))
const anyKey = fc.string({ unit: fc.constantFrom(...visible), minLength: 1, maxLength: 255 })
const anyOrgId = fc.oneof(
  fc.constant(0).map(() => issueOrganizationId()),
  fc.string(),
)

describe('the job id of an idempotency key', () => {
  it('derives a valid job id, always the same one', () => {
    fc.assert(
      fc.property(anyOrgId, anyKey, (orgId, key) => {
        const jobId = deriveJobId(orgId, key)
        expect(isJobId(jobId)).toBe(true)
        expect(deriveJobId(orgId, key)).toBe(jobId)
      }),
    )
  })

  it('differs for each pair of organization and key, even if their concatenation is the same', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 1 }), fc.string(), (orgId, middle, key) => {
        expect(deriveJobId(orgId, middle + key)).not.toBe(deriveJobId(orgId + middle, key))
        expect(deriveJobId(orgId, key + middle)).not.toBe(deriveJobId(orgId, key))
        expect(deriveJobId(middle + orgId, key)).not.toBe(deriveJobId(orgId, key))
      }),
    )
  })

  it('never changes, so a key sent across a deployment is still the same job', () => {
    expect(deriveJobId('Org123456789', 'order-42')).toBe('e8bfb4c5-2272-4d55-a099-4d869c3a3b67')
  })

  it('uses all of its 122 bits', () => {
    const ids = Array.from({ length: 200 }, (_, index) =>
      BigInt(`0x${deriveJobId('org', `${index}`).replace(/-/g, '')}`),
    )
    const [seenOne, seenZero] = ids.reduce(([ones, zeros], id) => [ones | id, zeros | ~id], [0n, 0n])
    const changing = BigInt.asUintN(128, seenOne & seenZero)
    expect(changing.toString(16)).toBe('ffffffffffff0fff3fffffffffffffff')
  })
})

describe('an idempotency key', () => {
  it('may have any 1 to 255 visible ASCII characters', () => {
    fc.assert(
      fc.property(anyKey, (key) => {
        expect(findIdempotencyKeyFaults(key)).toEqual([])
      }),
    )
    expect(findIdempotencyKeyFaults('k'.repeat(255))).toEqual([])
  })

  it.each([
    ['is empty', ''],
    ['is too long', 'k'.repeat(256)],
    ['has a space', 'a, b'],
    ['ends in white space', 'a\n'],
    ['has a control character', 'a\u0000'],
    ['has a delete character', 'a\u007f'],
    ['is not ASCII', 'clé'],
  ])('cannot be one that %s, and the message does not repeat it', (_, key) => {
    expect(findIdempotencyKeyFaults(key)).toEqual([
      { path: 'Idempotency-Key', message: 'must have 1 to 255 visible ASCII characters, without spaces' },
    ])
  })
})
