import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { makeBulkScale } from '../../../page/plot/scale.ts'
import { describeBoxPlot, labelBoxPlot } from '../../../page/summary/box-plot-words.ts'
import { arrangeBoxPlots, listAmounts, listShared } from '../../../page/summary/box-plots.ts'
import { at } from '../../../schema/at.ts'
import { percentileOf } from '../../../schema/summary/percentiles.ts'

const ascending = (length: number) =>
  fc
    .array(fc.integer({ min: 1, max: 10_000 }), { minLength: length, maxLength: length })
    .map((amounts) => amounts.toSorted((a, b) => a - b))

/** Rows as a summary has them: percentiles that too few values do not have are NULL. */
const rows = fc.array(
  fc.record({
    unit: fc.constantFrom('usd', 'percent_of_charges'),
    code: fc.constantFrom('73721', '99213'),
    billingClass: fc.constantFrom(null, 'professional', 'institutional'),
    modifier: fc.constantFrom(null, '26'),
    place: fc.constantFrom(null, '11', 'CSTM-00'),
    amounts: fc.oneof(ascending(7), ascending(5), ascending(3), fc.constant([])),
  }),
  { maxLength: 60 },
)

function rowOf({
  unit,
  code,
  billingClass = null,
  modifier,
  place,
  amounts,
}: Record<'unit' | 'code', string> & {
  readonly billingClass?: string | null
  readonly modifier: string | null
  readonly place: string | null
  readonly amounts: readonly number[]
}) {
  const inner = amounts.slice(1, -1)
  const middle = Math.floor(inner.length / 2)
  return {
    payer: 'Blue Harbor Health',
    plan: 'Harbor PPO Gold',
    billing_code_type: 'CPT',
    billing_code: code,
    billing_class: billingClass,
    billing_code_modifier: modifier,
    rate_unit: unit,
    place_of_service: place,
    value_count: { 7: 20, 5: 8, 3: 3, 0: 0 }[amounts.length],
    minimum: amounts[0] ?? null,
    p10: inner.length === 5 ? inner[0] : null,
    p25: inner[middle - 1] ?? null,
    median: inner[middle] ?? null,
    p75: inner.length > 1 ? inner[middle + 1] : null,
    p90: inner.length === 5 ? inner[4] : null,
    maximum: amounts.at(-1) ?? null,
  }
}

const classNames = new Map([
  ['professional', ', professional'],
  ['institutional', ', facility'],
])

const nameAsPanel = (row: ReturnType<typeof rowOf>) =>
  [
    `CPT ${row.billing_code}`,
    classNames.get(row.billing_class ?? ''),
    row.billing_code_modifier === null ? '' : ', modifier 26',
  ].join('')

describe('the plot of a summary', () => {
  it('draws or counts each row once, and lets none share an axis with another unit, code, class or modifier', () => {
    fc.assert(
      fc.property(rows, (made) => {
        const all = made.map(rowOf)
        const { panels, drawn, further, withoutAmount } = arrangeBoxPlots(all)
        expect(drawn + further + withoutAmount).toBe(all.length)
        expect(panels.flatMap(({ boxPlots }) => boxPlots).length).toBe(drawn)
        expect(drawn).toBeLessThanOrEqual(40)
        expect(withoutAmount).toBe(all.filter(({ median }) => median === null).length)
        expect(new Set(panels.map(({ code, unit }) => `${code} ${unit}`)).size).toBe(panels.length)
        for (const { code, unit, boxPlots } of panels) {
          const own = all.filter((row) => row.rate_unit === unit && code === nameAsPanel(row) && row.median !== null)
          expect(boxPlots.map(({ median }) => median)).toEqual(
            own.map(({ median }) => median).slice(0, boxPlots.length),
          )
        }
      }),
    )
  })

  it('begins each code with the panel of the most values, in the order of the codes', () => {
    const share = { unit: 'percent_of_charges', code: '73721', modifier: null, place: null, amounts: [50, 60, 70] }
    const dollars = { ...share, unit: 'usd', amounts: [1, 2, 3, 4, 5, 6, 7] }
    const visit = { ...share, code: '99213', unit: 'usd' }
    const { panels } = arrangeBoxPlots([share, visit, dollars].map(rowOf))
    expect(panels.map(({ code, unit }) => [code, unit])).toEqual([
      ['CPT 73721', 'usd'],
      ['CPT 73721', 'percent_of_charges'],
      ['CPT 99213', 'usd'],
    ])
  })

  it('gives a scale amounts that ascend and have the same quartiles', () => {
    fc.assert(
      fc.property(rows, (made) => {
        for (const boxPlot of arrangeBoxPlots(made.map(rowOf)).panels.flatMap(({ boxPlots }) => boxPlots)) {
          const amounts = listAmounts(boxPlot)
          expect(amounts).toEqual(amounts.toSorted((a, b) => a - b))
          expect(percentileOf(amounts, 50)).toBe(boxPlot.median)
          if (boxPlot.p25 !== undefined) expect(percentileOf(amounts, 25)).toBe(boxPlot.p25)
          if (boxPlot.p75 !== undefined) expect(percentileOf(amounts, 75)).toBe(boxPlot.p75)
        }
      }),
    )
  })

  it('names what an axis cuts off, and values that are few', () => {
    const base = { unit: 'usd', code: '73721', modifier: null, place: '11' }
    const whole = { ...base, amounts: [90, 95, 100, 110, 120, 125, 90_000] }
    const { boxPlots } = at(arrangeBoxPlots([whole, { ...base, amounts: [100, 110, 120] }].map(rowOf)).panels, 0)
    const scale = makeBulkScale(boxPlots.map(listAmounts))
    expect(boxPlots.map((boxPlot) => labelBoxPlot(boxPlot, 'usd', scale))).toEqual([
      '20 values · half $100.00 to $120.00; up to $90,000.00, above the axis',
      'few: 3 values · $100.00 to $120.00',
    ])
    expect(boxPlots.map((boxPlot) => describeBoxPlot(boxPlot, 'usd'))).toEqual([
      '20 values, median $110.00, half $100.00 to $120.00, all $90.00 to $90,000.00',
      'few: 3 values, median $110.00, $100.00 to $120.00',
    ])
    expect(listShared(boxPlots)).toEqual(['Office (11)'])
  })

  it('names one amount that most or all values have', () => {
    const base = { unit: 'usd', code: '73721', modifier: null, place: '11' }
    const made = [
      [4, 5, 5, 5, 5, 5, 9],
      [5, 5, 5, 5, 5, 5, 5],
      [5, 5, 5],
    ].map((amounts) => ({ ...base, amounts }))
    const { boxPlots } = at(arrangeBoxPlots(made.map(rowOf)).panels, 0)
    const scale = makeBulkScale(boxPlots.map(listAmounts))
    expect(boxPlots.map((boxPlot) => labelBoxPlot(boxPlot, 'usd', scale))).toEqual([
      '20 values · half at $5.00; up to $9.00, above the axis',
      '20 values · all $5.00',
      'few: 3 values · all $5.00',
    ])
    expect(boxPlots.map((boxPlot) => describeBoxPlot(boxPlot, 'usd'))[1]).toBe('20 values, all $5.00')
  })

  it('reads answers that have only some of the columns', () => {
    const answered = { plan: 'A', value_count: 1, minimum: 5, median: 5, maximum: 5 }
    const { panels } = arrangeBoxPlots([answered])
    expect(panels.flatMap(({ boxPlots }) => boxPlots.map((boxPlot) => [boxPlot.plan, boxPlot.median]))).toEqual([
      ['A', 5],
    ])
  })
})
