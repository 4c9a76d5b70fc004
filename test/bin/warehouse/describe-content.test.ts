import { describe, expect, it } from 'vitest'
import { describeDetails, describeEntries, sortByName } from '../../../bin/warehouse/describe-content.ts'

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

describe('a fee schedule', () => {
  it('by its bare name shows the previous state of its plan ids, which a rollback restores', () => {
    const state = {
      status: 'active',
      contentId: 'c',
      sourcesKey: 's',
      planIdsKey: 'p',
      sourceCount: 2,
      loadedAt: '2026-11-06T03:00:00.000+00:00',
      planIds: ['ein|1'],
      planIdCount: 1,
      partial: false,
      lastUpdatedOn: '2026-11-01',
    } as const
    const previous = (status: 'active' | 'removed') => ({
      replacedAt: '2026-11-06T03:00:00.000+00:00',
      state: status === 'removed' ? ({ status } as const) : { ...state, lastUpdatedOn: '2026-10-01' },
    })
    const variant = (ein: string, status: 'active' | 'removed') =>
      ({
        payer: 'Acme',
        plan: `Gold (EIN ${ein})`,
        version: 'v',
        variantOf: 'Gold',
        state,
        previous: previous(status),
      }) as const
    const text = describeDetails({
      entry: { payer: 'Acme', plan: 'Gold', version: 'v', state },
      variants: [variant('1', 'active'), variant('2', 'removed')],
      sources: [],
    })
    const [, before = ''] = text.split('\nbefore 2026-11-06T03:00:00.000+00:00:\n')
    expect(before).toMatch(/^Acme +Gold \(EIN 1\) +2 +complete +2026-10-01 /m)
    expect(before).toMatch(/^Acme +Gold \(EIN 2\) +– +removed /m)
  })
})

describe('a list of fee schedules', () => {
  it('follows the order of payers, then plans, ignoring case', () => {
    const sorted = sortByName([entry('Zenith', 'A'), entry('acme', 'Gold'), entry('Acme', 'Basic'), entry('Élan', 'A')])
    expect(sorted.map(({ payer, plan }) => `${payer}/${plan}`)).toEqual([
      'acme/Gold',
      'Acme/Basic',
      'Élan/A',
      'Zenith/A',
    ])
  })

  it("forms a table with the API's timestamps", () => {
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
