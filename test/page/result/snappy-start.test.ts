import fc from 'fast-check'
import { snappyUncompress } from 'hyparquet'
import { describe, expect, it } from 'vitest'
import { decompressStart } from '../../../page/result/snappy-start.ts'

/** A literal of 70 bytes, a copy that overlaps itself, and one with each kind of offset. */
function compress(literal: Uint8Array): Uint8Array {
  const copies = [
    [1 | (3 << 2) | (0 << 5), 1], // 7 bytes from 1 back
    [2 | (63 << 2), 70, 0], // 64 bytes from 70 back
    [3 | (9 << 2), 100, 0, 0, 0], // 10 bytes from 100 back
  ]
  const length = literal.length + 7 + 64 + 10
  return Uint8Array.from([
    ...[(length & 0x7f) | 0x80, length >>> 7],
    ...[60 << 2, literal.length - 1, ...literal],
    ...copies.flat(),
  ])
}

describe('the start of a Snappy stream', () => {
  const bytes = fc.uint8Array({ minLength: 70, maxLength: 70 })

  it('is the start of what the whole stream has', () => {
    fc.assert(
      fc.property(bytes, fc.nat({ max: 87 }), (literal, length) => {
        const stream = compress(literal)
        const whole = new Uint8Array(literal.length + 81)
        snappyUncompress(stream, whole)
        const start = decompressStart(stream.subarray(0, 2 + length))
        expect(start).toEqual(whole.subarray(0, start.length))
        // A literal is used up to its last byte that is there, a copy only as a whole.
        if (length >= 2 && length <= 72) expect(start.length).toBe(length - 2)
        expect(decompressStart(stream)).toEqual(whole)
      }),
    )
  })

  it('is refused if a copy comes from before it', () => {
    expect(() => decompressStart(Uint8Array.of(4, 1, 1))).toThrow(RangeError)
    expect(() => decompressStart(Uint8Array.of(0x80))).toThrow('without a length')
  })
})
