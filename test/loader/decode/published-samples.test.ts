import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readTableOfContents } from '../../../loader/plans/table-of-contents.ts'
import { createTestWarehouse } from '../../builders/test-warehouse.ts'
import { flattenNaively } from '../naive-flattening.ts'

const folder = join(import.meta.dirname, '../../fixtures/price-transparency')
const fileNames = readdirSync(folder).filter((name) => name.endsWith('-sample.json'))
const textOf = (name: string) => readFileSync(join(folder, name), 'utf8')
const holds = (name: string, field: string) => Object.hasOwn(Object.assign({}, JSON.parse(textOf(name))), field)

/** Numbers of rows and sums of rates in ten-thousandths, computed independently of the loader and the flattening. */
const golden = new Map([
  ['in-network-rates-bundle-single-plan-sample.json', { rows: 20, sum: 4_500_000_000n }],
  ['in-network-rates-fee-for-service-single-plan-sample.json', { rows: 50, sum: 1_349_025_000n }],
  ['in-network-rates-multiple-plans-sample.json', { rows: 60, sum: 1_361_070_000n }],
])

const inTenThousandths = (rate: unknown) => BigInt(String(rate).replace('.', ''))
const sumOf = (rows: readonly Record<string, unknown>[]) =>
  rows.reduce((sum, row) => sum + inTenThousandths(row['negotiated_rate']), 0n)

describe('the published samples of CMS', () => {
  it.each(fileNames.filter((name) => holds(name, 'in_network')))(
    'load as the expected rows and rates: %s',
    async (name) => {
      await using warehouse = await createTestWarehouse()
      await warehouse.load({ files: [join(folder, name)], payer: 'CMS', plan: 'Sample' })
      const rows = await warehouse.readRates()
      expect({ rows: rows.length, sum: sumOf(rows) }).toEqual(golden.get(name))
      expect(rows).toEqual(flattenNaively(textOf(name), { payer: 'CMS', plan: 'Sample', sourceFile: name }))
    },
  )

  it.each(fileNames.filter((name) => holds(name, 'reporting_structure')))(
    'lists three plans with their files in %s',
    async (name) => {
      const contents = await readTableOfContents(join(folder, name), {})
      const plans = contents.plans.map(({ payer, plan, planId, files }) => [
        `${payer} / ${plan} (${planId?.value})`,
        files.map(({ location }) => location),
      ])
      const at = (file: string) => `https://www.some_site.com/files/${file}.json`
      const shared = [at('in-network-file-123456'), at('behavioral-health-0000')]
      expect(plans).toEqual([
        ['CMS / medicaid (1111111111)', shared],
        ['CMS / medicare (000000000)', shared],
        ['CMS / chip (3333333333)', [at('chip-in-network-file')]],
      ])
    },
  )

  it('include no kind of file without a test', () => {
    expect(fileNames.filter((name) => !golden.has(name))).toEqual(['table-of-contents-sample.json'])
  })
})
