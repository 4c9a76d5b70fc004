import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { describeColumns, describeSchema } from '../../../bin/documents/schema-page.ts'
import { describeSummarySchema } from '../../../bin/documents/summary-page.ts'
import { ratesColumns } from '../../../schema/columns/rates.ts'
import { warehouseTables } from '../../../schema/columns/warehouse-tables.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/result-schema.md'), 'utf8')

it('finds the client’s meanings of columns as npm run schema writes them', () => {
  expect(readFileSync(join(import.meta.dirname, '../../../client/results/column-meanings.ts'), 'utf8')).toBe(
    describeColumns(),
  )
})

describe('docs/result-schema.md', () => {
  it('equals the output of npm run schema', () => {
    expect(page).toBe(describeSchema())
  })

  it('describes every column in order, with its type', () => {
    const rows = [...page.matchAll(/^\| (\d+) \| `(\w+)` \| `([^`]+)` \| (yes|no) \|/gm)].map(([, ...cells]) => cells)
    expect(rows).toEqual(
      ratesColumns.map(({ name, type, nullable }, index) => [
        String(index + 1),
        name,
        type === 'varchar ARRAY' ? 'array(varchar)' : type,
        nullable ? 'yes' : 'no',
      ]),
    )
  })

  it.each(warehouseTables)('describes the table $name', ({ name, grain }) => {
    expect(page).toContain(`| \`${name}\` | ${grain} |`)
  })
})

describe('docs/summary-schema.md', () => {
  it('equals the output of npm run schema', () => {
    expect(readFileSync(join(import.meta.dirname, '../../../docs/summary-schema.md'), 'utf8')).toBe(
      describeSummarySchema(),
    )
  })
})
