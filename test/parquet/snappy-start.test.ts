import fc from 'fast-check'
import { snappyUncompress } from 'hyparquet'
import { describe, expect, it } from 'vitest'
import { decompressStart } from '../../parquet/snappy-start.ts'

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

  it('equals the start of the whole decompressed stream', () => {
    fc.assert(
      fc.property(bytes, fc.nat({ max: 87 }), (literal, length) => {
        const stream = compress(literal)
        const whole = new Uint8Array(literal.length + 81)
        snappyUncompress(stream, whole)
        const start = decompressStart(stream.subarray(0, 2 + length), whole.length)
        expect(start).toEqual(whole.subarray(0, start.length))
        // A literal is used up to its last byte that is there, a copy only as a whole.
        if (length >= 2 && length <= 72) expect(start.length).toBe(length - 2)
        expect(decompressStart(stream, whole.length)).toEqual(whole)
      }),
    )
  })

  it('throws if a copy comes from before it', () => {
    expect(() => decompressStart(Uint8Array.of(4, 1, 1), 4)).toThrow(RangeError)
    expect(() => decompressStart(Uint8Array.of(0x80), 128)).toThrow('without a length')
  })

  it('gets no more memory than its bytes can fill, whatever length it claims', () => {
    const claim = 2 ** 32 - 1
    expect(decompressStart(Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x0f, 0, 65), claim).buffer.byteLength).toBe(1)
  })

  it('throws if it claims another length than expected', () => {
    expect(() => decompressStart(Uint8Array.of(2, 0, 65), 1)).toThrow('a Snappy stream of 2 bytes, not 1')
  })
})
