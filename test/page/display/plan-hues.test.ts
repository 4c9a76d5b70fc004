import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assignHues, classOfHue, hueCount } from '../../../page/display/plan-hues.ts'

const plans = Array.from({ length: hueCount + 2 }, (_, index) => ({ payer: 'Payer', plan: `Plan ${index}` }))

describe('the hues of plans', () => {
  it('do not depend on the order or the number of rows', () => {
    const expected = assignHues(plans)
    fc.assert(
      fc.property(fc.shuffledSubarray([...plans, ...plans], { minLength: plans.length * 2 }), (rows) => {
        expect(assignHues(rows)).toEqual(expected)
      }),
    )
  })

  it('differ from each other, and end with the last hue', () => {
    const hues = assignHues(plans)
    expect(plans.map((plan) => classOfHue(hues, plan))).toEqual([
      ...Array.from({ length: hueCount }, (_, index) => `hue-${index + 1}`),
      ...['hue-none', 'hue-none'],
    ])
  })

  it('tell plans of the same name apart by their payers', () => {
    const [one, other] = [
      { payer: 'A', plan: 'HMO' },
      { payer: 'B', plan: 'HMO' },
    ]
    const hues = assignHues([other, one])
    expect([one, other].map((plan) => classOfHue(hues, plan))).toEqual(['hue-1', 'hue-2'])
  })

  it('leave the accent to a single plan', () => {
    const [only] = plans
    if (only === undefined) throw new TypeError('there is no plan')
    expect(assignHues([only, only])).toBeUndefined()
    expect(classOfHue(undefined, only)).toBe('')
  })
})
