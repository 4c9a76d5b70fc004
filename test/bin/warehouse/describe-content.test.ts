import { describe, expect, it } from 'vitest'
import { describeEntries, sortByName } from '../../../bin/warehouse/describe-content.ts'

const entry = (payer: string, plan: string, partial = false) => ({
  payer,
  plan,
  planIds: partial ? [] : ['ein|012345678', 'ein|112345678'],
  planIdCount: partial ? 1234 : 2,
  files: 12,
  ...(partial ? {} : { lastUpdatedOn: '2026-11-01' }),
  loadedAt: '2026-11-20T09:30:00.123+00:00',
  state: partial ? ('partial' as const) : ('complete' as const),
})

describe('a list of fee schedules', () => {
  it('is sorted by payer, then plan, ignoring case', () => {
    const sorted = sortByName([entry('Zenith', 'A'), entry('acme', 'Gold'), entry('Acme', 'Basic'), entry('Élan', 'A')])
    expect(sorted.map(({ payer, plan }) => `${payer}/${plan}`)).toEqual([
      'acme/Gold',
      'Acme/Basic',
      'Élan/A',
      'Zenith/A',
    ])
  })

  it("is a table with the API's timestamps", () => {
    expect(describeEntries([entry('Acme', 'Gold'), entry('Acme', 'HMO', true)]).split('\n')).toEqual([
      'payer  plan  files  state     last updated on  loaded at                      plan ids',
      expect.stringMatching(/^[─ ]+$/),
      'Acme   Gold     12  complete  2026-11-01       2026-11-20T09:30:00.123+00:00  ein|012345678, ein|112345678',
      'Acme   HMO      12  partial   –                2026-11-20T09:30:00.123+00:00  1,234 ids',
    ])
  })

  it('says so if it is empty', () => {
    expect(describeEntries([])).toBe('no fee schedules')
  })
})
