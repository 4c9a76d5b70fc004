import { describe, expect, it } from 'vitest'
import { sumFigures } from '../../../core/switching/source-sets.ts'
import { newSource } from './open-switching.ts'

describe('the figures of a content', () => {
  const source = { ...newSource('s1'), prices: 2, pairs: 6, groupRows: 5, rates: 30, codes: 2, npis: 4 }

  it('add up those of its sources', () => {
    const other = { ...newSource('s2'), prices: 1, pairs: 2, groupRows: 1, rates: 3, codes: 1, npis: 1 }
    const sums = { prices: 3, pairs: 8, groupRows: 6, rates: 33, codes: 3, npis: 5 }
    expect(sumFigures([source, other])).toEqual(sums)
  })

  it('lack the rows of the join if an earlier version wrote one of the sources', () => {
    const former = newSource('s2')
    expect(sumFigures([source, former])).toEqual({ rates: 31, codes: 3, npis: 5 })
    expect(sumFigures([{ ...source, pairs: 0, groupRows: 0 }])).toMatchObject({ pairs: 0, groupRows: 0 })
  })
})
