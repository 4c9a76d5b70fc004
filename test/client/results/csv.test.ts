import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { writeCsvHeader, writeCsvLine, writePlainCsvLine } from '../../../client/results/csv.ts'
import { Decimal } from '../../../parquet/decimal.ts'

const cell = (value: unknown, column = 'name') => writeCsvLine([column], { [column]: value }).slice(0, -2)

/** Splits a line as Excel does: quotes count only at the start of a cell, and what follows them is part of the cell. */
function splitCells(line: string, separator: string): readonly string[] {
  const cells = ['']
  let isQuoted = false
  for (let index = 0; index < line.length; index++) {
    const character = line.charAt(index)
    const cell = cells.at(-1) ?? ''
    if (isQuoted && character === '"' && line.charAt(index + 1) === '"') {
      cells[cells.length - 1] = cell + line.charAt(index++)
    } else if (character === '"' && (isQuoted || cell === '')) isQuoted = !isQuoted
    else if (!isQuoted && [separator, '\r', '\n'].includes(character)) cells.push('')
    else cells[cells.length - 1] = cell + character
  }
  return cells
}

describe('a line of plain CSV', () => {
  it('writes values as they are, quoted where a reader needs it', () => {
    const row = { npi: 1234567893n, billing_code: '0450', name: 'Pier "A", North', setting: null, codes: ['11', '02'] }
    expect(writePlainCsvLine(Object.keys(row), row)).toBe('1234567893,0450,"Pier ""A"", North",,"11, 02"\r\n')
    expect(writePlainCsvLine(['rate', 'formula'], { rate: -1.5, formula: '=1+1' })).toBe('-1.5,=1+1\r\n')
  })
})

describe('a line of CSV for a spreadsheet', () => {
  it('keeps ids, codes and lists of them as text', () => {
    expect(cell(1234567893n, 'npi')).toBe('"=""1234567893"""')
    expect(cell('001242618', 'tin_value')).toBe('"=""001242618"""')
    expect(cell('1E05', 'billing_code')).toBe('"=""1E05"""')
    expect(cell(['11', '02'], 'service_code')).toBe('"=""11, 02"""')
    for (const column of ['billing_code', 'billing_code_published']) expect(cell('MAR1', column)).toBe('"=""MAR1"""')
  })

  it('keeps text that could be taken for a date or a number as text', () => {
    for (const text of ['3/4 view', '(5)', '$5']) expect(cell(text)).toBe(`"=""${text}"""`)
    expect(cell('1"')).toBe('"=""1"""""""')
  })

  it('writes numbers, dates and other text as they are, and nothing for NULL', () => {
    expect(writeCsvHeader(['a', 'b', 'c', 'd'])).toBe('a,b,c,d\r\n')
    const row = { a: -1.5, b: new Date('2026-11-01T00:00:00Z'), c: 'Pier 1', d: null }
    expect(writeCsvLine(['a', 'b', 'c', 'd', 'e'], row)).toBe('-1.5,2026-11-01,Pier 1,,\r\n')
  })

  it.each(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'])(
    'makes a formula that begins with %j harmless',
    (start) => {
      for (const column of ['name', 'billing_code'])
        expect(cell(`${start}HYPERLINK("x")`, column).replace(/^"/, '')).toMatch(/^'/)
    },
  )

  it('makes formulas within a text harmless, where a spreadsheet may begin a cell or row', () => {
    expect(cell('x;=1+1;y')).toBe("x;'=1+1;y")
    expect(cell('1; =1+1')).toBe('"=""1;\' =1+1"""')
    expect(cell('x\r\n@SUM(1)')).toBe('"x\r\n\'@SUM(1)"')
    expect(cell('x;"=1+1;y')).toBe('"x;\'""=1+1;y"')
    expect(cell('knee; left - right|a-b')).toBe('knee; left - right|a-b')
  })

  it.each([';', '\t', '|', ','])('begins no cell with a formula if %j separates cells', (separator) => {
    const piece = fc.constantFrom(...'=+-@;|,\t\r\n"\' ax1$', '\r\n')
    const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''))
    const columns = ['name', 'billing_code', 'plan']
    fc.assert(
      fc.property(text, text, text, fc.double(), (name, code, plan, rate) => {
        const row = { name, billing_code: code, plan: [plan], rate }
        const cells = splitCells(writeCsvLine([...columns, 'rate'], row), separator)
        // A formula that is only a text in quotes is how ids stay text; what follows one makes it no formula.
        expect(
          cells.filter((each) => /^[=+\-@\t\r]/.test(each) && !/^="/.test(each) && Number.isNaN(Number(each))),
        ).toEqual([])
      }),
      { numRuns: 2000 },
    )
  })

  it('tells a text apart that has the apostrophe already', () => {
    expect(['=1', "'=1", "''=1", "'tis"].map((text) => cell(text))).toEqual(["'=1", "''=1", "'''=1", "'tis"])
    const start = fc.constantFrom('', '=', "'", '+', '-')
    const text = fc.tuple(start, start, start, fc.stringMatching(/^[a-z]?$/)).map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, text, (one, other) => {
        expect(cell(one) === cell(other)).toBe(one === other)
      }),
    )
  })

  it('writes names of columns that begin like a formula, or hold controls, as harmless text', () => {
    expect(writeCsvHeader(['=1+1', '-a', 'a\u001b[31mb', 'npi'])).toBe("'=1+1,'-a,a\ufffd[31mb,npi\r\n")
  })

  it('writes a decimal as a number with all of its digits', () => {
    expect(cell(new Decimal(999_999_999_999_999_999n, 4), 'negotiated_rate')).toBe('99999999999999.9999')
    expect(cell(new Decimal(-15_000n, 4), 'negotiated_rate')).toBe('-1.5')
  })

  it('fills one line with one cell a column for any text', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1 }), (texts) => {
        const columns = texts.map((_, index) => String(index))
        const line = writeCsvLine(columns, Object.fromEntries(texts.map((text, index) => [String(index), text])))
        const bare = line.slice(0, -2).replace(/"(?:[^"]|"")*"/g, 'quoted')
        expect(bare.split(',')).toHaveLength(texts.length)
        expect(bare).not.toMatch(/["\r\n]/)
      }),
    )
  })
})
