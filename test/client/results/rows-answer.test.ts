import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseDecimal } from '../../../client/results/amounts.ts'
import { readExactRows } from '../../../client/results/rows-answer.ts'
import { Decimal } from '../../../parquet/decimal.ts'

describe('rows of an answer', () => {
  it('keep every digit of their decimals, and their other values', () => {
    const columns = [
      { name: 'rate', type: 'decimal(18,4)' },
      { name: 'code', type: 'varchar' },
    ]
    const [row, empty] = readExactRows({
      columns,
      rows: [
        { rate: '99999999999999.0001', code: '00123' },
        { rate: null, code: null },
      ],
    })
    expect(String(row?.['rate'])).toBe('99999999999999.0001')
    expect([row?.['rate'] instanceof Decimal, row?.['code'], empty]).toEqual([
      true,
      '00123',
      { rate: null, code: null },
    ])
  })

  it('keep the decimals that were written', () => {
    const decimals = fc.record({ unscaled: fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }), scale: fc.nat(6) })
    fc.assert(
      fc.property(decimals, ({ unscaled, scale }) => {
        const text = String(new Decimal(unscaled, scale))
        expect(String(parseDecimal(text))).toBe(text)
      }),
    )
  })
})
