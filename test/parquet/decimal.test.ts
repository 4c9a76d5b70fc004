import fc from 'fast-check'
import { expect, it } from 'vitest'
import { compareDecimals, Decimal } from '../../parquet/decimal.ts'

const decimal = fc.tuple(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }), fc.nat({ max: 10 }))

it('writes a decimal with all of its digits, and reads it back from its text', () => {
  fc.assert(
    fc.property(decimal, ([unscaled, scale]) => {
      const text = String(new Decimal(unscaled, scale))
      expect(text).toMatch(/^-?\d+(\.\d*[1-9])?$/)
      const [whole = '', fraction = ''] = text.split('.')
      expect(BigInt(whole + fraction.padEnd(scale, '0'))).toBe(unscaled)
    }),
  )
})

it('computes with the double that is nearest to a decimal', () => {
  expect(Number(new Decimal(21_100n, 4))).toBe(2.11)
  expect(Number(new Decimal(-5n, 1))).toBe(-0.5)
  expect(Number(new Decimal(7n, 0))).toBe(7)
})

it('orders decimals of different scales by their values', () => {
  fc.assert(
    fc.property(decimal, decimal, ([a, scale], [b, other]) => {
      const difference = a * 10n ** BigInt(other) - b * 10n ** BigInt(scale)
      const order = compareDecimals(new Decimal(a, scale), new Decimal(b, other))
      expect([order < 0, order > 0]).toEqual([difference < 0n, difference > 0n])
    }),
  )
})

it('refuses a scale at which a decimal would lose digits', () => {
  expect(new Decimal(21_100n, 4).unscaledAt(2)).toBe(211n)
  expect(() => new Decimal(21_101n, 4).unscaledAt(2)).toThrow('2.1101 has more than 2 digits after the point')
})
