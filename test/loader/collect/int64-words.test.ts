import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { int64At, setInt64 } from '../../../loader/collect/int64-words.ts'

describe('an integer of 64 bits in two words', () => {
  it('equals the words of a BigInt64Array, set from a number or from a bigint', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (integer) => {
        const words = new Uint32Array(4)
        setInt64(words, 0, integer)
        setInt64(words, 1, BigInt(integer))
        expect(new BigInt64Array(words.buffer)).toEqual(BigInt64Array.of(BigInt(integer), BigInt(integer)))
        expect(int64At(words, 0)).toBe(integer)
      }),
    )
  })

  it('keeps bigints beyond 2^53 exactly', () => {
    for (const integer of [2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n + 1n]) {
      const words = new Uint32Array(2)
      setInt64(words, 0, integer)
      expect(new BigInt64Array(words.buffer)[0]).toBe(integer)
    }
  })

  it('throws when it is read beyond the words', () => {
    expect(() => int64At(new Uint32Array(2), 1)).toThrow(RangeError)
  })
})
