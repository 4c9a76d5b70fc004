import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { replaceByMeant } from '../../../page/values/code-hints.ts'
import { parseCodes, parseNpis, parseStates, parseTins, parseZips } from '../../../page/values/pasted-values.ts'

const nothing = { values: [], duplicates: 0, unreadable: [], suspect: [], hints: [] }

describe('pasted NPIs', () => {
  it.each([
    '1234567893\t1003000126',
    '1234567893,1003000126',
    '"1234567893";"1003000126"',
    '1234567893\r\n1003000126\r\n',
  ])('may have any separators: %j', (text) => {
    expect(parseNpis(text)).toEqual({ ...nothing, values: ['1234567893', '1003000126'] })
  })

  it('count once, and name what has a wrong check digit', () => {
    expect(parseNpis('1234567890 1234567893 0 1234567890 0')).toEqual({
      ...nothing,
      values: ['1234567890', '1234567893', '0'],
      duplicates: 2,
      suspect: ['1234567890'],
    })
  })

  it('leave out what is no NPI, and guess nothing', () => {
    const tokens = ['123456789', '12345678901', '0123456789', '1.23E+09', 'NPI', '1234567893.0']
    expect(parseNpis(tokens.join(' '))).toEqual({ ...nothing, unreadable: tokens })
  })
})

describe('pasted billing codes', () => {
  it('keep their leading zeros, in upper case, without the type before them', () => {
    expect(parseCodes('00100 a0429\nCPT 99213, HCPCS:J1885 MS-DRG 470 RC#0450')).toEqual({
      ...nothing,
      values: ['00100', 'A0429', '99213', 'J1885', '470', '0450'],
    })
  })

  it('must not be longer than a code can be', () => {
    expect(parseCodes(`${'x'.repeat(63)}1 ${'y'.repeat(65)}`)).toEqual({
      ...nothing,
      values: [`${'X'.repeat(63)}1`],
      unreadable: ['y'.repeat(65)],
    })
  })
})

describe('a billing code that looks like something else', () => {
  it.each([
    ['99213-99215', ['99213', '99214', '99215']],
    ['99213 - 99215', ['99213', '99214', '99215']],
    ['99213 to 99215', ['99213', '99214', '99215']],
    ['j0120–J0122', ['J0120', 'J0121', 'J0122']],
    ['469-470', ['469', '470']],
    ['0450-0452', ['0450', '0451', '0452']],
    ['0042T-0044T', ['0042T', '0043T', '0044T']],
    ['73721-26', ['73721']],
    ['J1885-jw', ['J1885']],
    ['99215-99213', []],
    ['10000-20000', []],
    ['hello', []],
  ])('leads to the codes that are meant: %s', (text, meant) => {
    const [hint, ...others] = parseCodes(text).hints
    expect(others).toEqual([])
    expect(hint?.meant).toEqual(meant)
    // One click replaces it in the text.
    if (hint && meant.length > 0)
      expect(replaceByMeant(`27447, ${text}\n470`, hint)).toBe(`27447, ${meant.join(' ')}\n470`)
  })

  it.each(['99213', 'J1885', 'CSTM-ALL', 'CSTM-00', '00002-7510-01', '0450', 'A00.1', '470', '1AFKS'])(
    'does not include %s',
    (code) => {
      expect(parseCodes(code).hints).toEqual([])
    },
  )

  it('leads from any range to the codes between its ends', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 99_950 }), fc.integer({ min: 0, max: 49 }), (first, length) => {
        const codeAt = (index: number) => String(first + index).padStart(5, '0')
        const [hint] = parseCodes(`${codeAt(0)}-${codeAt(length)}`).hints
        expect(hint?.meant).toEqual(Array.from({ length: length + 1 }, (_, index) => codeAt(index)))
      }),
    )
  })
})

describe('pasted ZIP codes', () => {
  it('keep their leading zeros, and lose their +4', () => {
    expect(parseZips('00501 77030-1501, 00501 7703 77030-15')).toEqual({
      ...nothing,
      values: ['00501', '77030'],
      duplicates: 1,
      unreadable: ['7703', '77030-15'],
    })
  })
})

describe('pasted states', () => {
  it('may be names or two letters, in any case', () => {
    expect(parseStates('Oregon, tx; west  virginia | New\nYork, Virginia, OR').values).toEqual([
      'OR',
      'TX',
      'WV',
      'NY',
      'VA',
    ])
  })

  it('must be whole words', () => {
    expect(parseStates('Oregonian Texaco')).toEqual({ ...nothing, unreadable: ['Oregonian', 'Texaco'] })
  })
})

describe('pasted TINs', () => {
  it('lose their hyphens and keep their leading zeros', () => {
    expect(parseTins('01-2345678\n012345678 1- 12A')).toEqual({
      ...nothing,
      values: ['012345678'],
      duplicates: 1,
      unreadable: ['1-', '12A'],
    })
  })
})
