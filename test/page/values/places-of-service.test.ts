import { describe, expect, it } from 'vitest'
import { namePlace } from '../../../page/values/places-of-service.ts'

describe('a place of service', () => {
  it('shows its name with its code, and a code that has no name as it is', () => {
    expect(['11', '22', 'CSTM-00', ''].map(namePlace)).toEqual([
      'Office (11)',
      'On-campus outpatient hospital (22)',
      'CSTM-00',
      '',
    ])
  })
})
