import { describe, expect, it } from 'vitest'
import { parseCodes, parseNpis, parseTins, parseWritten } from '../../../page/form/pasted-values.ts'

const nothing = { values: [], duplicates: 0, unreadable: [], suspect: [] }

describe('pasted NPIs', () => {
  it.each([
    '1234567893\t1003000126',
    '1234567893,1003000126',
    '"1234567893";"1003000126"',
    '1234567893\r\n1003000126\r\n',
  ])('are read with any separators: %j', (text) => {
    expect(parseNpis(text)).toEqual({ ...nothing, values: ['1234567893', '1003000126'] })
  })

  it('are counted once, and those with a wrong check digit named', () => {
    expect(parseNpis('1234567890 1234567893 0 1234567890 0')).toEqual({
      ...nothing,
      values: ['1234567890', '1234567893', '0'],
      duplicates: 2,
      suspect: ['1234567890'],
    })
  })

  it('are never guessed', () => {
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

  it('are refused if they are longer than a code can be', () => {
    expect(parseCodes(`${'x'.repeat(64)} ${'y'.repeat(65)}`)).toEqual({
      ...nothing,
      values: ['X'.repeat(64)],
      unreadable: ['y'.repeat(65)],
    })
  })
})

describe('pasted ZIP codes', () => {
  it('keep their leading zeros, and have no +4', () => {
    expect(parseWritten(/^\d{5}$/)('00501 77030-1501, 00501')).toEqual({
      ...nothing,
      values: ['00501'],
      duplicates: 1,
      unreadable: ['77030-1501'],
    })
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
