import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RunReader } from '../../parquet/run-reader.ts'

/** Runs of numbers: one that is repeated, or some that are packed, each with the bytes that say so. */
function encodeRuns(runs: readonly Run[], width: number): { bytes: Uint8Array; numbers: readonly number[] } {
  const bytes: number[] = []
  const numbers: number[] = []
  for (const run of runs) {
    if (run.isPacked) {
      bytes.push((run.numbers.length / 8) * 2 + 1)
      let bits = 0n
      for (const [index, number] of run.numbers.entries()) bits |= BigInt(number) << BigInt(index * width)
      for (let byte = 0; byte < (run.numbers.length / 8) * width; byte++)
        bytes.push(Number((bits >> BigInt(byte * 8)) & 255n))
      numbers.push(...run.numbers)
    } else {
      bytes.push(((run.count * 2) & 127) | 128, (run.count * 2) >> 7)
      for (let shift = 0; shift < width; shift += 8) bytes.push((run.number >>> shift) & 255)
      numbers.push(...new Array<number>(run.count).fill(run.number))
    }
  }
  return { bytes: Uint8Array.from(bytes), numbers }
}

type Run =
  | { readonly isPacked: true; readonly numbers: readonly number[] }
  | { readonly isPacked: false; readonly number: number; readonly count: number }

const encoded = fc.integer({ min: 1, max: 24 }).chain((width) => {
  const number = fc.nat({ max: 2 ** width - 1 })
  const packed = fc
    .integer({ min: 1, max: 4 })
    .chain((groups) => fc.array(number, { minLength: groups * 8, maxLength: groups * 8 }))
  const run = fc.oneof(
    packed.map((numbers): Run => ({ isPacked: true, numbers })),
    fc.record({ isPacked: fc.constant(false as const), number, count: fc.integer({ min: 1, max: 200 }) }),
  )
  return fc.array(run, { minLength: 1, maxLength: 6 }).map((runs) => ({ width, ...encodeRuns(runs, width) }))
})

describe('a reader of runs', () => {
  it('reads the numbers that were encoded, in parts of any size', () => {
    fc.assert(
      fc.property(encoded, fc.array(fc.integer({ min: 1, max: 50 })), ({ width, bytes, numbers }, sizes) => {
        const reader = new RunReader(bytes, [0, bytes.length], width, numbers.length)
        const parts: number[] = []
        for (const size of [...sizes, numbers.length])
          parts.push(...reader.take(Math.min(size, numbers.length - parts.length)))
        expect(parts).toEqual(numbers)
      }),
    )
  })

  it('refuses runs that end before their last number', () => {
    fc.assert(
      fc.property(encoded, fc.nat(), ({ width, bytes, numbers }, cut) => {
        const reader = new RunReader(bytes, [0, cut % bytes.length], width, numbers.length)
        expect(() => reader.take(numbers.length)).toThrow(RangeError)
      }),
    )
  })

  it('refuses a run that is longer than the remaining numbers', () => {
    const { bytes } = encodeRuns([{ isPacked: false, number: 1, count: 101 }], 1)
    expect(() => new RunReader(bytes, [0, bytes.length], 1, 100).take(1)).toThrow('a run of 101 numbers')
  })

  it('refuses more numbers than there are, and numbers that are too wide', () => {
    expect(() => new RunReader(new Uint8Array(9), [0, 9], 0, 4).take(5)).toThrow('5 numbers of 4')
    expect(() => new RunReader(new Uint8Array(9), [0, 9], 25, 4)).toThrow('numbers of 25 bits')
  })
})
