import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadSamples } from '../../../bin/samples/seed.ts'
import { hasCheckDigit } from '../../../contract/provider-ids.ts'
import { makeSamples } from '../../../local/samples/generator/make-samples.ts'
import {
  employerFiles,
  firstSearch,
  individualFiles,
  nppesPath,
  octoberFiles,
  sampleFiles,
  samplesFolder,
} from '../../../local/samples/sample-data.ts'
import { testMachine } from '../../builders/test-machine.ts'
import { createTestWarehouse } from '../../builders/test-warehouse.ts'
import { createMemorySpecialties } from '../../doubles/vocabulary/memory-specialties.ts'
import type { JsonRow } from '../json-row.ts'

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

  const textOf = (path: string) => {
    const bytes = readFileSync(path)
    return String(path.endsWith('.gz') ? gunzipSync(bytes) : bytes)
  }

  it('equal the output of the generator: run npm run samples', () => {
    const texts = makeSamples()
    expect(Object.keys(texts).map((name) => join(samplesFolder, name))).toEqual(
      expect.arrayContaining([...employerFiles, ...octoberFiles, nppesPath]),
    )
    const outdated = Object.entries(texts).filter(([name, text]) => textOf(join(samplesFolder, name)) !== text)
    expect(outdated.map(([name]) => name)).toEqual([])
  })

  it('take less than the allowed size', () => {
    const sizes = [...sampleFiles, ...octoberFiles, nppesPath].map((path) => statSync(path).size)
    expect(Math.max(...sizes)).toBeLessThan(60_000)
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(350_000)
  })

  it('load without findings as tens of thousands of rates in six fee schedules', () => {
    expect(findings).toEqual([])
    expect(rows.length).toBeGreaterThan(50_000)
    expect(new Set(rows.map((row) => `${row['payer']}/${row['plan']}`)).size).toBe(6)
  })

  it('contain every kind of code, unit and rate that the service distinguishes', () => {
    const valuesOf = (name: string) => [...new Set(rows.map((row) => row[name]))].sort()
    expect(valuesOf('billing_code_type')).toEqual(['CDT', 'CPT', 'CSTM-ALL', 'HCPCS', 'MS-DRG', 'RC'])
    expect(valuesOf('rate_unit')).toEqual(['percent_of_charges', 'usd', 'usd_per_day'])
    expect(valuesOf('billing_code_published')).toEqual(expect.arrayContaining(['450', '64', 'CSTM-00']))
    expect(valuesOf('npi')).toContain('0')
  })

  it('contain at least 200 prices for a visit in each of the employer’s plans, and prices for every code searched first', () => {
    for (const { payer, plan } of firstSearch.fee_schedules) {
      const pricesOf = (code: string) =>
        new Set(
          rows.flatMap((row) =>
            row['payer'] === payer && row['plan'] === plan && row['billing_code'] === code ? [row['price_id']] : [],
          ),
        ).size
      expect(pricesOf('99213')).toBeGreaterThanOrEqual(200)
      for (const code of firstSearch.billing_codes) expect(pricesOf(code)).toBeGreaterThan(30)
    }
  })

  it('contain prices with each flag of the loader', () => {
    const flags = new Set(rows.flatMap((row) => (Array.isArray(row['flags']) ? row['flags'] : [])))
    expect([...flags].sort()).toEqual(['blanket', 'expired', 'outlier_high', 'outlier_low', 'placeholder'])
  })

  it('contain only NPIs with their check digit, lower than the first that CMS publishes, and no EIN that exists', () => {
    const texts = [...sampleFiles, ...octoberFiles].map(textOf)
    const numbersIn = (lists: RegExp) =>
      texts.flatMap((text) => [...text.matchAll(lists)].flatMap(([, list]) => list ?? []))
    const npis = new Set(numbersIn(/"npi":\[([\d,]+)\]/g).flatMap((list) => list.split(',').map(Number)))
    expect(npis.size).toBeGreaterThan(1_500)
    expect([...npis].filter((npi) => !hasCheckDigit(npi))).toEqual([])
    expect([...npis].filter((npi) => npi !== 0 && (npi < 1_000_000_000 || npi >= 1_003_000_126))).toEqual([])
    expect(numbersIn(/"tin":\{"type":"ein","value":"(\d\d)/g).filter((prefix) => prefix !== '00')).toEqual([])
  })

  it('publish plans for individuals as plain JSON, which people can read', () => {
    for (const path of individualFiles) expect(() => JSON.parse(readFileSync(path, 'utf8'))).not.toThrow()
  })
})

describe('the samples of a first start', () => {
  const key = ({ payer, plan }: { readonly payer: string; readonly plan: string }) => `${payer}/${plan}`

  // A start that was interrupted before it had created the organizations loads the samples again.
  it.each([1, 2])(
    'give a history when loaded %i times: October was loaded in October, and November now',
    async (times) => {
      await using warehouse = await createTestWarehouse()
      const now = new Date('2026-11-24T12:00:00Z')
      let ids = 0
      for (let time = 0; time < times; time++)
        await loadSamples({
          warehouse: warehouse.folder,
          catalogue: warehouse.catalogue,
          contents: warehouse.contents,
          records: warehouse.records,
          codeNames: warehouse.codeNames,
          specialties: createMemorySpecialties(),
          machine: testMachine(),
          newId: () => `id-${ids++}`,
          now: () => now,
        })
      const entries = await warehouse.catalogue.find(firstSearch.fee_schedules)
      expect(entries.map(key).toSorted()).toEqual(firstSearch.fee_schedules.map(key).toSorted())
      for (const { history, state } of entries) {
        expect(history).toMatch(/^2026-10-05-;2026-11-24\w/)
        expect(state).toMatchObject({ status: 'active', loadedAt: '2026-11-24T12:00:00.000+00:00' })
      }
      const months = await warehouse.contents.readNppesMonths()
      expect(months?.active).toMatchObject({ month: '2026-11' })
      expect(months?.active?.rows).toBeGreaterThan(1_500)
    },
  )
})
