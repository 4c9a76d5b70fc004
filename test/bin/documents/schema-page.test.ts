import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { describeColumns, describeSchema } from '../../../bin/documents/schema-page.ts'
import { ratesColumns } from '../../../schema/columns/rates.ts'
import { warehouseTables } from '../../../schema/columns/warehouse-tables.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/result-schema.md'), 'utf8')

it('the client’s meanings of columns are what npm run schema writes', () => {
  expect(readFileSync(join(import.meta.dirname, '../../../client/results/column-meanings.ts'), 'utf8')).toBe(
    describeColumns(),
  )
})

describe('docs/result-schema.md', () => {
  it('is what npm run schema writes', () => {
    expect(page).toBe(describeSchema())
  })

  it('has a row for every column, in order, with its type', () => {
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
