import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { charactersOf, isNumber, parsePublished } from '../../../../loader/decode/json/published-number.ts'

describe('a published number', () => {
  it.each(['1', '1.0', '690.64462', '12345678901234567890', '-0', '1e3', '0.10', '1E400'])(
    'keeps its characters: %s',
    (text) => {
      const number = parsePublished(text, true)
      expect(isNumber(number) && charactersOf(number)).toBe(text)
    },
  )

  it('keeps its characters at any depth', () => {
    const number = fc
      .tuple(fc.bigInt(), fc.option(fc.stringMatching(/^\d{1,20}$/)), fc.option(fc.integer({ min: -400, max: 400 })))
      .map(
        ([whole, fraction, exponent]) => `${whole}${fraction ? `.${fraction}` : ''}${exponent ? `e${exponent}` : ''}`,
      )
    fc.assert(
      fc.property(fc.array(number), (numbers) => {
        const values = parsePublished(`[${numbers.join(', ')}]`, true)
        expect(Array.isArray(values) && values.map(charactersOf)).toEqual(numbers)
      }),
    )
  })

  it('differs from null, a string, a flag and an object', () => {
    expect([null, '1', true, {}, undefined].filter(isNumber)).toEqual([])
  })
})
