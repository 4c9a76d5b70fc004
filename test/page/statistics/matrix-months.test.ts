import { describe, expect, it } from 'vitest'
import { describeMonths } from '../../../page/statistics/matrix-months.ts'

const plan = (name: string, ...months: readonly string[]) => ({ key: name, payer: 'Acme', plan: name, months })

describe('the line about the months of a matrix', () => {
  it('names the month once if all plans have the same', () => {
    expect(describeMonths([plan('Gold', '2026-11'), plan('Silver', '2026-11')])).toBe('Published in November 2026.')
  })

  it('names the month of most plans, and other months with their plans', () => {
    const plans = [
      plan('Gold', '2026-10'),
      plan('Silver', '2026-11'),
      plan('Iron', '2026-11'),
      plan('Tin', '2026-10', '2026-11'),
    ]
    expect(describeMonths(plans)).toBe(
      'Published in November 2026; but Gold in October 2026; Tin in October 2026 and November 2026.',
    )
  })

  it('stays away if no month is known', () => {
    expect(describeMonths([plan('Gold')])).toBe('')
  })
})
