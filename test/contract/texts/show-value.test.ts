import { describe, expect, it } from 'vitest'
import { OddValue, printable, showValue } from '../../../contract/texts/show-value.ts'

describe('a value in a message', () => {
  it.each([
    [[1, 2], 'an array'],
    [{ a: 1 }, 'an object'],
    [null, 'null'],
    [undefined, 'undefined'],
    [99213, '99213'],
    ['99213', '"99213"'],
    [true, 'true'],
    [new OddValue('1e-400'), '1e-400'],
  ])('shows %j as %s', (value, shown) => {
    expect(showValue(value)).toBe(shown)
  })

  it('ends after 60 characters', () => {
    expect(showValue('x'.repeat(59))).toBe(`"${'x'.repeat(59)}…`)
    expect(showValue(new OddValue('9'.repeat(61)))).toBe(`${'9'.repeat(60)}…`)
  })
})

describe('a text in a message', () => {
  it.each([
    ['a\u0007\u0085b', 'a\\u0007\\u0085b'],
    ['a\u200B\u202Eb', 'a\\u200b\\u202eb'],
    ['a\u{E0041}b', 'a\\u{e0041}b'],
    ['a\uD800', 'a\uFFFD'],
  ])('escapes invisible characters: %j', (text, shown) => {
    expect(printable(text)).toBe(shown)
  })

  it('counts in characters, not code units', () => {
    expect(printable('𝒳'.repeat(60))).toBe('𝒳'.repeat(60))
    expect(printable('𝒳'.repeat(61))).toBe(`${'𝒳'.repeat(60)}…`)
  })
})
