import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findsAll, keysOf, splitWords } from '../../../core/catalogue/finding/words.ts'
import { matchProviderName } from '../../../core/vocabulary/provider-names.ts'

describe('the words of a provider’s name', () => {
  it.each([
    ['lindqvist', 'ADA Q LINDQVIST'],
    ['LIND ada', 'ADA Q LINDQVIST'],
    ["o'neil", "ARDALAN A O'NEIL"],
    ['oneil', "ARDALAN A O'NEIL"],
    ['neil', "ARDALAN A O'NEIL"],
    ['garcia lopez', 'MARIA GARCIA-LOPEZ'],
    ['garcialopez', 'MARIA GARCIA-LOPEZ'],
    ['munoz', 'JOSÉ MUÑOZ'],
    ['muñoz', 'JOSE MUNOZ'],
    ['a1', 'A-1 MEDICAL SUPPLY, INC.'],
    ['BlueHarbor', 'BLUE HARBOR CLINIC'],
    ['x'.repeat(30), `${'X'.repeat(40)} LLC`],
  ])('find with "%s" the name %s', (q, name) => {
    expect(matchProviderName(q)(name)).toBe(true)
  })

  it.each([
    ['qvist', 'ADA Q LINDQVIST'],
    ['ada lee', 'ADA Q LINDQVIST'],
    ['ada', ''],
    ['lopezgarcia', 'MARIA GARCIA-LOPEZ'],
  ])('do not find with "%s" the name "%s"', (q, name) => {
    expect(matchProviderName(q)(name)).toBe(false)
  })

  it('find as words of plans and specialties do', () => {
    const text = fc.string({ unit: fc.constantFrom(..."abAB1 -'.,éÉñ中ﬁ"), maxLength: 14 })
    const query = text.filter((q) => splitWords(q).length > 0)
    fc.assert(
      fc.property(query, text, (q, name) => {
        expect(matchProviderName(q)(name)).toBe(findsAll(splitWords(q), keysOf(name)))
      }),
      { numRuns: 2000 },
    )
  })
})
