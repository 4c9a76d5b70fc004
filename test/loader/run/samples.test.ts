import { readFile, stat } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasCheckDigit } from '../../../contract/provider-ids.ts'
import { canonicalBillingCode } from '../../../core/search/billing-code.ts'
import { largeSearch, type SampleSearch, sampleFiles, smallSearch } from '../../../local/samples/sample-data.ts'
import { createTestWarehouse } from '../../builders/test-warehouse.ts'
import type { JsonRow } from '../naive-flattening.ts'

describe('the sample files', () => {
  const stack = new AsyncDisposableStack()
  let rows: readonly JsonRow[] = []
  let findings: readonly unknown[] = []

  beforeAll(async () => {
    const warehouse = stack.use(await createTestWarehouse())
    const report = await warehouse.load({ files: sampleFiles })
    findings = report.files.flatMap((file) => file.findings)
    rows = await warehouse.readRates()
  })

  afterAll(() => stack.disposeAsync())

  const find = ({ npis, billing_codes, fee_schedules }: SampleSearch) =>
    rows.filter(
      (row) =>
        fee_schedules.some(({ payer, plan }) => payer === row['payer'] && plan === row['plan']) &&
        (npis?.map(String).includes(String(row['npi'])) ?? true) &&
        (billing_codes
          ?.map((code) => canonicalBillingCode(String(row['billing_code_type']), code))
          .includes(String(row['billing_code'])) ??
          true),
    )

  it('take less than the allowed size', async () => {
    const sizes = await Promise.all(sampleFiles.map(async (path) => (await stat(path)).size))
    expect(Math.max(...sizes)).toBeLessThan(60_000)
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(300_000)
  })

  it('load without findings as tens of thousands of rates in four fee schedules', () => {
    expect(findings).toEqual([])
    expect(rows.length).toBeGreaterThan(30_000)
    expect(new Set(rows.map((row) => `${row['payer']}/${row['plan']}`)).size).toBe(4)
  })

  it('contain every kind of code, unit and rate that the service distinguishes', () => {
    const valuesOf = (name: string) => [...new Set(rows.map((row) => row[name]))].sort()
    expect(valuesOf('billing_code_type')).toEqual(['CDT', 'CPT', 'CSTM-ALL', 'HCPCS', 'MS-DRG', 'RC'])
    expect(valuesOf('rate_unit')).toEqual(['percent_of_charges', 'usd', 'usd_per_day'])
    expect(valuesOf('billing_code_published')).toEqual(expect.arrayContaining(['450', '64', 'CSTM-00']))
    expect(valuesOf('npi')).toContain('0')
  })

  it('give the small search a handful of rows and the large one thousands', () => {
    expect(find(smallSearch)).toHaveLength(16)
    expect(find(largeSearch).length).toBeGreaterThan(3000)
  })

  it('contain only NPIs with their check digit, lower than the first that CMS publishes, and no EIN that exists', async () => {
    const texts = await Promise.all(sampleFiles.map((path) => readFile(path, 'utf8')))
    const numbersIn = (lists: RegExp) =>
      texts.flatMap((text) => [...text.matchAll(lists)].flatMap(([, list]) => list ?? []))
    const npis = new Set(numbersIn(/"npi":\[([\d,]+)\]/g).flatMap((list) => list.split(',').map(Number)))
    expect(npis.size).toBe(449)
    expect([...npis].filter((npi) => !hasCheckDigit(npi))).toEqual([])
    expect([...npis].filter((npi) => npi !== 0 && (npi < 1_000_000_000 || npi >= 1_003_000_126))).toEqual([])
    expect(numbersIn(/"tin":\{"type":"ein","value":"(\d\d)/g).filter((prefix) => prefix !== '00')).toEqual([])
  })
})
