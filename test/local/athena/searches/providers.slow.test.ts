import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GetQueryResultsCommand } from '@aws-sdk/client-athena'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SearchRequest } from '../../../../core/search/search-request.ts'
import { selectStatement } from '../../../../core/search/statement.ts'
import { loadNppes } from '../../../../loader/nppes/load-nppes.ts'
import { openWarehouseFolder } from '../../../../loader/publish/warehouse/warehouse-folder.ts'
import { type NppesLine, writeNppes } from '../../../../local/samples/generator/nppes-layout.ts'
import { ratesColumns } from '../../../../schema/columns/rates.ts'
import { createMemoryContents } from '../../../doubles/memory-contents.ts'
import { nppesLine } from '../../../loader/nppes/nppes-builder.ts'
import { openAthena, type TestAthena } from '../test-athena.ts'
import { loadSource } from '../warehouse-fixture.ts'

let athena: TestAthena
let folder: string

beforeEach(async () => {
  athena = await openAthena()
  folder = await mkdtemp(join(tmpdir(), 'nppes-'))
  await loadSource(athena.warehouseFolder, { sourceId: 's1', prices: 3, npis: 4 })
})

afterEach(async () => {
  await athena.close()
  await rm(folder, { recursive: true })
})

const request = { feeSchedules: [{ payer: 'Acme Health', plan: 'Gold PPO' }] }

/** Loads a month in which these NPIs have names. */
const loadMonth = (nppesMonthId: string, names: Readonly<Record<string, string>>) =>
  loadLines(
    nppesMonthId,
    Object.entries(names).map(([npi, organization]) => nppesLine({ npi, entityType: '2', organization })),
  )

async function loadLines(nppesMonthId: string, lines: readonly NppesLine[]): Promise<void> {
  const path = join(folder, 'npidata_pfile_20050523-20261109.csv')
  await writeFile(path, writeNppes(lines))
  const warehouse = openWarehouseFolder(athena.warehouseFolder)
  await loadNppes(
    { path },
    { warehouse, contents: createMemoryContents(), newId: () => nppesMonthId, now: () => new Date() },
  )
}

const search = async (asked: Partial<SearchRequest>, nppesMonthId?: string, joinOrder?: 'other') => {
  const sql = selectStatement({ ...request, ...asked }, { contents: ['s1'], nppesMonthId, joinOrder })
  const { QueryExecutionId, Status } = await athena.run(sql)
  if (Status?.State !== 'SUCCEEDED') throw new Error(Status?.StateChangeReason ?? 'no reason')
  const { ResultSet } = await athena.client.send(new GetQueryResultsCommand({ QueryExecutionId }))
  const rows = (ResultSet?.Rows ?? []).slice(1).map(({ Data = [] }) => Data.map(({ VarCharValue }) => VarCharValue))
  return rows.sort((a, b) => (a.join() < b.join() ? -1 : 1))
}

const ofRates = (rows: Awaited<ReturnType<typeof search>>) =>
  rows.map((row) => row.filter((_, at) => ratesColumns[at]?.home !== 'providers'))
const nameAt = ratesColumns.findIndex(({ name }) => name === 'provider_name')
const namesIn = (rows: Awaited<ReturnType<typeof search>>) =>
  Map.groupBy(rows, (row) => row[2])
    .entries()
    .map(([npi, npiRows]) => [npi, [...new Set(npiRows.map((row) => row[nameAt]))]])

describe('a search over rates and NPPES', () => {
  it('finds the same rows as without NPPES, each once, with the names that NPPES has', async () => {
    await loadMonth('r1', { 1000000001: 'First', 1000000003: 'Third', 1999999999: 'Nobody asked' })
    for (const request of [{}, { npis: [1000000000, 1000000001] }]) {
      const plainRows = await search(request)
      const rows = await search(request, 'r1')
      expect(ofRates(rows)).toEqual(ofRates(plainRows))
      expect(plainRows.every((row) => row[nameAt] === undefined)).toBe(true)
    }
    expect(Object.fromEntries(namesIn(await search({}, 'r1')))).toEqual({
      1000000000: [undefined],
      1000000001: ['First'],
      1000000002: [undefined],
      1000000003: ['Third'],
    })
  })

  it('finds the same rows in either order of joins', async () => {
    await loadMonth('r1', { 1000000001: 'First' })
    const rows = await search({})
    const codes = rows.flatMap((row) => row[ratesColumns.findIndex(({ name }) => name === 'billing_code')] ?? [])
    const npis = [1000000000, 1000000001]
    for (const lists of [{}, { npis }, { billingCodes: codes }, { npis, billingCodes: codes.slice(0, 1) }])
      for (const nppesMonthId of [undefined, 'r1']) {
        const expected = await search(lists, nppesMonthId)
        expect(expected.length).toBeGreaterThan(0)
        expect(await search(lists, nppesMonthId, 'other')).toEqual(expected)
      }
  })

  it('reads only the NPPES month that it names', async () => {
    await loadMonth('r1', { 1000000001: 'Old' })
    await loadMonth('r2', { 1000000001: 'New' })
    const request = { npis: [1000000001] }
    for (const [nppesMonthId, name] of [
      ['r1', 'Old'],
      ['r2', 'New'],
      ['r3', undefined],
    ] as const)
      expect(Object.fromEntries(namesIn(await search(request, nppesMonthId)))).toEqual({ 1000000001: [name] })
  })

  it('filters by states, ZIP codes and taxonomies: its rows are those of providers that match every list', async () => {
    const [states, zips, taxonomies] = [
      ['TX', 'pr', '', 'TX'],
      ['77030', '77030', '77030', '10115'],
      ['A', 'B', 'A', ''],
    ]
    // The fourth is abroad, so it has no ZIP code; 1000000003 has rates and is not in NPPES.
    const lines = [0, 1, 2].map((place) =>
      nppesLine(
        {
          npi: String(1000000000 + place),
          entityType: '2',
          state: states[place] ?? '',
          zip: zips[place] ?? '',
          ...(place === 2 && { country: 'DE' }),
        },
        { 'Healthcare Provider Taxonomy Code_1': `20${taxonomies[place]}R00000X` },
      ),
    )
    await loadLines('r1', lines)
    await loadLines('r2', [nppesLine({ npi: '1000000003', entityType: '2', state: 'TX', zip: '77030' })])
    const allRows = await search({}, 'r1')
    expect(new Set(allRows.map((row) => row[2])).size).toBe(4)
    const at = (column: string) => ratesColumns.findIndex(({ name }) => name === column)
    const optionalSubset = <Value>(...values: readonly Value[]) =>
      fc.option(fc.subarray([...values], { minLength: 1 }), { nil: undefined })
    const anyProviders = fc.record({
      states: optionalSubset('TX', 'PR', 'OK'),
      zips: optionalSubset('77030', '00501'),
      taxonomies: optionalSubset('20AR00000X', '20BR00000X', '20CR00000X'),
    })
    let rowCount = 0
    await fc.assert(
      fc.asyncProperty(anyProviders, optionalSubset(1000000000, 1000000001, 1000000003, 0), async (lists, npis) => {
        const providers = Object.fromEntries(Object.entries(lists).filter(([, values]) => values !== undefined))
        const rows = await search({ ...(npis && { npis }), providers }, 'r1')
        const isListed = (list: readonly string[] | undefined, value: string | undefined) =>
          list === undefined || (value !== undefined && list.includes(value))
        const expected = allRows.filter(
          (row) =>
            isListed(npis?.map(String), row[2]) &&
            isListed(lists.states, row[at('provider_state')]) &&
            isListed(lists.zips, row[at('provider_zip')]) &&
            isListed(lists.taxonomies, row[at('provider_taxonomy')]),
        )
        expect(rows).toEqual(expected)
        rowCount += rows.length
      }),
      { numRuns: 25 },
    )
    expect(rowCount).toBeGreaterThan(0)
  })
})
