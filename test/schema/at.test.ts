import { describe, expect, it } from 'vitest'
import { at } from '../../schema/at.ts'

describe('at', () => {
  it('returns the element at an index of a list, a typed array or a text', () => {
    expect(at(['a', 'b'], 1)).toBe('b')
    expect(at(Uint8Array.of(0, 7), 0)).toBe(0)
    expect(at('ab', 0)).toBe('a')
  })

  it.each([2, -1, 0.5, Number.NaN])('refuses the index %d of a list of two elements, and names both', (index) => {
    expect(() => at(['a', 'b'], index)).toThrow(new RangeError(`index ${index} is outside a list of length 2`))
  })
})
