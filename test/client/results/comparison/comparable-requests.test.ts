import { describe, expect, it } from 'vitest'
import type { SearchRequest } from '../../../../client/api.ts'
import { requireComparable } from '../../../../client/results/comparison/comparable-requests.ts'
import { fieldCases } from '../../request-fields.ts'

/** A search as its manifest has it: with the defaults of a summary. */
const searchOf = ({ summary, ...request }: SearchRequest, truncated = false) => ({
  request: { ...request, ...(summary && { summary: { weight: 'tins', by: [], ...summary } as const }) },
  truncated,
})

const freeFields = ['as_of', 'fee_schedules', 'max_bytes', 'summary.count_providers']

describe('two searches', () => {
  it.each(fieldCases)('can be compared exactly if $field may differ', ({ field, request, other }) => {
    const compare = () => requireComparable(searchOf(request), searchOf(other))
    if (freeFields.includes(field)) expect(compare).not.toThrow()
    else expect(compare).toThrow(`their ${field} differs`)
    expect(() => requireComparable(searchOf(request), searchOf(request))).not.toThrow()
  })

  const ofMatter = fieldCases.filter(({ field }) => !freeFields.includes(field))

  it.each(ofMatter)('cannot be compared if only one has $field', ({ field, request }) => {
    const { fee_schedules } = request
    const base: SearchRequest = { fee_schedules, ...(field.startsWith('summary.') && { summary: {} }) }
    for (const [one, other] of [
      [base, { ...base, ...request }],
      [{ ...base, ...request }, base],
    ] as const)
      expect(() => requireComparable(searchOf(one), searchOf(other))).toThrow(field)
  })

  it('cannot be compared if a limit cut one of them', () => {
    const request = { npis: [0], fee_schedules: [{ payer: 'A', plan: 'B' }], limit: 10 }
    for (const [one, other] of [
      [true, false],
      [false, true],
    ])
      expect(() => requireComparable(searchOf(request, one), searchOf(request, other))).toThrow('search without limit')
  })
})
