import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findByWords } from '../../../core/vocabulary/find-providers-by-words.ts'
import type { FoundProviders } from '../../../core/vocabulary/ports.ts'
import { findsAll, keysOf, splitWords } from '../../../core/words.ts'

/** Finds names among these. @returns the found names, and the number of times that all names were looked at */
async function find(q: string, names: readonly string[], stop: Pick<FoundProviders, 'stoppedBy'> = {}) {
  const passes: (readonly string[])[] = []
  await findByWords(q, async (isMatch) => {
    const matches = names.filter(isMatch)
    passes.push(matches)
    const facts = { taxonomy: null, city: null, state: null, zip: null }
    return { providers: matches.map((name, npi) => ({ ...facts, npi, name })), ...stop }
  })
  return { found: passes.at(-1) ?? [], passes: passes.length }
}

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
  ])('find with "%s" the name %s', async (q, name) => {
    expect(await find(q, [name])).toEqual({ found: [name], passes: 1 })
  })

  it.each([
    ['qvist', 'ADA Q LINDQVIST'],
    ['ada lee', 'ADA Q LINDQVIST'],
    ['ada', ''],
    ['lopezgarcia', 'MARIA GARCIA-LOPEZ'],
  ])('do not find with "%s" the name "%s"', async (q, name) => {
    expect((await find(q, [name])).found).toEqual([])
  })

  it('lead to one look at the names if all words are known, or if a limit ended the look', async () => {
    expect(await find('lindqvist lopez', ['ADA LINDQVIST', 'MARIA LOPEZ'])).toEqual({ found: [], passes: 1 })
    expect(await find('lindqist', ['ADA LINDQVIST'], { stoppedBy: 'bytes' })).toEqual({ found: [], passes: 1 })
    expect(await find('lindqist', ['ADA LINDQVIST'])).toEqual({ found: ['ADA LINDQVIST'], passes: 2 })
  })

  it('find as words of plans do', async () => {
    const text = fc.string({ unit: fc.constantFrom(..."abAB1 -'.,éÉñ中ﬁ"), maxLength: 14 })
    const query = text.filter((q) => splitWords(q).length > 0)
    await fc.assert(
      fc.asyncProperty(query, text, async (q, name) => {
        const isFound = findsAll(splitWords(q), keysOf(name), new Set(splitWords(q)))
        expect((await find(q, [name])).found).toEqual(isFound ? [name] : [])
      }),
      { numRuns: 2000 },
    )
  })
})
