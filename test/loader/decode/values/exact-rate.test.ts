import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseExactRate } from '../../../../loader/decode/values/exact-rate.ts'

const rateOf = (characters: string) => parseExactRate(characters)

describe('a negotiated rate', () => {
  it.each([
    ['123.45', 1_234_500n],
    ['-0.0001', -1n],
    ['0', 0n],
    ['-0', 0n],
    ['0e999999999999', 0n],
    ['1e3', 10_000_000n],
    ['12.5E-1', 12_500n],
    ['1.50000000', 15_000n],
    ['99999999999999.9999', 999_999_999_999_999_999n],
  ])('%s is kept exactly', (characters, tenThousandths) => {
    expect(rateOf(characters)).toEqual({ tenThousandths, rounded: false })
  })

  it.each([
    ['0.00005', 0n],
    ['0.00015', 2n],
    ['0.00025', 2n],
    ['0.000250000000000000000000000001', 3n],
    ['1.00005', 10_000n],
    ['-0.00015', -2n],
    ['0.000049999999999999999999', 0n],
    ['1e-999999999999', 0n],
    ['99999999999999.99994', 999_999_999_999_999_999n],
  ])('%s is rounded half to even', (characters, tenThousandths) => {
    expect(rateOf(characters)).toEqual({ tenThousandths, rounded: true })
  })

  it.each(['100000000000000', '99999999999999.99995', '1e999999999999', '-1e14'])('%s does not fit', (characters) => {
    expect(rateOf(characters)).toBeUndefined()
  })

  it('agrees with integer division in any notation', () => {
    const digits = fc.bigInt({ min: 0n, max: 10n ** 24n })
    fc.assert(
      fc.property(
        digits,
        fc.nat({ max: 24 }),
        fc.integer({ min: -6, max: 6 }),
        fc.boolean(),
        (value, point, exponent, negative) => {
          const text = value.toString().padStart(point + 1, '0')
          const whole = text.slice(0, text.length - point)
          const fraction = point === 0 ? '' : `.${text.slice(-point)}`
          const characters = `${negative ? '-' : ''}${whole}${fraction}${exponent === 0 ? '' : `e${exponent}`}`
          expect(rateOf(characters)).toEqual(divideHalfEven(value, exponent - point + 4, negative))
        },
      ),
      { numRuns: 2000 },
    )
  })
})

/** value x 10^power as an integer, by quotient and remainder. */
function divideHalfEven(value: bigint, power: number, negative: boolean) {
  const divisor = 10n ** BigInt(Math.max(0, -power))
  const scaled = value * 10n ** BigInt(Math.max(0, power))
  const quotient = scaled / divisor
  const twiceRemainder = (scaled % divisor) * 2n
  const up = twiceRemainder > divisor || (twiceRemainder === divisor && quotient % 2n === 1n)
  const units = up ? quotient + 1n : quotient
  if (units >= 10n ** 18n) return undefined
  return { tenThousandths: negative ? -units : units, rounded: twiceRemainder !== 0n }
}
