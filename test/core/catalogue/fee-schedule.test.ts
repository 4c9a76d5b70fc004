import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { feeScheduleKey } from '../../../core/catalogue/fee-schedule.ts'

const anyText = fc.string({ unit: 'binary' })
const anyPair = fc.record({ payer: fc.string({ maxLength: 2 }), plan: fc.string({ maxLength: 2 }) })

describe('fee schedules', () => {
  it('share a key exactly if payer and plan are equal', () => {
    fc.assert(
      fc.property(anyPair, anyPair, (one, other) => {
        const isSame = one.payer === other.payer && one.plan === other.plan
        expect(feeScheduleKey(one) === feeScheduleKey(other)).toBe(isSame)
        expect(feeScheduleKey({ plan: one.plan, payer: one.payer })).toBe(feeScheduleKey(one))
      }),
    )
  })

  it('get different keys even if moving text from plan to payer makes them alike', () => {
    fc.assert(
      fc.property(
        anyText,
        anyText,
        anyText,
        fc.constantFrom('', ',', '","', '/', '|', '\u0000'),
        (a, b, c, between) => {
          const one = { payer: a + between + b, plan: c }
          const other = { payer: a, plan: b + between + c }
          expect(feeScheduleKey(one) === feeScheduleKey(other)).toBe(between + b === '')
        },
      ),
    )
  })
})
