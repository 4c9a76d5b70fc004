import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { groupRates, listCodes, listUnits, quantile } from '../../../page/result/rate-groups.ts'

const row = (facts: object) => ({
  payer: 'Acme',
  plan: 'Gold',
  billing_code_type: 'CPT',
  billing_code: '99213',
  name: 'Visit',
  negotiated_rate: 10,
  rate_unit: 'usd',
  npi: 1003000126n,
  tin_business_name: null,
  ...facts,
})
const code = { type: 'CPT', code: '99213', name: 'Visit', rows: 1 }

describe('the rates of a code', () => {
  it('are of its type, of one unit, and by fee schedule, the cheapest first', () => {
    const rows = [
      row({ plan: 'Silver', negotiated_rate: 30 }),
      row({ negotiated_rate: 20, npi: 0n, tin_business_name: 'Pier' }),
      row({ negotiated_rate: 10 }),
      row({ negotiated_rate: 55, rate_unit: 'percent_of_charges' }),
      row({ billing_code_type: 'HCPCS', negotiated_rate: 1 }),
    ]
    expect(listCodes(rows).map(({ type, rows: count }) => [type, count])).toEqual([
      ['CPT', 4],
      ['HCPCS', 1],
    ])
    expect(listUnits(rows, code)).toEqual(['usd', 'percent_of_charges'])
    expect(groupRates(rows, code, 'usd')).toEqual([
      {
        payer: 'Acme',
        plan: 'Gold',
        rates: [
          { rate: 10, npi: '1003000126', name: '' },
          { rate: 20, npi: '0', name: 'Pier' },
        ],
        quartiles: [12.5, 15, 17.5],
      },
      { payer: 'Acme', plan: 'Silver', rates: [{ rate: 30, npi: '1003000126', name: '' }], quartiles: [30, 30, 30] },
    ])
  })

  it('keep payers apart whose plans have the same name', () => {
    const groups = groupRates([row({}), row({ payer: 'Zenith' })], code, 'usd')
    expect(groups.map(({ payer }) => payer).sort()).toEqual(['Acme', 'Zenith'])
  })

  it('have quartiles between the smallest and the largest', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer(), { minLength: 1 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (values, share) => {
          const ascending = values.toSorted((a, b) => a - b)
          const found = quantile(ascending, share)
          expect(found).toBeGreaterThanOrEqual(ascending[0] ?? 0)
          expect(found).toBeLessThanOrEqual(ascending.at(-1) ?? 0)
        },
      ),
    )
  })
})
