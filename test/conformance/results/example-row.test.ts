import { parquetReadObjects } from 'hyparquet'
import { describe, expect, it } from 'vitest'
import { exampleRow } from '../../../bin/documents/schema-examples.ts'
import { completeSearch } from '../client.ts'
import { downloadAll } from '../shards.ts'

/** A value as docs/result-schema.md writes it. */
function showValue(value: unknown): string {
  if (value === null || value === undefined) return 'NULL'
  if (value instanceof Date) return value.toISOString().slice(0, 10)
  if (Array.isArray(value)) return `[${value.map(showValue).join(', ')}]`
  return String(value)
}

describe('the example row of docs/result-schema.md', () => {
  it('is a row of a search in the sample data', async () => {
    const { payer, plan, npi, billing_code } = exampleRow
    const search = { npis: [Number(npi)], billing_codes: [billing_code], fee_schedules: [{ payer, plan }] }
    const files = await downloadAll(await completeSearch(search))
    const rows = (await Promise.all(files.map((file) => parquetReadObjects({ file })))).flat()
    const shown = rows.map((row) => ({
      ...Object.fromEntries(Object.entries(row).map(([name, value]) => [name, showValue(value)])),
      negotiated_rate: Number(row['negotiated_rate']).toFixed(4),
    }))
    expect(shown).toContainEqual(exampleRow)
  })
})
