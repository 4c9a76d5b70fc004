import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { maxNameLength } from '../../../contract/limits.ts'
import { composeText, maxComposed } from '../../../contract/texts/compose-text.ts'
import { normaliseName } from '../../../contract/texts/names.ts'
import { normaliseBillingCode } from '../../../contract/texts/written-code.ts'
import { parseSearchRequest } from '../../../core/search/parse-search-request.ts'

/** Marks of two classes in turn, which composing must sort: its time grows with the square of their number. */
const marks = (length: number) => `a${'\u0301\u0316'.repeat(length / 2)}`.slice(0, length)

/** Letters that decompose to as many code points as any, marks, Hangul, and white space that composing replaces. */
const texts = fc
  .array(fc.constantFrom('a', '\u0301', '\u0316', 'ᾂ', 'ΐ', '각', '\u2000', ' ', '\u{1D160}', '\u{110AB}', 'ß'))
  .map((parts) => parts.join(''))

describe('composing a text', () => {
  it('returns NFC for every text that is not too long', () => {
    fc.assert(fc.property(texts, (text) => composeText(text) === text.normalize('NFC')))
    expect(composeText(marks(maxComposed))).toBe(marks(maxComposed).normalize('NFC'))
  })

  it('leaves a longer text as it is, whose marks stay in their order', () => {
    expect(composeText(marks(maxComposed + 1))).toBe(marks(maxComposed + 1))
    expect(marks(maxComposed + 1).normalize('NFC')).not.toBe(marks(maxComposed + 1))
  })

  it('reaches every text that can become a valid name', () => {
    const codePoints = Array.from({ length: 0x110000 }, (_, code) => code).filter(
      (code) => (code & 0x1ff800) !== 0xd800,
    )
    const units = codePoints.map((code) => String.fromCodePoint(code).normalize('NFD').length)
    expect(maxNameLength * units.reduce((a, b) => Math.max(a, b))).toBeLessThanOrEqual(maxComposed)
  })

  it('happens in one place of the product', () => {
    const files = globSync('{adapters,bin,client,contract,core,lambdas,lib,loader,local,page,schema}/**/*.{ts,tsx}', {
      cwd: join(import.meta.dirname, '../../..'),
      exclude: ['**/node_modules/**'],
    })
    const normalising = files.filter((file) =>
      readFileSync(join(import.meta.dirname, '../../..', file), 'utf8').includes('.normalize('),
    )
    expect(normalising).toEqual(['contract/texts/compose-text.ts'])
  })
})

describe('names and billing codes', () => {
  it('give the same text whether white space is collapsed before they are composed or after', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const folded = text
          .normalize('NFC')
          .replace(/[\s\u0085\u200b]+/gu, ' ')
          .trim()
        expect(normaliseName(text)).toBe(folded)
        expect(normaliseBillingCode(text)).toBe(folded.toUpperCase().normalize('NFC'))
      }),
    )
  })

  it.each([
    ['payer', { npis: [0], fee_schedules: [{ payer: marks(1_000_000), plan: 'PPO' }] }, 'fee_schedules[0].payer'],
    ['plan', { npis: [0], fee_schedules: [{ payer: 'Acme', plan: marks(1_000_000) }] }, 'fee_schedules[0].plan'],
    [
      'billing code',
      { billing_codes: [marks(1_000_000)], fee_schedules: [{ payer: 'A', plan: 'B' }] },
      'billing_codes[0]',
    ],
  ])('refuse a %s of a megabyte of combining marks for its length', (_, body, path) => {
    expect(() => parseSearchRequest(body)).toThrow(
      expect.objectContaining({
        details: [{ path, message: expect.stringMatching(/^must have (at most|1 to) \d+ characters/) }],
      }),
    )
  })
})
