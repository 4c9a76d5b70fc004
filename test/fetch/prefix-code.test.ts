import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NotPrefixCode, PrefixCode } from '../../fetch/zip/prefix-code.ts'

/** Assigns codes to lengths, as texts of bits. Source: RFC 1951, 3.2.2. */
function listCodes(lengths: readonly number[]): ReadonlyMap<string, number> {
  const codes = new Map<string, number>()
  let code = 0
  for (let length = 1; length <= 15; length++, code *= 2)
    for (const [symbol, each] of lengths.entries())
      if (each === length) codes.set((code++).toString(2).padStart(length, '0'), symbol)
  return codes
}

const readBits = (bits: string) => Number.parseInt([...bits].reverse().join(''), 2)

/** Lengths that describe a code, complete or not: each leaf of a tree is split in two or left out. */
const anyLengths = fc.array(fc.tuple(fc.nat(), fc.boolean()), { maxLength: 120 }).map((cuts) => {
  const leaves: number[] = [1, 1]
  for (const [position, isCut] of cuts) {
    const at = position % leaves.length
    const [leaf = 0] = leaves.splice(at, 1)
    if (isCut && leaf < 15) leaves.push(leaf + 1, leaf + 1)
    else if (leaves.length === 0) leaves.push(leaf)
    else leaves.push(leaf)
  }
  return leaves.flatMap((leaf, index) => (index % 5 === 0 ? [0, leaf] : [leaf]))
})

describe('a prefix code', () => {
  it('finds the symbol of each code with any bits after it, and none where there is no code', () => {
    fc.assert(
      fc.property(
        anyLengths,
        fc.string({ unit: fc.constantFrom('0', '1'), minLength: 32, maxLength: 32 }),
        (...drawn) => {
          const [lengths, input] = drawn
          const code = new PrefixCode(lengths)
          const codes = listCodes(lengths)
          for (const [bits, symbol] of codes)
            expect(code.find(readBits((bits + input).slice(0, 17)))).toBe((symbol << 4) | bits.length)
          const beginsWithCode = [...codes.keys()].some((bits) => input.startsWith(bits))
          expect(code.find(readBits(input.slice(0, 17))) !== 0).toBe(beginsWithCode)
        },
      ),
    )
  })

  it('builds tables in proportion to its codes, not to the longest one', () => {
    expect(new PrefixCode([15]).work).toBeLessThan(1000)
    const growing = [...Array.from({ length: 14 }, (_, index) => index + 1), 15, 15]
    expect(new PrefixCode(growing).work).toBeLessThan(2000)
    expect(new PrefixCode(Array.from({ length: 286 }, () => 15)).work).toBeLessThan(2000)
  })

  it('builds its tables with at most twice the work for twice the symbols', () => {
    for (const length of [9, 10, 12, 15]) {
      const workOf = (count: number) => new PrefixCode(Array.from({ length: count }, () => length)).work
      for (const count of [1, 16, 64, 128]) expect(workOf(2 * count)).toBeLessThanOrEqual(2 * workOf(count))
    }
  })

  it('refuses more codes than its bits allow', () => {
    for (const lengths of [[1, 1, 1], [1, 2, 2, 2], Array.from({ length: 513 }, () => 9)])
      expect(() => new PrefixCode(lengths)).toThrow(NotPrefixCode)
  })

  it('finds nothing if it has no symbols', () => {
    expect(new PrefixCode([0, 0]).find(0)).toBe(0)
  })
})
