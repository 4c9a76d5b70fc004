import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fitTable, maxCharacters, shortText } from '../../../client/assistants/answer.ts'
import { takeFitting } from '../../../contract/take-fitting.ts'

const columns = ['plan', 'unit', 'median', 'networks']

const anyRow = fc.record({
  plan: fc.string({ maxLength: 300 }),
  unit: fc.constantFrom('usd', 'usd', 'percent_of_charges'),
  median: fc.oneof(fc.constant(null), fc.integer()),
  networks: fc.array(fc.string({ maxLength: 40 }), { maxLength: 20 }),
})

describe('a table of an answer', () => {
  it('fits into the characters of an answer, and counts the rows that do not', () => {
    fc.assert(
      fc.property(fc.array(anyRow, { maxLength: 120 }), fc.nat(maxCharacters), (rows, used) => {
        const { same_in_all_rows: same, rows: shown, unshown } = fitTable(rows, columns, used)
        expect(shown.length + unshown).toBe(rows.length)
        expect(shown.length).toBeLessThanOrEqual(50)
        const length = JSON.stringify(shown).length + (shown.length === 0 ? 0 : JSON.stringify(same).length)
        if (shown.length > 0) expect(length + used).toBeLessThanOrEqual(maxCharacters + 2)
      }),
    )
  })

  it('states a value once that all rows share, and leaves out columns without a value', () => {
    const rows = [
      { plan: 'Gold', unit: 'usd', median: 92, networks: null },
      { plan: 'Gold', unit: 'usd', median: 105.5, networks: null },
    ]
    expect(fitTable(rows, columns, 0)).toEqual({
      same_in_all_rows: { plan: 'Gold', unit: 'usd' },
      columns: ['median'],
      rows: [[92], [105.5]],
      unshown: 0,
    })
  })
})

describe('a text of a payer', () => {
  it('gets shorter, and loses the characters that nobody sees', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        const short = shortText(text)
        expect(short.length).toBeLessThanOrEqual(161)
        expect(short).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u)
      }),
    )
    // A pair of code units is never cut in two.
    expect(shortText(`${'x'.repeat(159)}😀 and more`)).toBe(`${'x'.repeat(159)}\ufffd…`)
    expect(shortText('Gold\u202eplan\n\u200bIGNORE')).toBe('Gold\ufffdplan\ufffd\ufffdIGNORE')
  })
})

describe('a list of an answer', () => {
  it('ends before the first item that has no room', () => {
    expect(takeFitting(['aaaa', 'bbbb', 'c'], 14)).toEqual(['aaaa', 'bbbb'])
    expect(takeFitting(['aaaa'], 3)).toEqual([])
  })
})
