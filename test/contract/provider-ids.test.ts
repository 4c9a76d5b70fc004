import fc from 'fast-check'
import { expect, it } from 'vitest'
import { hasCheckDigit } from '../../contract/provider-ids.ts'

// Source: CMS, "Requirements for National Provider Identifier (NPI) and NPI Check Digit", whose example is 1234567893.
it.each([1234567893, 1003000126, 1245319599, 0])('accepts the check digit of the NPI %i', (npi) => {
  expect(hasCheckDigit(npi)).toBe(true)
})

it('accepts one of the ten digits that can follow nine digits of an NPI', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1e8, max: 1e9 - 1 }), (nine) => {
      const right = Array.from({ length: 10 }, (_, last) => nine * 10 + last).filter(hasCheckDigit)
      expect(right).toHaveLength(1)
    }),
  )
})

it('refuses an NPI with any one digit mistyped', () => {
  fc.assert(
    fc.property(fc.nat(9), fc.integer({ min: 1, max: 9 }), (position, change) => {
      const digits = Array.from('1234567893', Number)
      const mistyped = digits.map((digit, index) => (index === position ? (digit + change) % 10 : digit)).join('')
      expect(hasCheckDigit(Number(mistyped.padStart(10, '0')))).toBe(false)
    }),
  )
})
