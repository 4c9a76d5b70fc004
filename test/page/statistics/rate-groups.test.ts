import { describe, expect, it } from 'vitest'
import type { SummaryWeight } from '../../../contract/summaries.ts'
import {
  groupPrices,
  keepOneRowPerValue,
  listCodes,
  listModifiers,
  listPlaces,
  listUnits,
  listWeights,
  mergePrices,
} from '../../../page/statistics/rate-groups.ts'

const row = (facts: object) => ({
  payer: 'Acme',
  plan: 'Gold',
  billing_code_type: 'CPT',
  billing_code: '99213',
  billing_code_modifier: null,
  name: 'Visit',
  negotiated_rate: 10,
  rate_unit: 'usd',
  negotiated_type: 'negotiated',
  service_code: null,
  npi: 1003000126n,
  tin_type: 'ein',
  tin_value: '001',
  tin_business_name: null,
  last_updated_on: new Date('2026-11-01'),
  price_id: 'a-1',
  ...facts,
})

const values = (choices: ReturnType<typeof listCodes>) => choices.map(({ value, prices }) => [value, prices])

describe('rows of a price', () => {
  it('become one row, with a list of the values in which they differ', () => {
    const rows = [1n, 2n].flatMap((npi) => ['Pier', null].map((name) => row({ npi, tin_business_name: name })))
    const others = [row({ plan: 'Silver' }), row({ price_id: 'a-2', negotiated_rate: 12 })]
    expect(mergePrices([...rows, ...others])).toEqual([row({ npi: [1n, 2n], tin_business_name: ['Pier'] }), ...others])
  })

  it('stay apart if nothing says which price they are of', () => {
    const rows = [row({ price_id: null }), row({ price_id: null, billing_code: '99214' })]
    expect(mergePrices(rows)).toEqual(rows)
  })
})

describe('rows of a value', () => {
  it('become one row of each price, and none if they do not count', () => {
    const rows = [1n, 2n].flatMap((npi) => [row({ npi }), row({ npi, tin_value: '002' }), row({ npi, price_id: 'b' })])
    expect(keepOneRowPerValue(rows, 'tins')).toHaveLength(3)
    expect(keepOneRowPerValue(rows, 'prices')).toHaveLength(2)
    expect(keepOneRowPerValue(rows, 'npis')).toHaveLength(4)
    expect(keepOneRowPerValue([row({ npi: 0n })], 'npis')).toEqual([])
  })
})

describe('the prices of a code', () => {
  it('count once, however many rows have them', () => {
    const rows = [1n, 2n, 3n].flatMap((npi) => [
      row({ npi, negotiated_rate: 74.62 }),
      row({ npi, negotiated_rate: 74.62, tin_business_name: 'Pier' }),
    ])
    const other = row({ price_id: 'a-2', negotiated_rate: 287, npi: 0n })
    expect(groupPrices([...rows, other], 'prices')).toEqual([
      {
        payer: 'Acme',
        plan: 'Gold',
        terms: ['negotiated'],
        prices: [
          { rate: 74.62, amount: 74.62, npi: '1', npiCount: 3, name: '', rows },
          { rate: 287, amount: 287, npi: '0', npiCount: 1, name: '', rows: [other] },
        ],
        percentiles: [74.62, 74.62, 74.62, 287, 287],
        months: ['2026-11'],
      },
    ])
  })

  it('carry the name of the group if several providers have them, else that of the provider', () => {
    const named = (npi: bigint, price: string) =>
      row({ npi, price_id: price, provider_name: `Person ${npi}`, tin_business_name: 'Pier Clinic' })
    const [group] = groupPrices([named(1n, 'a'), named(2n, 'a'), named(3n, 'b')], 'prices')
    expect(group?.prices.map(({ name }) => name)).toEqual(['Pier Clinic', 'Person 3'])
  })

  it('count each TIN, price or provider once for each amount, by the weight', () => {
    const rows = [
      ...['1', '2', '3'].map((tin_value) => row({ tin_value, npi: BigInt(tin_value) })),
      // Another file repeats the price of the first TIN, and a price that is agreed for a whole TIN has no provider.
      row({ tin_value: '1', npi: 1n, price_id: 'b-1' }),
      row({ tin_value: '1', npi: 0n, price_id: 'b-2', negotiated_rate: 30 }),
    ]
    const ratesBy = (weight: SummaryWeight) => groupPrices(rows, weight)[0]?.prices.map(({ rate }) => rate)
    expect(ratesBy('tins')).toEqual([10, 10, 10, 30])
    expect(ratesBy('prices')).toEqual([10, 10, 30])
    expect(ratesBy('npis')).toEqual([10, 10, 10])
    expect(listWeights(rows)).toEqual(['tins', 'prices', 'npis'])
  })

  it('cannot be counted by a weight of which the rows know nothing', () => {
    const rows = [row({ price_id: null, npi: 0n }), row({ price_id: null, npi: 0n, tin_value: '2' })]
    expect(listWeights(rows)).toEqual(['tins'])
    expect(groupPrices(rows, 'tins')[0]?.prices).toHaveLength(2)
    expect(groupPrices(rows, 'npis')).toEqual([])
  })

  it('never share a group with prices of another plan, payer or terms', () => {
    const facts = [
      { plan: 'Silver' },
      { payer: 'Zenith' },
      { negotiated_type: 'derived' },
      { negotiation_arrangement: 'bundle' },
      { billing_class: 'institutional' },
      { setting: 'inpatient' },
      { severity_of_illness: '2' },
      { additional_information: 'first day' },
      { bundled_codes: ['CPT||1'] },
      { covered_services: ['CPT||1'] },
    ]
    expect(groupPrices([row({}), ...facts.map(row)], 'prices')).toHaveLength(facts.length + 1)
  })

  it('can be narrowed to a code of a type, a unit and modifiers, the most frequent first', () => {
    const rows = [
      row({ price_id: 'a' }),
      row({ price_id: 'b', billing_code_modifier: ['26'] }),
      row({ price_id: 'c', billing_code_modifier: ['26', 'TC'] }),
      row({ price_id: 'd', rate_unit: 'percent_of_charges' }),
      row({ price_id: 'd', rate_unit: 'percent_of_charges' }),
      row({ price_id: 'e', billing_code_type: 'HCPCS' }),
      row({ price_id: 'f', billing_code_type: 'CSTM-ALL', name: 'Laboratory' }),
      row({ price_id: 'g', billing_code_type: 'CSTM-ALL', name: 'Imaging' }),
    ]
    const codes = listCodes(rows, 'prices')
    expect(values(codes)).toEqual([
      ['CPT 99213', 4],
      ['CSTM-ALL 99213 Imaging', 1],
      ['CSTM-ALL 99213 Laboratory', 1],
      ['HCPCS 99213', 1],
    ])
    const units = listUnits(codes[0]?.rows ?? [], 'prices')
    expect(values(units)).toEqual([
      ['usd', 3],
      ['percent_of_charges', 1],
    ])
    expect(values(listModifiers(units[0]?.rows ?? [], 'prices'))).toEqual([
      ['', 1],
      ['26', 1],
      ['26, TC', 1],
    ])
  })

  it('hold at each place of service that they list, and those for all places at each', () => {
    const rows = [
      row({ price_id: 'a', service_code: ['11', '22'] }),
      row({ price_id: 'b', service_code: ['CSTM-00'] }),
      row({ price_id: 'c', service_code: ['22', '11', '11'] }),
      row({ price_id: 'd', service_code: ['21'] }),
      row({ price_id: 'e' }),
    ]
    expect(values(listPlaces(rows, 'prices'))).toEqual([
      ['11', 3],
      ['22', 3],
      ['21', 2],
      ['', 1],
    ])
    expect(values(listPlaces(rows.slice(1, 2), 'prices'))).toEqual([['CSTM-00', 1]])
  })
})
