import { describe, expect, it } from 'vitest'
import { at, float64At, int32At, uint8At, uint32At } from '../../schema/at.ts'

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

describe('the accessors of typed arrays', () => {
  it('return the number at an index', () => {
    expect(uint8At(Uint8Array.of(7, 0), 1)).toBe(0)
    expect(uint32At(Uint32Array.of(2 ** 32 - 1), 0)).toBe(2 ** 32 - 1)
    expect(int32At(Int32Array.of(-(2 ** 31)), 0)).toBe(-(2 ** 31))
    expect(float64At(Float64Array.of(0.5), 0)).toBe(0.5)
  })

  it.each([2, -1, 0.5, Number.NaN])('refuse the index %d of an array of two numbers, and name both', (index) => {
    const fault = new RangeError(`index ${index} is outside a list of length 2`)
    expect(() => uint8At(Uint8Array.of(1, 2), index)).toThrow(fault)
    expect(() => uint32At(Uint32Array.of(1, 2), index)).toThrow(fault)
    expect(() => int32At(Int32Array.of(1, 2), index)).toThrow(fault)
    expect(() => float64At(Float64Array.of(1, 2), index)).toThrow(fault)
  })
})
