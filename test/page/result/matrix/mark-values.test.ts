import { describe, expect, it } from 'vitest'
import type { ResultRow } from '../../../../client/results/result-row.ts'
import { summaryWeights } from '../../../../contract/summaries.ts'
import { compareCodes } from '../../../../page/result/comparable-prices.ts'
import { locateMark, readMark } from '../../../../page/result/marks/mark.ts'
import { markValues } from '../../../../page/result/matrix/mark-values.ts'
import { groupPrices } from '../../../../page/result/rate-groups.ts'

/** Rows of a code: ten TINs, of which each has a price of its own with two providers. */
const rowsOf = (code: string): readonly ResultRow[] =>
  Array.from({ length: 20 }, (_, index) => ({
    ...{ payer: 'Acme', plan: 'Gold', billing_code_type: 'CPT', billing_code: code, rate_unit: 'usd' },
    ...{ negotiated_rate: (1 + (index >> 1)) * 10, negotiated_type: 'negotiated', tin_type: 'ein' },
    ...{ tin_value: String(100_000_000 + (index >> 1)), npi: BigInt(1_000_000_000 + index) },
    ...{ price_id: `${code}-${index >> 1}`, tin_business_name: `Practice ${index >> 1}` },
  }))

describe('a mark in the matrix', () => {
  const rows = [...rowsOf('1'), ...rowsOf('2')]

  it.each(summaryWeights)('finds the same prices as in the strips, by weight: %s', (weight) => {
    for (const text of ['1000000003', '10-0000004', 'practice 7', '$55']) {
      const mark = readMark(text, rows)
      const codes = compareCodes(rows, weight)
      expect(codes).toHaveLength(2)
      for (const { code, groups } of codes) {
        const [group] = groups
        const [strip] = groupPrices(
          rows.filter((row) => `CPT ${row['billing_code']}` === code),
          weight,
        )
        const cell = group && locateMark(group, 'usd', markValues(mark, rows, weight))
        expect(cell?.range).toBeDefined()
        expect(cell?.range).toEqual(strip && locateMark(strip, 'usd', mark)?.range)
      }
    }
  })

  it('marks nothing if nothing is looked for, or nothing was found', () => {
    expect(markValues(undefined, rows, 'tins')).toBeUndefined()
    const mark = readMark('nobody', rows)
    expect(markValues(mark, rows, 'tins')).toBe(mark)
  })
})
