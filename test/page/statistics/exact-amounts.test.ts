import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { exactAmount, subtractAmounts } from '../../../client/results/amounts.ts'
import { writeCsvLine, writePlainCsvLine } from '../../../client/results/csv.ts'
import { writeSentence } from '../../../client/results/sentence.ts'
import { plainValue, tableCell } from '../../../client/results/summary-rows.ts'
import { formatRate, formatShortRate } from '../../../page/display/formats.ts'
import { findExtremes } from '../../../page/highlights/extremes.ts'
import { describeRange, locateAmount } from '../../../page/highlights/position.ts'
import { arrangePrices } from '../../../page/plot/spots.ts'
import { labelStrip } from '../../../page/plot/strip-labels.ts'
import { describePrice, describePrices, labelPrices } from '../../../page/plot/strip-words.ts'
import { answerCode } from '../../../page/statistics/answer-code.ts'
import { keyOfPlan } from '../../../page/statistics/answer-codes.ts'
import { compareCodes } from '../../../page/statistics/comparable-prices.ts'
import { compareShared } from '../../../page/statistics/matrix.ts'
import { groupPrices } from '../../../page/statistics/rate-groups.ts'
import { describeBoxPlot, labelBoxPlot } from '../../../page/summary/box-plot-words.ts'
import { arrangeBoxPlots } from '../../../page/summary/box-plots.ts'
import { Decimal } from '../../../parquet/decimal.ts'
import { at } from '../../../schema/at.ts'

/** Amounts as the column has them, decimal(18,4), of which many have the same nearest double. */
const amount = fc.oneof(
  fc.bigInt(0n, 10n ** 18n - 1n),
  fc.bigInt(10n ** 18n - 40n, 10n ** 18n - 1n),
  fc.bigInt(0n, 10_000_000n),
)
const amounts = fc.array(
  amount.map((unscaled) => new Decimal(unscaled, 4)),
  { minLength: 1, maxLength: 40 },
)

const rowsOf = (published: readonly Decimal[]) =>
  published.map((negotiated_rate, index) => ({
    ...{ payer: 'Acme', plan: 'Gold', billing_code_type: 'CPT', billing_code: '99213', name: 'Visit' },
    ...{ negotiated_type: 'negotiated', negotiated_rate, rate_unit: 'usd', npi: BigInt(index + 1) },
    ...{ tin_type: 'ein', tin_value: String(index), tin_business_name: `Business ${index}`, price_id: `p${index}` },
    ...{ billing_code_modifier: null, service_code: null, flags: null, negotiation_arrangement: 'ffs' },
  }))

/** The amounts of dollars in texts, as their digits. */
const dollarsIn = (texts: readonly string[]): readonly string[] =>
  [...texts.join('\n').matchAll(/\$([\d,]+(?:\.\d+)?)/g)].map(([, digits = '']) => {
    const [whole = '', fraction = ''] = digits.replaceAll(',', '').split('.')
    return fraction.replace(/0+$/, '') === '' ? whole : `${whole}.${fraction.replace(/0+$/, '')}`
  })

const scale = { from: 0, to: 1e14, ticks: [0, 1e14] }

/** The texts in which the page shows published amounts. */
function textsOfPrices(published: readonly Decimal[]): readonly string[] {
  const rows = rowsOf(published)
  const group = at(groupPrices(rows, 'tins'), 0)
  const { most, least } = findExtremes([group])
  const position = locateAmount(group, at(group.prices, 0).amount)
  return [
    labelPrices(group, 'usd', scale),
    describePrices(group, 'usd', scale),
    ...group.prices.map((price) => describePrice(price, group, 'usd')),
    ...labelStrip(group, 'usd', scale, arrangePrices(group.prices, scale, 7)).labels.map(({ text }) => text),
    ...[...most, ...least].map((party) => formatRate(party.amount, 'usd')),
    ...group.percentiles.map((percentile) => formatRate(percentile, 'usd')),
    ...compareCodes(rows, 'tins').map((code) => writeSentence(answerCode(code))),
    describeRange({ least: position, greatest: position, count: 1 }, 'usd').split(':')[0] ?? '',
  ]
}

describe('an amount on the page', () => {
  it('shows all published digits in every text about prices', () => {
    fc.assert(
      fc.property(amounts, (published) => {
        const shown = dollarsIn(textsOfPrices(published))
        expect(shown.length).toBeGreaterThan(published.length)
        const digits = new Set(published.map(String))
        expect(shown.filter((text) => !digits.has(text))).toEqual([])
      }),
    )
  })

  it('shows all published digits in every text about a summary', () => {
    fc.assert(
      fc.property(fc.array(amount, { minLength: 7, maxLength: 7 }), (values) => {
        const [minimum, p10, p25, median, p75, p90, maximum] = values
          .toSorted((a, b) => (a < b ? -1 : 1))
          .map((unscaled) => new Decimal(unscaled, 4))
        const [row] = rowsOf([])
        const facts = { ...row, plan: 'Gold', payer: 'Acme', rate_unit: 'usd', value_count: 99n }
        const { panels } = arrangeBoxPlots([{ ...facts, minimum, p10, p25, median, p75, p90, maximum }])
        const boxPlot = at(at(panels, 0).boxPlots, 0)
        const shown = dollarsIn([
          describeBoxPlot(boxPlot, 'usd'),
          labelBoxPlot(boxPlot, 'usd', { ...scale, from: 1, to: 2 }),
        ])
        const digits = [minimum, p25, median, p75, maximum].map(String)
        expect(shown.length).toBeGreaterThan(0)
        expect(shown.filter((text) => !digits.includes(text))).toEqual([])
      }),
    )
  })

  it('keeps its order and place among others that have the same nearest double', () => {
    const published = [9998n, 9990n, 9994n].map((last) => new Decimal(999_999_999_999_990_000n + last, 4))
    const group = at(groupPrices(rowsOf(published), 'tins'), 0)
    expect(group.prices.map((price) => price.amount)).toEqual([
      '99999999999999.999',
      '99999999999999.9994',
      '99999999999999.9998',
    ])
    expect(locateAmount(group, '99999999999999.9998')).toMatchObject({
      lower: 2,
      equal: 1,
      higher: 0,
      fromMedian: 0.0004,
    })
    expect(subtractAmounts('100000000000000.0001', 1e14)).toBe(0.0001)
  })
})

describe('the matrix', () => {
  const rows = (plan: string, unscaled: bigint, rate_unit: string) =>
    rowsOf([new Decimal(unscaled, 4)]).map((row) => ({ ...row, plan, rate_unit, tin_value: plan, price_id: plan }))
  const nines = 10n ** 18n

  it.each(['usd', 'usd_per_day', 'percent_of_charges'])(
    'tells medians of %s with the same nearest double apart',
    (unit) => {
      const code = at(compareCodes([...rows('High', nines - 2n, unit), ...rows('Low', nines - 9n, unit)], 'tins'), 0)
      const { cells } = compareShared(code, keyOfPlan({ payer: 'Acme', plan: 'Low' }), 'tins')
      const described = [...cells.values()].map(({ group, difference, isLowest }) => [group.plan, difference, isLowest])
      const comparable = unit === 'percent_of_charges' ? 'less than 0.1\u00a0points' : 'less than 0.1\u00a0%'
      expect(described).toEqual([
        ['Low', undefined, true],
        ['High', `+${comparable}`, false],
      ])
    },
  )

  it('shows all published digits of an amount of any unit', () => {
    fc.assert(
      fc.property(amount, fc.constantFrom('usd', 'usd_per_day', 'percent_of_charges'), (unscaled, unit) => {
        const digits = String(new Decimal(unscaled, 4))
        const shown = formatShortRate(exactAmount(digits), unit).replaceAll(/[^\d.]/g, '')
        expect(shown.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '')).toBe(digits)
      }),
    )
  })
})

describe('an amount of the client', () => {
  it('shows all published digits in JSON, tables and both kinds of CSV', () => {
    fc.assert(
      fc.property(amount, (unscaled) => {
        const published = new Decimal(unscaled, 4)
        const digits = String(published)
        expect(JSON.stringify({ rate: plainValue(published) }).replaceAll('"', '')).toBe(`{rate:${digits}}`)
        expect(String(tableCell(published))).toBe(digits)
        const row = { rate: published }
        expect([writeCsvLine(['rate'], row), writePlainCsvLine(['rate'], row)].map((line) => line.trim())).toEqual([
          digits,
          digits,
        ])
        expect(String(exactAmount(digits))).toBe(digits)
      }),
    )
  })
})
