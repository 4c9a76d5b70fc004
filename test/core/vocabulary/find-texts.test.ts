import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findTexts } from '../../../core/vocabulary/find-texts.ts'
import { TextIndex } from '../../../core/vocabulary/text-index.ts'
import { findsAll, keysOf, nearlyBegins, splitWords } from '../../../core/words.ts'

const find = (texts: readonly string[], q: string): readonly string[] => {
  const matches = findTexts(new TextIndex(texts.map((text) => ({ code: 'code', text }))), q)
  return texts.filter((_, index) => matches[index] === 1)
}

describe('a query of texts', () => {
  it('finds texts with a word that begins with each of the query, by the rules for names of plans', () => {
    // No everyday word, and no two that could be a typing error of one another.
    const word = fc.constantFrom('qa', 'qab', 'wx', 'wxyz', 'jv', 'Ärz', 'XR')
    const text = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(' '))
    fc.assert(
      fc.property(
        fc.array(text, { minLength: 1, maxLength: 5 }),
        fc.array(word, { minLength: 1, maxLength: 3 }),
        (texts, words) => {
          const q = words.join(' ')
          const expected = texts.filter((each) => findsAll(splitWords(q), keysOf(each)))
          expect(find(texts, q)).toEqual(expected)
        },
      ),
    )
  })

  it('finds the beginnings of words, and of typing errors, in texts of any characters', () => {
    const unit = fc.constantFrom(...'abAB1 -|\n', 'é', 'É', 'ß', 'ﬁ', '中', '𝒳', 'İ')
    const text = fc.string({ unit, maxLength: 30 })
    const word = text.map(splitWords).filter((words) => words.length > 0)
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), word, (texts, [letters = '']) => {
        const index = new TextIndex(texts.map((each) => ({ code: '0', text: each })))
        const begins = texts.map((each) => Number(findsAll([letters], keysOf(each))))
        expect([...index.findBeginnings(letters)]).toEqual(begins)
        const nearlyBegin = texts.map((each) => Number(keysOf(each).some((key) => nearlyBegins(letters, key))))
        expect([...index.findNear(letters)]).toEqual(nearlyBegin)
      }),
      { numRuns: 2000 },
    )
  })

  it('finds each of very many texts, and no other', () => {
    const texts = Array.from({ length: 20_000 }, (_, index) => `Harbor ${String(index).padStart(5, '0')}x`)
    for (const text of ['Harbor 00000x', 'Harbor 08191x', 'Harbor 08192x', 'Harbor 16384x', 'Harbor 19999x'])
      expect(find(texts, text.replace('Harbor', 'harbr'))).toEqual([text])
  })

  it.each([
    ['knee mri', 'MRI of a leg joint'],
    ['knee mri', 'Mri jnt of lwr extremity without dye'],
    ['magnetic resonance knee', 'MRI of a leg joint'],
    ['mri', 'Magnetic resonance imaging, joint'],
    ['office visit', 'Return visit, medium'],
    ['office visits', 'Office or other outpatient visit'],
    ['blood test', 'Blood count, complete'],
    ['heart', 'Cardiac stress test'],
    ['x-ray', 'Radiologic exam, chest'],
    ['shouldr', 'Arm joint, MRI'],
  ])('finds by "%s" the text "%s"', (q, text) => {
    expect(find([text, 'Something else'], q)).toEqual([text])
  })

  it('finds a word in which one letter is mistyped', () => {
    const letter = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz')
    const position = fc.integer({ min: 1, max: 5 })
    const word = 'harbor'
    const [before, after] = [(at: number) => word.slice(0, at), (at: number) => word.slice(at)]
    fc.assert(
      fc.property(position, letter, (at, each) => {
        const swapped = before(at) + after(at + 1).slice(0, 1) + after(at).slice(0, 1) + after(at + 2)
        const words = [
          before(at) + after(at + 1),
          before(at) + each + after(at),
          before(at) + each + after(at + 1),
          swapped,
        ]
        for (const mistyped of words) expect(find(['Blue Harbor', 'Summit'], mistyped)).toEqual(['Blue Harbor'])
      }),
    )
  })

  it('finds no similar word if a text has the word itself', () => {
    expect(find(['Harbor', 'Harber'], 'harbor')).toEqual(['Harbor'])
  })

  it.each(['ab', 'abc', '73721', '1234567'])('forgives nothing in "%s"', (word) => {
    expect(nearlyBegins(word, `${word.slice(0, -1)}x`)).toBe(false)
  })
})
