import { expect, it } from 'vitest'
import { adviseNarrowing } from '../../../core/search/filter-words.ts'

const feeSchedules = [{ payer: 'Acme Health', plan: 'Gold PPO' }]

it.each([
  ['that it lacks', { billingCodes: ['99213'], feeSchedules }, 'Narrow it by npis: '],
  ['that it lacks', { npis: [1000000000], feeSchedules }, 'Narrow it by billing_codes: '],
  [
    'that is longest',
    { npis: [1000000000, 1000000001], billingCodes: ['99213'], feeSchedules },
    'Split the search by npis: it names 2.',
  ],
  ['that it lacks', { tins: ['12'], feeSchedules }, 'Narrow it by billing_codes: '],
  ['that it lacks', { providers: { states: ['TX'] }, feeSchedules }, 'Narrow it by billing_codes: '],
  [
    'that is longest',
    { providers: { states: ['TX'] }, billingCodes: ['99213', '99214'], feeSchedules },
    'Split the search by billing_codes: it names 2.',
  ],
  [
    'that is longest',
    { tins: ['12', '13'], billingCodes: ['99213'], feeSchedules },
    'Split the search by tins: it names 2.',
  ],
  [
    'that is longest',
    { npis: [1000000000], billingCodes: ['99213', '99214', '99215'], feeSchedules },
    'Split the search by billing_codes: it names 3.',
  ],
  [
    'that is longest',
    { npis: [1000000000], billingCodes: ['99213'], feeSchedules: [...feeSchedules, ...feeSchedules] },
    'Split the search by fee_schedules: it names 2.',
  ],
  [
    'that comes first of equally long ones',
    { npis: [1000000000, 1000000001], billingCodes: ['99213', '99214'], feeSchedules },
    'Split the search by npis: it names 2.',
  ],
  [
    'that it lacks, though it has another for providers',
    { providers: { states: ['TX'] }, billingCodes: ['99213'], feeSchedules },
    'Narrow it by npis: the search names only states, by which many providers match.',
  ],
  [
    'that it lacks, though it has others',
    { networks: ['Select'], providers: { zips: ['77030'] }, billingCodes: ['99213'], feeSchedules },
    'Narrow it by npis: the search names only networks, zips, by which many providers match.',
  ],
  [
    'only if there is one',
    { npis: [1000000000], billingCodes: ['99213'], feeSchedules },
    'It cannot be narrowed, because it names one value in each list: ',
  ],
])('advises to narrow a search with too large a result or need of memory by the filter %s', (_, request, advice) => {
  expect(adviseNarrowing(request)).toContain(advice)
})
