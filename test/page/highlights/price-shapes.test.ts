import { describe, expect, it } from 'vitest'
import { describeFlags, findShape, flagShapes } from '../../../page/highlights/price-shapes.ts'
import { flagNames } from '../../../schema/columns/flags.ts'

const priceOf = (...flags: readonly (readonly string[] | null)[]) => ({
  rate: 1,
  amount: 1,
  npi: '1',
  npiCount: 1,
  name: '',
  rows: flags.map((each) => ({ flags: each })),
})

describe('the shape of a price', () => {
  it('exists for each flag, and differs from those of the others', () => {
    expect(Object.keys(flagShapes).toSorted()).toEqual(flagNames)
    const looks = Object.values(flagShapes)
    expect(new Set(looks.map(({ path }) => path)).size).toBe(looks.length)
    expect(new Set(looks.map(({ words }) => words)).size).toBe(looks.length)
  })

  it('shows the flag that makes it doubtful, if it has several', () => {
    const price = priceOf(['blanket', 'expired', 'outlier_high'])
    expect(findShape(price)).toBe('outlier_high')
    expect(describeFlags(price)).toContain('expired when it was published')
  })

  it('shows only flags that all rows of the price have', () => {
    expect(findShape(priceOf(['expired'], ['blanket', 'expired']))).toBe('expired')
    expect(findShape(priceOf(['expired'], null))).toBeUndefined()
    expect(findShape(priceOf(null))).toBeUndefined()
  })
})
