import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { completeSearch } from '../client.ts'
import { downloadRows } from '../shards.ts'

/** The example row of docs/result-values.md. */
function readExampleRow(): Readonly<Record<string, string>> {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/result-values.md'), 'utf8')
  const section = text.split(/^## /m).find((part) => part.startsWith('An example row')) ?? ''
  const cells = [...section.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)]
  return Object.fromEntries(cells.map(([, name, value = '']) => [name, value.replaceAll('\\|', '|')]))
}

/** A value as docs/result-values.md writes it. */
function showValue(value: unknown): string {
  if (value === null || value === undefined) return 'NULL'
  if (value instanceof Date) return value.toISOString().slice(0, 10)
  if (Array.isArray(value)) return `[${value.map(showValue).join(', ')}]`
  return String(value)
}

describe('the example row of docs/result-values.md', () => {
  it('occurs in a search of the sample data', async () => {
    const exampleRow = readExampleRow()
    const { payer = '', plan = '', npi, billing_code = '' } = exampleRow
    const search = { npis: [Number(npi)], billing_codes: [billing_code], fee_schedules: [{ payer, plan }] }
    const rows = await downloadRows(await completeSearch(search))
    const shown = rows.map((row) => ({
      ...Object.fromEntries(Object.entries(row).map(([name, value]) => [name, showValue(value)])),
      negotiated_rate: Number(row['negotiated_rate']).toFixed(4),
    }))
    expect(shown).toContainEqual(exampleRow)
  })
})
