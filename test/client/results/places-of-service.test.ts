import { describe, expect, it } from 'vitest'
import { namePlace } from '../../../client/results/places-of-service.ts'

describe('a place of service', () => {
  it('shows its name with its code, and a code that has no name as it is', () => {
    expect(['11', '18', '22', 'CSTM-00', ''].map(namePlace)).toEqual([
      'Office (11)',
      'Worksite (18)',
      'On-campus outpatient hospital (22)',
      'CSTM-00',
      '',
    ])
  })

  it('carries a name if CMS has assigned its code', () => {
    const codes = Array.from({ length: 100 }, (_, code) => String(code).padStart(2, '0'))
    const unassigned = codes.filter((code) => namePlace(code) === code)
    // Source: CMS, "Place of Service Code Set", the ranges that are unassigned.
    const ranges = ['00', '28-30', '35-40', '43-48', '59', '63-64', '67-70', '73-80', '82-98']
    const expected = ranges.flatMap((range) => {
      const [first = '', last = first] = range.split('-')
      return codes.slice(Number(first), Number(last) + 1)
    })
    expect(unassigned).toEqual(expected)
  })
})
