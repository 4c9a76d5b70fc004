import { describe, expect, it } from 'vitest'
import { summarisePrices } from '../../../bin/samples/price-summary.ts'

const row = (price_id: string, negotiated_rate: number, more: object = {}) => ({
  ...{ payer: 'Acme', plan: 'Gold', billing_code_type: 'CPT', billing_code: '73721', name: 'MRI', rate_unit: 'usd' },
  ...{ billing_class: 'professional', setting: 'outpatient', flags: null, price_id, negotiated_rate, ...more },
})

describe('the summary of prices', () => {
  it('counts a price once, however many rows its providers make', () => {
    const rows = [row('a', 300), row('a', 300), row('b', 100), row('c', 200)]
    expect(summarisePrices(rows)).toEqual({
      leftOut: 0,
      summaries: [
        {
          ...{ code: 'CPT 73721', service: 'MRI', billing_class: 'professional', unit: 'usd', plan: 'Gold' },
          ...{ prices: 3, lowest: 100, median: 200, highest: 300 },
        },
      ],
    })
  })

  it('leaves out doubtful prices and says how many, but no blanket and expired ones', () => {
    const doubtful = ['placeholder', 'outlier_high', 'outlier_low'].map((flag) => row(flag, 1, { flags: [flag] }))
    const counted = [row('a', 100, { flags: ['blanket'] }), row('b', 200, { flags: ['expired'] })]
    const { summaries, leftOut } = summarisePrices([...doubtful, ...counted])
    expect([leftOut, summaries.map(({ prices, lowest }) => [prices, lowest])]).toEqual([3, [[2, 100]]])
  })

  it.each([
    ['plans', { plan: 'Silver' }],
    ['units', { rate_unit: 'percent_of_charges' }],
    ['modifiers', { billing_code_modifier: ['26'] }],
    ['classes', { billing_class: 'institutional' }],
    ['places', { service_code: ['11'] }],
  ])('keeps %s apart', (_, other) => {
    expect(summarisePrices([row('a', 1), row('b', 2, other)]).summaries.map(({ prices }) => prices)).toEqual([1, 1])
  })
})
