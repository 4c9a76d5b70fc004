import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { maxNameLength } from '../../../contract/limits.ts'
import { findNameFault, findTextFault, normaliseName } from '../../../contract/texts/names.ts'

const anyText = fc.string({ unit: 'binary' })

describe('a normalised name', () => {
  it.each([
    ['  Acme   Health ', 'Acme Health'],
    ['Acme\u00a0\u2003Health', 'Acme Health'],
    ['Cafe\u0301 Care', 'Caf\u00e9 Care'],
    ['ACME', 'ACME'],
    ['\ufeffAcme', 'Acme'],
  ])('turns %j into %j', (text, name) => {
    expect(normaliseName(text)).toBe(name)
  })

  it('does not change when normalised again', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const once = normaliseName(text)
        expect(normaliseName(once)).toBe(once)
      }),
    )
  })

  it('never gets a fault by being normalised', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(findNameFault(text) !== undefined || findNameFault(normaliseName(text)) === undefined).toBe(true)
      }),
    )
  })
})

describe('the fault of a name', () => {
  it.each([
    ['', 'must not be empty'],
    ['  \u00a0', 'must not be empty'],
    ['x'.repeat(maxNameLength + 1), 'must have at most 200 characters, not 201'],
    ['a\uD800', 'must be well-formed Unicode (it has a lone surrogate)'],
    ['\uDC00a', 'must be well-formed Unicode (it has a lone surrogate)'],
    ['a\uFFFDb', 'must be UTF-8 (it has U+FFFD, which replaces bytes that are not)'],
    ['a\u0000b', 'must not contain control characters'],
    ['a\u001f', 'must not contain control characters'],
    ['a\u009fb', 'must not contain control characters'],
    ['a\u200Cb', 'must not contain invisible characters (it has U+200C)'],
    ['a\u200Db', 'must not contain invisible characters (it has U+200D)'],
    ['a\u00ADb', 'must not contain invisible characters (it has U+00AD)'],
    ['a\u202Eb', 'must not contain invisible characters (it has U+202E)'],
    ['a\u2066b', 'must not contain invisible characters (it has U+2066)'],
    ['a\u{E0041}b', 'must not contain invisible characters (it has U+E0041)'],
    ['𝒳'.repeat(maxNameLength + 1), 'must have at most 200 characters, not 201'],
  ])('says of %j that it %s', (text, fault) => {
    expect(findNameFault(text)).toBe(fault)
  })

  it.each(['x', 'é', '𝒳'])('accepts 200 times %s surrounded by white space', (letter) => {
    expect(findNameFault(` ${letter.repeat(maxNameLength)} `)).toBeUndefined()
  })

  it.each([...' \t\n\r\v\f\u0085\u00a0\u1680\u2003\u2028\u2029\u202f\u3000\ufeff\u200b'])(
    'finds none in a name with %j, which is folded as a space is',
    (space) => {
      const name = `${space}Cedar${space}${space}PPO${space}`
      expect(findNameFault(name)).toBeUndefined()
      expect(normaliseName(name)).toBe('Cedar PPO')
    },
  )

  it('exists exactly for texts that are invisible, unprintable or cannot be stored', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const withoutSpace = text.replace(/[\s\u0085\u200b]/g, '')
        const isVisible = !/[\p{Cc}\p{Default_Ignorable_Code_Point}]/u.test(withoutSpace)
        const isFit = text.isWellFormed() && !text.includes('\uFFFD') && isVisible
        expect(findTextFault(text) === undefined).toBe(isFit)
      }),
    )
  })
})
