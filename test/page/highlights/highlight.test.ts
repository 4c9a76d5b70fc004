import { describe, expect, it } from 'vitest'
import type { ResultRow } from '../../../client/results/result-row.ts'
import { summaryWeights } from '../../../contract/summaries.ts'
import { highlightValues, locateHighlight, readHighlight } from '../../../page/highlights/highlight.ts'
import { compareCodes } from '../../../page/statistics/comparable-prices.ts'
import { groupPrices } from '../../../page/statistics/rate-groups.ts'
import { groupOf } from './any-group.ts'

const row = (facts: object) => ({ npi: 1003000126n, tin_type: 'ein', tin_value: '123456789', ...facts })

const rows = [
  row({ tin_business_name: 'Pier Clinic', provider_name: 'Ann Lee' }),
  row({ tin_business_name: 'Pier Clinic', provider_name: 'Bo Ray', npi: 1003000134n }),
  row({ tin_business_name: 'Pier Clinic North', tin_value: '223456789', npi: 0n }),
  row({ tin_business_name: null, provider_name: null, tin_value: '323456789', npi: 1003000142n }),
]

const labelOf = (text: string) => {
  const highlight = readHighlight(text, rows)
  return highlight?.kind === 'party' || highlight?.kind === 'amount' ? highlight.label : highlight
}

/** Returns the indices of the rows that a text highlights. */
const placesOf = (text: string) => {
  const highlight = readHighlight(text, rows)
  return highlight?.kind === 'party' ? rows.flatMap((each, index) => (highlight.has(each) ? index : [])) : highlight
}

describe('a highlight', () => {
  it('means nothing without a text', () => {
    expect(readHighlight('  ', rows)).toBeUndefined()
  })

  it.each(['12-3456789', '123456789', ' TIN 12-3456789 ', 'ein:123456789'])('finds a TIN: %s', (text) => {
    expect(labelOf(text)).toBe('Pier Clinic · TIN 12-3456789')
    expect(placesOf(text)).toEqual([0, 1])
  })

  it('finds an NPI, by the name of the provider', () => {
    expect(labelOf('1003000134')).toBe('Bo Ray · NPI 1003000134')
    expect(placesOf('NPI 1003000134')).toEqual([1])
    expect(labelOf('32-3456789')).toBe('TIN 32-3456789')
  })

  it('finds a TIN that is an NPI', () => {
    const solo = [row({ tin_type: 'npi', tin_value: '1003000150', npi: 1003000150n, provider_name: 'Cy Poe' })]
    expect(readHighlight('1003000150', solo)).toMatchObject({ label: 'Cy Poe · TIN 1003000150' })
  })

  it('finds a name by its words, and an exact name even if another contains it', () => {
    expect(placesOf('north pier')).toEqual([2])
    expect(placesOf('pier clinic')).toEqual([0, 1])
    expect(placesOf('ray')).toEqual([1])
  })

  it('takes the same name in other cases for one', () => {
    const shout = [...rows, row({ tin_business_name: null, provider_name: 'PIER CLINIC NORTH', npi: 1003000159n })]
    expect(readHighlight('north', shout)).toMatchObject({ kind: 'party', label: 'Pier Clinic North (2 TINs)' })
  })

  it('names all that match words of several names', () => {
    expect(readHighlight('pier', rows)).toEqual({ kind: 'ambiguous', names: ['Pier Clinic', 'Pier Clinic North'] })
  })

  it('counts the TINs of a name', () => {
    const two = [...rows, row({ tin_business_name: 'Pier Clinic', tin_value: '923456789' })]
    expect(readHighlight('pier clinic', two)).toMatchObject({ label: 'Pier Clinic (2 TINs)' })
  })

  it.each([
    ['98-7654321', 'No price of this result is agreed with TIN 987654321.'],
    ['1999999999', 'No price of this result is agreed with NPI 1999999999.'],
    ['dock', 'No provider or business of this result has all of these words in its name.'],
  ])('says in words that %s is not there', (text, reason) => {
    expect(readHighlight(text, rows)).toEqual({ kind: 'nothing', reason })
  })

  it.each([
    ['$1,240', 1240, ['usd', 'usd_per_day']],
    ['1240.50', 1240.5, ['usd', 'usd_per_day', 'percent_of_charges', 'unspecified']],
    ['$.5', 0.5, ['usd', 'usd_per_day']],
    ['85 %', 85, ['percent_of_charges']],
  ])('reads the amount %s in the units that it can be of', (text, amount, units) => {
    const highlight = readHighlight(text, rows)
    if (highlight?.kind !== 'amount') throw new TypeError(`${text} is not read as an amount`)
    expect(highlight.amount).toBe(amount)
    expect(['usd', 'usd_per_day', 'percent_of_charges', 'unspecified'].filter(highlight.isOf)).toEqual(units)
  })
})

describe('a highlight in a group', () => {
  const group = groupOf([10, 20, 30], { tin_value: '123456789' })

  it('consists of each price of the provider or business that is looked for', () => {
    const highlighted = locateHighlight(group, 'usd', readHighlight('12-3456789', rows))
    expect(highlighted?.range).toMatchObject({ least: { amount: 10 }, greatest: { amount: 30 }, count: 3 })
    expect([...(highlighted?.prices ?? [])]).toEqual(group.prices)
    expect(locateHighlight(group, 'usd', readHighlight('22-3456789', rows))).toBeUndefined()
  })

  it('tells the place of an amount in its unit', () => {
    expect(locateHighlight(group, 'usd', readHighlight('$15', rows))?.range.least).toMatchObject({
      lower: 1,
      higher: 2,
    })
    expect(locateHighlight(group, 'percent_of_charges', readHighlight('$15', rows))).toBeUndefined()
    expect(locateHighlight(group, 'usd', readHighlight('pier', rows))).toBeUndefined()
  })
})

/** Rows of a code: ten TINs, of which each has a price of its own with two providers. */
const rowsOf = (code: string): readonly ResultRow[] =>
  Array.from({ length: 20 }, (_, index) => ({
    ...{ payer: 'Acme', plan: 'Gold', billing_code_type: 'CPT', billing_code: code, rate_unit: 'usd' },
    ...{ negotiated_rate: (1 + (index >> 1)) * 10, negotiated_type: 'negotiated', tin_type: 'ein' },
    ...{ tin_value: String(100_000_000 + (index >> 1)), npi: BigInt(1_000_000_000 + index) },
    ...{ price_id: `${code}-${index >> 1}`, tin_business_name: `Practice ${index >> 1}` },
  }))

describe('a highlight in the matrix', () => {
  const rows = [...rowsOf('1'), ...rowsOf('2')]

  it.each(summaryWeights)('finds the same prices as in the strips, by weight: %s', (weight) => {
    for (const text of ['1000000003', '10-0000004', 'practice 7', '$55']) {
      const highlight = readHighlight(text, rows)
      const codes = compareCodes(rows, weight)
      expect(codes).toHaveLength(2)
      for (const { code, groups } of codes) {
        const [group] = groups
        const [strip] = groupPrices(
          rows.filter((row) => `CPT ${row['billing_code']}` === code),
          weight,
        )
        const cell = group && locateHighlight(group, 'usd', highlightValues(highlight, rows, weight))
        expect(cell?.range).toBeDefined()
        expect(cell?.range).toEqual(strip && locateHighlight(strip, 'usd', highlight)?.range)
      }
    }
  })

  it('highlights nothing if nothing is looked for, or nothing was found', () => {
    expect(highlightValues(undefined, rows, 'tins')).toBeUndefined()
    const highlight = readHighlight('nobody', rows)
    expect(highlightValues(highlight, rows, 'tins')).toBe(highlight)
  })
})
