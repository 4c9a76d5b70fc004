import { describe, expect, it } from 'vitest'
import { findExtremes } from '../../../page/highlights/extremes.ts'
import { groupPrices } from '../../../page/statistics/rate-groups.ts'

let tins = 0

const row = (name: string | null, rate: number, facts: object = {}) => ({
  payer: 'Acme',
  plan: 'Gold',
  negotiated_type: 'negotiated',
  negotiated_rate: rate,
  npi: 1003000126n,
  tin_type: 'ein',
  tin_value: String(120_000_000 + ++tins),
  tin_business_name: name,
  price_id: `price-${tins}`,
  ...facts,
})

const find = (rows: readonly ReturnType<typeof row>[]) => {
  const { most, least } = findExtremes(groupPrices(rows, 'tins'))
  const show = (parties: typeof most) => parties.map(({ name, amount }) => `${name} ${amount}`)
  return { most: show(most), least: show(least) }
}

describe('who is paid most and least', () => {
  it('names three at each end, each once with its own greatest or least amount', () => {
    const rows = ['A', 'B', 'C', 'D', 'E', 'F', 'G'].flatMap((name, index) => [
      row(name, 10 + index),
      row(name, 100 + index),
      row(name.toLowerCase(), 50),
    ])
    expect(find(rows)).toEqual({ most: ['G 106', 'F 105', 'E 104'], least: ['A 10', 'B 11', 'C 12'] })
  })

  it('names nobody at both ends', () => {
    expect(find([row('A', 10), row('B', 20), row('C', 30)])).toEqual({ most: ['C 30', 'B 20'], least: ['A 10'] })
    expect(find([row('A', 10), row('A', 20)])).toEqual({ most: ['A 20'], least: [] })
    expect(find([])).toEqual({ most: [], least: [] })
  })

  it('names the provider or the TIN if no business is named, and the plan that pays', () => {
    const rows = [
      row(null, 10, { tin_value: '123456789' }),
      row(null, 20, { provider_name: 'Ann Lee', plan: 'Silver' }),
    ]
    expect(findExtremes(groupPrices(rows, 'tins'))).toEqual({
      most: [{ name: 'Ann Lee', amount: 20, plan: 'Silver', payer: 'Acme' }],
      least: [{ name: 'TIN 12-3456789', amount: 10, plan: 'Gold', payer: 'Acme' }],
    })
  })
})
