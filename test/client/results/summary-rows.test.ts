import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plainValue, sortSummary, tableCell, tabulateSummary } from '../../../client/results/summary-rows.ts'
import { Decimal } from '../../../parquet/decimal.ts'

const columns = [
  'plan',
  'billing_code',
  'rate_unit',
  'place_of_service',
  'weight',
  'value_count',
  'median',
  'left_out_count',
]
const row = (facts: object) => ({
  plan: 'Gold',
  billing_code: '99213',
  rate_unit: 'usd',
  place_of_service: null,
  weight: 'tins',
  value_count: 3n,
  median: new Decimal(1_234_500n, 4),
  left_out_count: 0n,
  ...facts,
})

describe('the table of a summary', () => {
  it('shows what tells rows apart, and names what they have in common', () => {
    const table = tabulateSummary([row({}), row({ place_of_service: '11' })], columns)
    expect(table.columns.slice(0, 4)).toEqual(['PLAN', 'BILLING_CODE', 'PLACE_OF_SERVICE', 'VALUE_COUNT'])
    expect(table.common).toEqual(['rate_unit usd'])
    expect(table.cells.map((cells) => cells.slice(0, 4))).toEqual([
      ['Gold', '99213', null, 3],
      ['Gold', '99213', 'Office (11)', 3],
    ])
    expect(table.cells[0]?.[table.columns.indexOf('MEDIAN')]).toBe(123.45)
  })

  it('shows one row for places of service with the same statistics', () => {
    const places = ['11', '22', '24'].map((place) => row({ place_of_service: place }))
    const table = tabulateSummary([...places, row({ place_of_service: '81', value_count: 9n })], columns)
    expect(table.cells.map((cells) => cells.slice(2, 4))).toEqual([
      ['11, 22, 24', 3],
      ['Independent laboratory (81)', 9],
    ])
    expect(tabulateSummary(places, columns).common).toContain('place_of_service 11, 22, 24')
  })

  it('shows the number of values that were left out if there are any', () => {
    const titles = (leftOut: bigint) => tabulateSummary([row({ left_out_count: leftOut })], columns).columns
    expect(titles(0n)).not.toContain('LEFT_OUT_COUNT')
    expect(titles(2n)).toContain('LEFT_OUT_COUNT')
  })

  it('consists of its titles if there are no rows', () => {
    expect(tabulateSummary([], columns)).toMatchObject({ cells: [], common: [] })
  })
})

describe('the rows of a summary', () => {
  it('stand in the order of codes and places, numbers by their size', () => {
    const places = ['22', '2', null, '11'].map((place) => row({ place_of_service: place }))
    const sorted = sortSummary([...places, row({ billing_code: '450' })], columns)
    expect(sorted.map((each) => [each['billing_code'], each['place_of_service']])).toEqual([
      ['450', null],
      ['99213', null],
      ['99213', '2'],
      ['99213', '11'],
      ['99213', '22'],
    ])
  })

  it('become numbers, texts and lists of JSON', () => {
    const values = [3n, new Decimal(25n, 1), new Date('2026-10-01'), ['26'], null, undefined, 'usd']
    expect(values.map(plainValue)).toEqual([3, 2.5, '2026-10-01', ['26'], null, null, 'usd'])
  })
})

describe('an amount as a number or its digits', () => {
  it('keeps all of 14 and 4 digits, in JSON and in a cell', () => {
    const anyAmount = fc.bigInt({ min: -(10n ** 18n) + 1n, max: 10n ** 18n - 1n })
    fc.assert(
      fc.property(anyAmount, (unscaled) => {
        const amount = new Decimal(unscaled, 4)
        const plain: unknown = JSON.parse(JSON.stringify(plainValue(amount)))
        expect(String(plain)).toBe(String(amount))
        expect(String(tableCell(amount))).toBe(String(amount))
      }),
    )
    expect(plainValue(new Decimal(999999999999999998n, 4))).toBe('99999999999999.9998')
    expect(plainValue(new Decimal(9219n, 2))).toBe(92.19)
  })
})
