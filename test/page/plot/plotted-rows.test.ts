import { describe, expect, it } from 'vitest'
import { listPlotted } from '../../../page/plot/plotted-rows.ts'
import { groupPrices, mergePrices } from '../../../page/statistics/rate-groups.ts'

const row = (price: string, rate: number, facts: object = {}) => ({
  ...{ payer: 'Acme', plan: 'Gold', negotiated_rate: rate, price_id: price, npi: 1n },
  ...{ tin_type: 'ein', tin_value: '1' },
  ...facts,
})

describe('the rows of a plot', () => {
  const dear = row('a', 30)
  const cheap = [row('b', 20), row('b', 20, { npi: 2n })]
  const other = [row('c', 10), row('c', 10, { npi: 2n })]
  const silver = row('d', 25, { plan: 'Silver' })
  const plotted = listPlotted(groupPrices([dear, ...cheap, silver], 'tins'), 'tins')

  it('begin with the lowest amount, over all plans', () => {
    expect(plotted.rows).toEqual([...cheap, silver, dear])
    expect(plotted.prices).toBe(3)
  })

  it('include rows that stand for all rows of a price', () => {
    const merged = mergePrices([dear, ...cheap, ...other])
    expect(merged.map(plotted.has)).toEqual([true, true, false])
    expect([dear, ...cheap, ...other].map(plotted.has)).toEqual([true, true, true, false, false])
  })

  it('can only be rows that count', () => {
    const groups = groupPrices([dear], 'npis')
    const byNpi = listPlotted(groups, 'npis')
    expect(byNpi.canPlot(row('e', 40))).toBe(true)
    expect(byNpi.canPlot(row('e', 40, { npi: 0n }))).toBe(false)
  })
})
