import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { summaryDimensions } from '../../../contract/summaries.ts'
import { flagNames } from '../../../schema/columns/flags.ts'
import { ratesColumns } from '../../../schema/columns/rates.ts'
import {
  dimensionColumns,
  doubtfulFlags,
  everywhere,
  groupColumns,
  isDoubtful,
  placesOf,
} from '../../../schema/summary/definition.ts'
import { summaryColumns } from '../../../schema/summary/summary-columns.ts'

describe('the definition of a summary', () => {
  it('leaves out prices whose amount may not be a rate, and no others', () => {
    expect(doubtfulFlags).toEqual(['outlier_high', 'outlier_low', 'placeholder'])
    fc.assert(
      fc.property(fc.subarray([...flagNames]), (flags) => {
        const isLeftOut =
          flags.includes('placeholder') || flags.includes('outlier_high') || flags.includes('outlier_low')
        expect(isDoubtful(flags)).toBe(isLeftOut)
      }),
    )
    expect(isDoubtful(null)).toBe(false)
  })

  it('gives a price a row at each of its places, once, and at none if it has none', () => {
    expect(placesOf(['11', '22', '11'])).toEqual(['11', '22'])
    expect(placesOf([everywhere])).toEqual([everywhere])
    expect([placesOf(null), placesOf([])]).toEqual([[null], [null]])
  })

  it('gives a price that lists more places than CMS has codes one row for all of them', () => {
    const codes = Array.from({ length: 101 }, (_, index) => `P${index}`)
    expect(placesOf(codes.slice(0, 100))).toHaveLength(100)
    expect(placesOf(codes)).toEqual(['many'])
  })

  it('uses columns that rows have, each once', () => {
    const columns = [...groupColumns, ...summaryDimensions.flatMap((dimension) => dimensionColumns[dimension])]
    expect(new Set(columns).size).toBe(columns.length)
    const names: readonly string[] = ratesColumns.map(({ name }) => name)
    expect(columns.filter((name) => !names.includes(name))).toEqual([])
  })
})

describe('the columns of a summary', () => {
  it('gives each column of a summary a name of its own', () => {
    const names = summaryColumns.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
  })
})
