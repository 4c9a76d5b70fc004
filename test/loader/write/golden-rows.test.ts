import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createTestWarehouse } from '../../builders/test-warehouse.ts'
import { flattenNaively, sortRows } from '../naive-flattening.ts'

const fixtures = join(import.meta.dirname, '../../fixtures/price-transparency')

const samples = [
  { name: 'in-network-rates-fee-for-service-single-plan-sample', rows: 50, payer: 'ACME Issuer', plan: 'Plan A PPO' },
  { name: 'in-network-rates-bundle-single-plan-sample', rows: 20 },
  { name: 'in-network-rates-multiple-plans-sample', rows: 60, payer: 'cms', given: { plan: 'Plan B' } },
]

describe('the samples of CMS', () => {
  it.each(samples)('$name flattens to $rows rows', async ({ name, rows, given }) => {
    await using warehouse = await createTestWarehouse()
    const path = join(fixtures, `${name}.json`)
    const report = await warehouse.load({ files: [path], ...given })
    const found = await warehouse.readRates()
    const [entry] = warehouse.listNames()
    expect(found).toHaveLength(rows)
    expect(report.files).toMatchObject([{ rates: rows, findings: [] }])
    const names = { payer: entry?.payer ?? '', plan: entry?.plan ?? '', sourceFile: `${name}.json` }
    expect(found).toEqual(flattenNaively(await readFile(path, 'utf8'), names))
  })

  it('flatten to exactly the rows stored with the fixture for fee for service', async () => {
    await using warehouse = await createTestWarehouse()
    const name = join(fixtures, 'in-network-rates-fee-for-service-single-plan-sample')
    await warehouse.load({ files: [`${name}.json`] })
    expect(await warehouse.readRates()).toEqual(sortRows(JSON.parse(await readFile(`${name}.rows.json`, 'utf8'))))
  })

  it('flatten to the same rows when gzipped, or with a byte order mark', async () => {
    const text = await readFile(join(fixtures, 'in-network-rates-bundle-single-plan-sample.json'))
    await using plain = await createTestWarehouse()
    await using gzipped = await createTestWarehouse()
    await using marked = await createTestWarehouse()
    await plain.load({ files: [await plain.write('rates.json', text)] })
    await gzipped.load({ files: [await gzipped.write('rates.json', gzipSync(text))] })
    await marked.load({ files: [await marked.write('rates.json', Buffer.concat([Buffer.from('\ufeff'), text]))] })
    const rows = await plain.readRates()
    expect(await gzipped.readRates()).toEqual(rows)
    const withoutId = ({ price_id: _, ...row }: Record<string, unknown>) => row
    expect((await marked.readRates()).map(withoutId)).toEqual(rows.map(withoutId))
  })
})
