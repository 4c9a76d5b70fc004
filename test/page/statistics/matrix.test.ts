import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ResultRow } from '../../../client/results/result-row.ts'
import { compareCodes } from '../../../page/statistics/comparable-prices.ts'
import {
  compareOther,
  compareShared,
  describeBasis,
  findUsualTerms,
  listPlans,
  type MatrixRow,
  tagBasis,
} from '../../../page/statistics/matrix.ts'
import { at } from '../../../schema/at.ts'

let tins = 0

/** A row of a price of its own, with a TIN of its own. */
const row = (plan: string, rate: number, facts: object = {}): ResultRow => {
  tins += 1
  return {
    ...{ payer: 'Acme', plan, billing_code_type: 'CPT', billing_code: '73721', name: 'MRI', rate_unit: 'usd' },
    ...{ billing_code_modifier: null, negotiated_type: 'negotiated', negotiation_arrangement: 'ffs' },
    ...{ negotiated_rate: rate, service_code: ['11'], tin_type: 'ein', tin_value: String(tins), npi: 1n },
    ...{ price_id: `price-${tins}`, last_updated_on: new Date('2026-11-01') },
    ...facts,
  }
}

const rowsOf = (plan: string, rate: number, facts: object = {}) =>
  [0, 1, 2, 3, 4].map((step) => row(plan, rate + step - 2, facts))

const keyOf = (plan: string) => JSON.stringify(['Acme', plan])

const describeCells = ({ cells }: MatrixRow) =>
  Object.fromEntries(
    [...cells.values()].map(({ group, difference, exception, isLowest }) => [
      group.plan,
      [
        ...(exception === undefined ? [] : [`${exception} only`]),
        ...[at(group.percentiles, 2), group.prices.length, difference, isLowest ? 'lowest' : ''],
      ],
    ]),
  )

/** The first code of rows, with its row in the matrix. */
function compareFirst(rows: readonly ResultRow[], reference: string) {
  const code = at(compareCodes(rows, 'tins'), 0)
  return { code, shared: compareShared(code, keyOf(reference), 'tins') }
}

describe('a row of the matrix', () => {
  it('shows the median and count of each plan, and its difference from the reference', () => {
    const rows = [...rowsOf('Gold', 100), ...rowsOf('Silver', 116), ...rowsOf('Iron', 80)]
    expect(describeCells(compareFirst(rows, 'Gold').shared)).toEqual({
      Iron: [80, 5, '−20\u00a0%', 'lowest'],
      Gold: [100, 5, undefined, ''],
      Silver: [116, 5, '+16\u00a0%', ''],
    })
    expect(describeCells(compareFirst(rows, 'Iron').shared)).toMatchObject({ Gold: [100, 5, '+25\u00a0%', ''] })
  })

  it('shows differences of percentages in points, and says so if there is none', () => {
    const percent = { rate_unit: 'percent_of_charges', negotiated_type: 'percentage' }
    const rows = [...rowsOf('Gold', 50, percent), ...rowsOf('Silver', 62, percent), ...rowsOf('Iron', 50, percent)]
    expect(describeCells(compareFirst(rows, 'Gold').shared)).toEqual({
      Gold: [50, 5, undefined, 'lowest'],
      Iron: [50, 5, 'same', 'lowest'],
      Silver: [62, 5, '+12\u00a0points', ''],
    })
  })

  it('shows what a plan has that lacks the shared basis, and never compares it', () => {
    const perDiem = { rate_unit: 'usd_per_day', negotiated_type: 'per diem' }
    const bundle = { negotiation_arrangement: 'bundle', bundled_codes: ['CPT||99213'] }
    const rows = [
      ...rowsOf('Gold', 100),
      ...rowsOf('Silver', 90),
      ...rowsOf('Iron', 2100, perDiem),
      ...[...rowsOf('Tin', 10, bundle), ...rowsOf('Tin', 20, bundle), ...rowsOf('Tin', 70, { service_code: ['21'] })],
      ...rowsOf('Zinc', 30, bundle),
      ...rowsOf('Lead', 40, { billing_code_modifier: ['26'] }),
    ]
    expect(describeCells(compareFirst(rows, 'Gold').shared)).toEqual({
      Silver: [90, 5, '−10\u00a0%', 'lowest'],
      Gold: [100, 5, undefined, ''],
      Iron: ['per diem only', 2100, 5, undefined, ''],
      Tin: ['place 21 only', 70, 5, undefined, ''],
      Zinc: ['bundle, CPT||99213 only', 30, 5, undefined, ''],
      Lead: ['modifier 26 only', 40, 5, undefined, ''],
    })
  })

  it('takes a price for all places as one at the place of the others', () => {
    const rows = [...rowsOf('Gold', 100), ...rowsOf('Silver', 90, { service_code: ['CSTM-00'] })]
    const { code, shared } = compareFirst(rows, 'Gold')
    expect(describeCells(shared)).toEqual({
      Silver: [90, 5, '−10\u00a0%', 'lowest'],
      Gold: [100, 5, undefined, ''],
    })
    expect(code.bases).toHaveLength(1)
    expect(describeBasis(shared.basis)).toBe(
      'Class not published · dollars · no modifiers · Office (11) · negotiated · ffs',
    )
  })

  it('names all places at which the same prices hold, and has a row for every other basis', () => {
    const rows = [
      ...rowsOf('Gold', 100, { service_code: ['11', '22'] }),
      ...rowsOf('Silver', 90, { service_code: ['22', '11'] }),
      ...rowsOf('Silver', 30, { billing_code_modifier: ['26'] }),
    ]
    const { code, shared } = compareFirst(rows, 'Gold')
    expect(describeBasis(shared.basis)).toContain(' · Office (11), On-campus outpatient hospital (22) · ')
    const others = code.bases.slice(1).map((basis) => compareOther(basis, keyOf('Gold'), 'tins'))
    expect(others.map(describeCells)).toEqual([{ Silver: [30, 5, undefined, ''] }])
    expect(others.map(({ basis }) => describeBasis(basis))).toEqual([
      'Class not published · dollars · modifier 26 · Office (11) · negotiated · ffs',
    ])
  })
})

describe('the tags of a row of the matrix', () => {
  const tagAll = (rows: readonly ResultRow[]) => {
    const codes = compareCodes(rows, 'tins')
    const usual = findUsualTerms(codes)
    return Object.fromEntries(codes.map(({ code, bases }) => [code, tagBasis(at(bases, 0), usual)]))
  }
  const plain = (code: string) => rowsOf('Gold', 100, { billing_code: code })

  it('name modifiers, and terms that most rows do not share', () => {
    const rows = [
      ...plain('1'),
      ...plain('2'),
      ...rowsOf('Gold', 100, { billing_code: '3', billing_code_modifier: ['26'] }),
      ...rowsOf('Gold', 100, { billing_code: '4', negotiated_type: 'per diem', setting: 'inpatient' }),
    ]
    expect(tagAll(rows)).toEqual({
      'CPT 1': [],
      'CPT 2': [],
      'CPT 3': ['modifier 26'],
      'CPT 4': ['per diem', 'inpatient'],
    })
  })

  it('say so if a row lacks terms of most others', () => {
    const rows = [...plain('1'), ...plain('2'), ...rowsOf('Gold', 100, { billing_code: '3', negotiated_type: null })]
    expect(tagAll(rows)).toMatchObject({ 'CPT 2': [], 'CPT 3': ['other terms'] })
  })
})

describe('the columns of the matrix', () => {
  it('begin with the plan that has most codes and is the lowest for most', () => {
    const code = (billing_code: string) => ({ billing_code })
    const rows = [
      ...['1', '2', '3'].flatMap((each) => [...rowsOf('Gold', 100, code(each)), ...rowsOf('Silver', 90, code(each))]),
      ...rowsOf('Iron', 10, code('1')),
      ...rowsOf('Lead', 10, { ...code('1'), rate_unit: 'usd_per_day', negotiated_type: 'per diem' }),
    ]
    expect(listPlans(compareCodes(rows, 'tins')).map(({ plan }) => plan)).toEqual(['Silver', 'Gold', 'Iron', 'Lead'])
  })

  it('name the months of the prices that are compared', () => {
    const rows = [
      ...rowsOf('Gold', 100, { last_updated_on: new Date('2026-10-01') }),
      ...rowsOf('Gold', 100),
      ...rowsOf('Silver', 90),
    ]
    const plans = listPlans(compareCodes(rows, 'tins'))
    expect(plans.map(({ months }) => months)).toEqual([['2026-11'], ['2026-10', '2026-11']])
  })
})

describe('the basis of a row of the matrix', () => {
  const anyRow = fc
    .record({
      plan: fc.constantFrom('Gold', 'Silver', 'Iron', 'Tin'),
      rate: fc.constantFrom(10, 20),
      rate_unit: fc.constantFrom('usd', 'usd_per_day'),
      billing_code_modifier: fc.constantFrom(null, ['26'], ['TC']),
    })
    .map(({ plan, rate, ...facts }) => row(plan, rate, facts))

  it('leaves modifiers out if at least half of the plans have prices without any, and else is what most plans have', () => {
    fc.assert(
      fc.property(fc.array(anyRow, { minLength: 1, maxLength: 40 }), (rows) => {
        const countPlans = (alike: readonly ResultRow[]) => new Set(alike.map((each) => each['plan'])).size
        const parts = [...Map.groupBy(rows, (each) => `${each['rate_unit']} ${each['billing_code_modifier'] ?? ''}`)]
        const most = Math.max(...parts.map(([, alike]) => countPlans(alike)))
        const plain = parts.filter(([key]) => key.endsWith(' ')).map(([, alike]) => countPlans(alike))
        const { basis } = at(compareCodes(rows, 'tins'), 0)
        const shared = parts.find(([key]) => key === `${basis.unit} ${basis.modifiers}`)
        const plans = countPlans(shared?.[1] ?? [])
        if (plain.some((count) => count * 2 >= countPlans(rows))) {
          expect(basis.modifiers).toBe('')
          expect(plans).toBe(Math.max(...plain))
        } else expect(plans).toBe(most)
      }),
    )
  })
})

describe('a cell of the matrix', () => {
  const anyRow = fc
    .record({
      plan: fc.constantFrom('Gold', 'Silver', 'Iron', 'Tin'),
      rate: fc.constantFrom(10, 20, 30, 40.5),
      tin_value: fc.constantFrom('1', '2', '3'),
      billing_code: fc.constantFrom('1', '2'),
      rate_unit: fc.constantFrom('usd', 'usd', 'percent_of_charges'),
      billing_code_modifier: fc.constantFrom(null, null, ['26']),
      setting: fc.constantFrom(null, 'inpatient'),
      service_code: fc.constantFrom(null, ['11'], ['11', '22'], ['CSTM-00']),
    })
    .map(({ plan, rate, ...facts }) => row(plan, rate, facts))

  it('shows the middle of what a naive search finds for its plan, code, terms and place', () => {
    fc.assert(
      fc.property(fc.array(anyRow, { minLength: 1, maxLength: 60 }), (rows) => {
        for (const code of compareCodes(rows, 'tins')) {
          const matrixRows = [
            compareShared(code, '', 'tins'),
            ...code.bases.slice(1).map((basis) => compareOther(basis, '', 'tins')),
          ]
          for (const { group, basis } of matrixRows.flatMap(({ cells }) => [...cells.values()]))
            for (const place of basis.places) {
              const values = new Map(
                rows
                  .filter(
                    (each) =>
                      `CPT ${each['billing_code']}` === code.code &&
                      each['plan'] === group.plan &&
                      each['rate_unit'] === basis.basis.unit &&
                      String(each['billing_code_modifier'] ?? '') === basis.basis.modifiers &&
                      (each['setting'] === 'inpatient') === basis.terms.includes('inpatient') &&
                      isAt(each['service_code'], place),
                  )
                  .map((each) => [`${each['tin_value']} ${each['negotiated_rate']}`, Number(each['negotiated_rate'])]),
              )
              const amounts = [...values.values()].sort((a, b) => a - b)
              expect(group.prices.map(({ rate }) => rate)).toEqual(amounts)
              expect(group.percentiles[2]).toBe(amounts[Math.ceil(amounts.length / 2) - 1])
            }
        }
      }),
    )
  })

  const isAt = (places: unknown, place: string) => {
    if (!Array.isArray(places)) return place === ''
    return place !== '' && (places.includes(place) || places.includes('CSTM-00'))
  }
})
