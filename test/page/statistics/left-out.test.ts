import { describe, expect, it } from 'vitest'
import { isDoubtfulRow } from '../../../page/statistics/comparable-prices.ts'
import { countLeftOut, testBasis } from '../../../page/statistics/left-out.ts'
import { describeLeftOut } from '../../../page/statistics/left-out-words.ts'

interface Facts {
  readonly rate?: number
  readonly tin?: string
  readonly npi?: bigint
  readonly price?: string
  readonly code?: string
  readonly places?: readonly string[]
  readonly terms?: string
  readonly flags?: readonly string[]
}

const row = ({ rate = 0.01, tin = '1', npi = 1n, price = 'a', code = '99213', places = ['11'], ...facts }: Facts) => ({
  payer: 'Acme',
  plan: 'Gold',
  billing_code_type: 'CPT',
  billing_code: code,
  billing_code_modifier: null,
  name: 'Visit',
  negotiated_rate: rate,
  rate_unit: 'usd',
  negotiated_type: facts.terms ?? 'negotiated',
  service_code: places,
  tin_type: 'ein',
  tin_value: tin,
  npi,
  price_id: price,
  flags: facts.flags ?? ['placeholder'],
})

const divide = (rows: readonly ReturnType<typeof row>[]) => ({
  doubtful: rows.filter(isDoubtfulRow),
  sure: rows.filter((each) => !isDoubtfulRow(each)),
})

describe('the number of prices that are left out', () => {
  it('counts values by the weight, not rows', () => {
    const rows = divide([
      ...[row({}), row({ npi: 2n }), row({ npi: 3n, price: 'b' })],
      row({ tin: '2', npi: 4n, price: 'b' }),
    ])
    expect(countLeftOut(rows, 'tins')).toBe(2)
    expect(countLeftOut(rows, 'prices')).toBe(2)
    expect(countLeftOut(rows, 'npis')).toBe(4)
  })

  it('counts an amount of a TIN for each code and for each terms', () => {
    const rows = divide([row({}), row({ code: '99214' }), row({ terms: 'fee schedule' })])
    expect(countLeftOut(rows, 'tins')).toBe(3)
  })

  it('does not count a value that a sure price has, too', () => {
    const sure = row({ price: 'b', flags: [] })
    expect(countLeftOut(divide([row({}), sure]), 'tins')).toBe(0)
    expect(countLeftOut(divide([row({}), sure]), 'prices')).toBe(1)
    expect(countLeftOut(divide([row({}), row({ code: '99214', price: 'b', flags: [] })]), 'tins')).toBe(1)
  })

  it('counts for the plot the prices at its place, also those for all places', () => {
    const isOfPlot = testBasis('CPT 99213', { billingClass: '', unit: 'usd', modifiers: '', place: '11' })
    const rows = [
      ...[row({}), row({ tin: '2', places: ['22'] }), row({ tin: '3', places: ['CSTM-00'] })],
      row({ tin: '4', code: '99214' }),
    ]
    expect(countLeftOut(divide(rows), 'tins', isOfPlot)).toBe(2)
    expect(countLeftOut(divide(rows), 'tins')).toBe(4)
    // At another place the same value is sure.
    const elsewhere = row({ price: 'b', places: ['22'], flags: [] })
    expect(countLeftOut(divide([row({}), elsewhere]), 'tins', isOfPlot)).toBe(1)
  })
})

describe('the words for what is left out', () => {
  it.each([
    [{ count: 31, inPlot: 2 }, false, '31 doubtful prices left out, 2 of this plot'],
    [{ count: 31, inPlot: 0 }, false, '31 doubtful prices left out, none of this plot'],
    [{ count: 4, inPlot: 4 }, true, '4 doubtful prices counted, all of this plot'],
    [{ count: 1, inPlot: 1 }, false, '1 doubtful price left out, of this plot'],
  ] as const)('name those of the plot: %o', (leftOut, isCounted, words) => {
    expect(describeLeftOut(leftOut, isCounted)).toBe(words)
  })
})
