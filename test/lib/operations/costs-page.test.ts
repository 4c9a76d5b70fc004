import { describe, expect, it } from 'vitest'
import { warehouseTables } from '../../../schema/columns/warehouse-tables.ts'
import { readText } from '../../templates/source-files.ts'

const [, costs = ''] = readText('docs/operations.md').split('## Cost of a million searches\n')
const [section = ''] = costs.split('\n## ')

const numberOf = (text = '') => Number(text.replace(/[~*,]/g, ''))

/** Returns the cells of the table whose head contains a text, row by row. */
function rowsOf(head: string): readonly (readonly string[])[] {
  const [, ...lines] = section.slice(section.indexOf(head)).split('\n')
  const end = lines.findIndex((line) => !line.startsWith('|'))
  return lines.slice(1, end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

describe('the costs page', () => {
  it('adds up the costs of a search', () => {
    const rows = rowsOf('| | per search |')
    const together = rows.findIndex(([name]) => name === '**together**')
    const sum = rows.slice(0, together).reduce((total, [, , dollars]) => total + numberOf(dollars), 0)
    expect(together).toBeGreaterThan(8)
    expect(Math.abs(sum - numberOf(rows[together]?.[2]))).toBeLessThan(2)
  })

  it('prices the requests of plans of many sources: $5 a million LIST, $0.40 a million GET', () => {
    const counted = rowsOf('| sources of the plan |').filter(([sources]) => /^[\d,]+$/.test(sources ?? ''))
    expect(counted.map(([sources]) => sources)).toEqual(['2', '10', '84', '1,000'])
    for (const [, lists, gets, dollars] of counted) {
      const exact = 5 * numberOf(lists) + 0.4 * numberOf(gets)
      expect(Math.abs(exact - numberOf(dollars)) / exact).toBeLessThan(0.005)
    }
  })

  it('counts one LIST for each folder of prices and groups if a search names no folders', () => {
    const last = rowsOf('| sources of the plan |').at(-1)
    const folders = warehouseTables
      .filter(({ name }) => name === 'negotiated_rates' || name === 'provider_groups')
      .reduce((sum, { buckets }) => sum + buckets, 0)
    expect(numberOf(last?.[1])).toBe(folders)
    expect(numberOf(last?.[3]?.replace(' and more', ''))).toBe(Math.round((5 * folders) / 1000) * 1000)
  })
})
