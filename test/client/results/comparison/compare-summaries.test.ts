import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareSummaries as compareTables } from '../../../../client/results/comparison/compare-summaries.ts'
import { NotComparable } from '../../../../client/results/comparison/not-comparable.ts'
import { describeSummaries } from '../../../../client/results/comparison/summary-sentences.ts'
import type { ResultRow } from '../../../../client/results/result-row.ts'
import { writeSentence } from '../../../../client/results/sentence.ts'
import { Decimal } from '../../../../parquet/decimal.ts'

const columns = ['payer', 'plan', 'billing_code', 'place_of_service', 'weight', 'value_count', 'median']

/** Compares summaries with all columns of `columns`. */
const compareSummaries = (older: readonly ResultRow[], newer: readonly ResultRow[]) =>
  compareTables({ columns, rows: older }, { columns, rows: newer })

/** Writes a row of a summary with a median in cents. */
const row = (median: number | null, facts: ResultRow = {}): ResultRow => ({
  payer: 'Acme',
  plan: 'Gold',
  billing_code: '99213',
  place_of_service: '11',
  weight: 'tins',
  value_count: 40n,
  median: median === null ? null : new Decimal(BigInt(median), 2),
  oldest_last_updated_on: null,
  newest_last_updated_on: null,
  ...facts,
})

const sentenceOf = (...summaries: Parameters<typeof compareSummaries>) =>
  writeSentence(describeSummaries(compareSummaries(...summaries)).lead).replaceAll('\u00a0', ' ')

describe('the comparison of two summaries', () => {
  it('equals a naive comparison of every row', () => {
    const anyRows = fc.uniqueArray(
      fc.record({
        plan: fc.constantFrom('Gold', 'Silver'),
        code: fc.constantFrom('1', '2', '3'),
        place: fc.constantFrom('11', '22', 'CSTM-00', null),
        median: fc.constantFrom(0, 100, 150, 200, null),
      }),
      { selector: ({ plan, code, place }) => `${plan} ${code} ${place}`, minLength: 1 },
    )
    const write = (rows: readonly { plan: string; code: string; place: string | null; median: number | null }[]) =>
      rows.map(({ plan, code, place, median }) => row(median, { plan, billing_code: code, place_of_service: place }))
    fc.assert(
      fc.property(anyRows, anyRows, (older, newer) => {
        const both = { plan: 'Gold', code: '9', place: null, median: 100 }
        const {
          total,
          changes,
          matched_by: matchedBy,
        } = compareSummaries(write([both, ...older]), write([...newer, both]))
        const isSame = (one: (typeof older)[number], other: (typeof older)[number]) =>
          one.plan === other.plan && one.code === other.code && one.place === other.place
        const pairs = older.flatMap((old) => newer.filter((now) => isSame(old, now)).map((now) => ({ old, now })))
        const changed = pairs.filter(({ old, now }) => old.median !== now.median)
        expect(matchedBy).toBe('plan')
        expect(total).toMatchObject({
          changed: changed.length,
          unchanged: pairs.length - changed.length + 1,
          added: newer.length - pairs.length,
          removed: older.length - pairs.length,
        })
        const percents = changed.map(({ old, now }) =>
          old.median === null || now.median === null || old.median === 0 ? null : (now.median / old.median - 1) * 100,
        )
        const sorted = (values: readonly (number | null)[]) => values.map((value) => value?.toFixed(2)).sort()
        expect(sorted(changes.filter(({ change }) => change === 'changed').map(({ percent }) => percent))).toEqual(
          sorted(percents),
        )
      }),
    )
  })

  it('puts the biggest change first, and medians of few values after the others', () => {
    const facts = (code: string, count = 40n) => ({ billing_code: code, value_count: count })
    const { changes } = compareSummaries(
      [
        row(100, facts('a')),
        row(100, facts('b')),
        row(100, facts('few', 10n)),
        row(0, facts('zero')),
        row(5, facts('gone')),
      ],
      [row(110, facts('a')), row(80, facts('b')), row(900, facts('few')), row(1, facts('zero')), row(5, facts('new'))],
    )
    expect(
      changes.map(({ change, percent, remark, row: { billing_code: code } }) => [code, change, percent, remark]),
    ).toEqual([
      ['b', 'changed', -20, null],
      ['a', 'changed', 10, null],
      ['few', 'changed', 800, 'few values'],
      ['zero', 'changed', null, 'from zero'],
      ['new', 'added', null, null],
      ['gone', 'removed', null, null],
    ])
  })

  it('compares two plans without their names, and takes the row for all places for a place that one plan has alone', () => {
    const gold = [row(200), row(300, { place_of_service: '22' })]
    const silver = [row(150, { plan: 'Silver', place_of_service: 'CSTM-00' })]
    const { across, total, changes } = compareSummaries(gold, silver)
    expect(across).toEqual({ old: { payer: 'Acme', plan: 'Gold' }, new: { payer: 'Acme', plan: 'Silver' } })
    expect(total).toMatchObject({ changed: 2, added: 0, removed: 0 })
    expect(changes.map(({ percent }) => percent)).toEqual([-50, -25])
    expect(
      compareSummaries(silver, gold).changes.map(({ percent, row: { place_of_service: place } }) => [place, percent]),
    ).toEqual([
      ['22', 100],
      ['11', 33.33],
    ])
  })

  it('keeps the row for all places apart from others of the same plan', () => {
    const { total } = compareSummaries([row(100)], [row(100, { place_of_service: 'CSTM-00' })])
    expect(total).toMatchObject({ changed: 0, unchanged: 0, added: 1, removed: 1 })
  })

  it('refuses summaries of different weights, and two rows for the same', () => {
    expect(() => compareSummaries([row(1)], [row(1, { weight: 'prices' })])).toThrow(NotComparable)
    expect(() => compareSummaries([row(1), row(2)], [])).toThrow('two rows for the same')
  })
})

describe('the sentence about two summaries', () => {
  it('says by how much the medians of a plan rose or fell, with the months', () => {
    const month = (day: string) => ({ oldest_last_updated_on: new Date(day), newest_last_updated_on: new Date(day) })
    expect(sentenceOf([row(100, month('2026-10-01'))], [row(108, month('2026-11-01'))])).toBe(
      'From October 2026 to November 2026, the medians of Gold rose by 8 % in the median: 1 of 1 changed.',
    )
  })

  it('counts the rows that only one of two plans has', () => {
    const place = (name: string) => ({ place_of_service: name })
    const gold = [row(100), row(100, place('22')), row(100, place('23'))]
    const { notes } = describeSummaries(
      compareSummaries(gold, [row(80, { plan: 'Silver' }), row(1, { plan: 'Silver', ...place('24') })]),
    )
    expect(notes.map(writeSentence)).toEqual([
      'Gold alone has 2 rows; the median leaves them out.',
      'Silver alone has 1 row; the median leaves it out.',
    ])
  })

  it('says by how much a plan is higher or lower than another one', () => {
    const silver = (median: number, facts: ResultRow = {}) => [row(median, { plan: 'Silver', ...facts })]
    expect(sentenceOf([row(100)], silver(88))).toBe(
      'Silver is 12 % lower than Gold in the median of 1 row: 1 of 1 differ.',
    )
    expect(sentenceOf([row(100)], silver(112))).toContain('Silver is 12 % higher than Gold')
    expect(sentenceOf([row(100)], silver(100))).toBe('Silver and Gold are equal in the median of 1 row: 0 of 1 differ.')
    expect(sentenceOf([row(0)], silver(100))).toContain('Silver and Gold differ, but by how much is unknown')
    expect(sentenceOf([row(0)], silver(100, { billing_code: '1' }))).toContain('have no row in common')
    expect(sentenceOf([row(100)], silver(88, { plan: 'Gold', payer: 'Zenith' }))).toContain(
      'Gold of Zenith is 12 % lower than Gold of Acme',
    )
  })
})
