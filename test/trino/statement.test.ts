import { join } from 'node:path'
import fc from 'fast-check'
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { filterOf } from '../../contract/filters.ts'
import { maxFeeSchedules, maxStatementBytes } from '../../contract/limits.ts'
import { listFiles } from '../../core/search/file-lists.ts'
import { parseSearchRequest } from '../../core/search/parse-search-request.ts'
import type { SearchRequest } from '../../core/search/search-request.ts'
import { selectStatement, unloadStatement } from '../../core/search/statement.ts'
import { trinoType } from '../../schema/columns/column.ts'
import { ratesColumns } from '../../schema/columns/rates.ts'
import { localRatesLocation } from '../../schema/columns/rates-views.ts'
import { resultColumns } from '../../schema/summary/result-columns.ts'
import { choice, dental, gold, silver } from '../conformance/samples.ts'
import { openFileLists } from '../local/athena/object-folder.ts'
import { openAthena, type TestAthena } from '../local/athena/test-athena.ts'
import { anyParts, isPartOf } from '../summaries/any-parts.ts'
import { edgeCodes, edgePlan } from './edge-files.ts'
import { hostileCodes, hostilePlan, inlineCode } from './hostile-file.ts'
import { describeRows, readParquetRows } from './rows.ts'
import { database, runOnTrino } from './run-on-trino.ts'
import { foldersOnTrino, listOnTrino, scopeOnTrino } from './stand-in/search-scope.ts'

const trino = inject('trino')
const scopeOf = (request: SearchRequest) => scopeOnTrino(trino, request)

/** The part of an IO plan about the tables that it reads. Source: Trino documentation, "EXPLAIN", type IO. */
const ioPlan = v.object({
  inputTableColumnInfos: v.array(
    v.object({
      table: v.object({ schemaTable: v.object({ table: v.string() }) }),
      constraint: v.object({ columnConstraints: v.array(v.object({ columnName: v.string() })) }),
    }),
  ),
})

let athena: TestAthena
let results = 0

beforeAll(async () => {
  athena = await openAthena({ warehouseFolder: join(trino.folder, 'warehouse') })
})

afterAll(() => athena.close())

/** The rows of the shards that the local Athena writes for a search. */
async function readShards(
  request: SearchRequest,
  way: 'lists' | 'folders' = 'lists',
  columns?: readonly string[],
): Promise<readonly string[]> {
  const result = results++
  const folders = foldersOnTrino(trino, request, localRatesLocation)
  const lists = openFileLists(athena.objects)
  const scope = way === 'folders' ? folders : await listFiles(lists, `search-${result}`, folders)
  const statement = unloadStatement(request, scope, `s3://results/${result}/`)
  return readParquetRows((await athena.unload(statement)).map(athena.objects.pathOf), columns)
}

async function readTrino(request: SearchRequest): Promise<readonly string[]> {
  return describeRows((await runOnTrino(trino.url, selectStatement(request, await scopeOf(request)))).rows)
}

describe('the view rates_current on a real Trino', () => {
  it('returns the rows of all loaded plans, hostile names among them', async () => {
    const feeSchedules = Object.keys(trino.contents).map((key) => {
      const [payer, plan] = v.parse(v.tuple([v.string(), v.string()]), JSON.parse(key))
      return { payer, plan }
    })
    const request = { feeSchedules }
    const select = selectStatement(request, await scopeOf(request))
    const expected = describeRows((await runOnTrino(trino.url, select)).rows)
    expect(expected.length).toBeGreaterThan(1000)
    // Names and places of providers are joined by searches alone.
    const items = ratesColumns.map(({ name, home }) =>
      home === 'providers' ? `CAST(NULL AS varchar) AS ${name}` : name,
    )
    const { rows } = await runOnTrino(trino.url, `SELECT ${items.join(', ')} FROM rates_current`)
    expect(describeRows(rows)).toEqual(expected)
  })
})

describe('the SELECT of a search on a real Trino', () => {
  it('returns the columns of a result, each of its type', async () => {
    const request = parseSearchRequest({ npis: [1000100002], fee_schedules: [gold] })
    const { columns } = await runOnTrino(trino.url, selectStatement(request, await scopeOf(request)))
    expect(columns.map(({ name, type }) => [name, type.replace(', ', ',')])).toEqual(
      ratesColumns.map(({ name, type }) => [name, trinoType(type)]),
    )
  })

  it('finds every row of a payer’s plans that is in the shards', async () => {
    const request = parseSearchRequest({
      billing_codes: ['99203', '99213', '450', '0450', '27447'],
      fee_schedules: [gold, silver],
    })
    const rows = await readTrino(request)
    expect(rows.length).toBeGreaterThan(1000)
    expect(await readShards(request)).toEqual(rows)
    const folders = selectStatement(request, foldersOnTrino(trino, request))
    expect(describeRows((await runOnTrino(trino.url, folders)).rows)).toEqual(rows)
  })

  it('finds rows whose names and codes contain any characters', async () => {
    const request = parseSearchRequest({ billing_codes: hostileCodes, fee_schedules: [hostilePlan] })
    const rows = await readTrino(request)
    expect(rows.length).toBeGreaterThanOrEqual(new Set(hostileCodes).size)
    expect(await readShards(request)).toEqual(rows)
  })

  it('finds the rows of inline provider groups', async () => {
    const request = parseSearchRequest({ billing_codes: [inlineCode], fee_schedules: [hostilePlan] })
    const rows = await readTrino(request)
    expect(rows).toHaveLength(40 * 130)
    expect(await readShards(request)).toEqual(rows)
  })

  it('finds the edge values of amounts, dates and texts', async () => {
    const request = parseSearchRequest({ billing_codes: edgeCodes, fee_schedules: [edgePlan] })
    const rows = await readTrino(request)
    expect(rows.length).toBeGreaterThanOrEqual(3 * 8)
    expect(rows.join('\n')).toContain('99999999999999.9999')
    expect(await readShards(request)).toEqual(rows)
  })

  it('finds exactly the rows of the shards, for any search', async () => {
    const npis = (await runOnTrino(trino.url, 'SELECT DISTINCT npi FROM provider_groups')).rows.flat().map(Number)
    const codes = (await runOnTrino(trino.url, 'SELECT DISTINCT billing_code FROM negotiated_rates')).rows.flat()
    const some = <Item>(items: readonly Item[]) =>
      fc.uniqueArray(fc.constantFrom(...items), { minLength: 1, maxLength: 8 })
    const anyNpis = some([0, 1999999999, ...npis])
    // Most codes of all plans are hostile ones of a single plan: of any codes, few would have rows.
    const anyCodes = fc.oneof(
      { weight: 3, arbitrary: some(['99203', '99213', '27447']) },
      some(['450', '0450', '1', 'CSTM-00', ...codes.map(String)]),
    )
    const plans = { fee_schedules: some([gold, silver, choice, dental, hostilePlan, edgePlan]) }
    const tins = (await runOnTrino(trino.url, 'SELECT DISTINCT tin_value FROM provider_groups')).rows.flat().map(String)
    const anyTins = some(['12', ...tins])
    const anyProviders = fc
      .record({ states: some(['TX', 'OK', 'PR']), zips: some(['77030', '73102']) }, { requiredKeys: [] })
      .filter((lists) => Object.keys(lists).length > 0)
    const filters = { npis: anyNpis, tins: anyTins, billing_codes: anyCodes, providers: anyProviders }
    const anyBody = fc.oneof(fc.record({ ...plans, billing_codes: anyCodes }), {
      weight: 3,
      arbitrary: fc
        .record({ ...plans, ...filters }, { requiredKeys: ['fee_schedules'] })
        .filter((body) => Object.keys(body).length > 1),
    })
    let found = 0
    await fc.assert(
      fc.asyncProperty(anyBody, async (body) => {
        const request = parseSearchRequest(body)
        const rows = await readTrino(request)
        found += rows.length
        expect(await readShards(request)).toEqual(rows)
        expect(await readShards(request, 'folders')).toEqual(rows)
      }),
      { numRuns: 60 },
    )
    expect(found).toBeGreaterThan(0)
  }, 600_000)

  it('finds as many rows of the shards as the limit allows, one beyond it, and only the columns of the request', async () => {
    const request = parseSearchRequest({ billing_codes: ['99203', '99213', '450'], fee_schedules: [gold, silver] })
    const seen = new Set<boolean>()
    await fc.assert(
      fc.asyncProperty(anyParts, async (parts) => {
        const names = resultColumns(parts).map(({ name }) => name)
        const all = await readShards(request, 'lists', names)
        const { limit = all.length } = parts
        const statement = selectStatement({ ...request, ...parts }, await scopeOf({ ...request, ...parts }))
        const { columns, rows } = await runOnTrino(trino.url, statement)
        const partition = parts.limit === undefined ? [] : ['shard']
        expect(columns.map(({ name }) => name)).toEqual([...names, ...partition])
        const found = describeRows(rows.map((row) => row.slice(0, names.length)))
        expect(isPartOf(found, all)).toBe(true)
        const positions = parts.limit === undefined ? rows.map(() => 0) : rows.map((row) => row.at(-1))
        expect(positions.filter((position) => position === 0)).toHaveLength(Math.min(limit, all.length))
        expect(positions.filter((position) => position === -1)).toHaveLength(all.length > limit ? 1 : 0)
        seen.add(all.length > limit)
      }),
      { numRuns: 15 },
    )
    expect(seen.size).toBe(2)
  }, 600_000)

  it('runs at the limits of a request', async () => {
    const feeSchedules = Array.from({ length: maxFeeSchedules - 1 }, (_, index) => ({
      // Each with a different payer and content, for the maximum number of alternatives.
      payer: `Payer ${index}`,
      plan: `Plan ${index}`,
    }))
    const body = {
      npis: Array.from({ length: filterOf('npis').limit }, (_, index) => 1000100002 + index),
      billing_codes: Array.from(
        { length: filterOf('billing_codes').limit - 1 },
        (_, index) => `Z${String(index).padStart(29, '0')}`,
      ).concat('99213'),
      fee_schedules: [...feeSchedules, gold],
    }
    const request = parseSearchRequest(body)
    const others = Array.from({ length: 300 }, (_, index) => ({
      loadId: 'l',
      sourceId: `${index}`.padStart(20, '0'),
    }))
    const { contents, files } = foldersOnTrino(trino, request)
    const sources = [...files.sources, ...others]
    const statement = selectStatement(request, { contents, files: { ...files, sources, foldersOnly: true } })
    expect(Buffer.byteLength(statement)).toBeGreaterThan(150_000)
    expect(Buffer.byteLength(statement)).toBeLessThan(maxStatementBytes)
    const { rows } = await runOnTrino(trino.url, statement)
    expect(rows.length).toBeGreaterThan(10)
    // A list names no content that does not exist.
    const listed = await listOnTrino(trino, { contents: contents.filter((id) => !id.startsWith('absent')), files })
    const listedStatement = selectStatement(request, { ...listed, contents })
    expect(describeRows((await runOnTrino(trino.url, listedStatement)).rows)).toEqual(describeRows(rows))
  })

  it.each([
    ['npi', { npis: [1000103675] }],
    ['tin_value', { tins: ['00-1551506'] }],
  ])(
    'passes the condition on %s down to the scan of provider_groups, which skips row groups by it',
    async (column, list) => {
      const request = parseSearchRequest({ ...list, fee_schedules: [choice] })
      const statement = selectStatement(request, await scopeOf(request))
      const [plan] = (await runOnTrino(trino.url, `EXPLAIN (TYPE IO, FORMAT JSON) ${statement}`)).rows.flat()
      const { inputTableColumnInfos: inputs } = v.parse(ioPlan, JSON.parse(String(plan)))
      const constrained = inputs
        .filter(({ table }) => table.schemaTable.table === 'search_provider_groups')
        .map(({ constraint }) => constraint.columnConstraints.map(({ columnName }) => columnName))
      expect(constrained.length).toBeGreaterThan(0)
      for (const columns of constrained) expect(columns).toContain(column)
    },
  )

  it('finds providers before it reads rates, and skips groups without any of them', async () => {
    const providers = { states: ['TX'], zips: ['77030'] }
    const request = parseSearchRequest({ providers, billing_codes: ['99213'], fee_schedules: [choice] })
    const { rows } = await runOnTrino(trino.url, `EXPLAIN ${selectStatement(request, await scopeOf(request))}`)
    const plan = rows.flat().join('\n')
    const [, filter = ''] = /InnerJoin\[criteria = \(npi = npi_\d+\)[\s\S]*?\{npi_\d+ -> (#df_\d+)\}/.exec(plan) ?? []
    expect(filter).not.toBe('')
    const scansOf = (table: string) =>
      plan.split('\n').filter((line) => line.includes(`table = awsdatacatalog:${database}:${table}`))
    // The groups of the sources are read twice: to look up the NPIs that NPPES must have, and to be joined.
    expect(scansOf('search_provider_groups')).toHaveLength(2)
    expect(scansOf('search_provider_groups').join('\n')).toMatch(
      new RegExp(`dynamicFilters = \\{[^}]*npi(?:_\\d+)? = ${filter}\\b`),
    )
    expect(scansOf('providers').join('\n')).toMatch(/provider_state = varchar 'TX'.*provider_zip = varchar '77030'/)
  })

  it('opens only the files of the searched content', async () => {
    const request = parseSearchRequest({ billing_codes: ['99213'], fee_schedules: [gold] })
    const { contents, files } = foldersOnTrino(trino, request)
    const statement = selectStatement(request, { contents, files })
    const ids = files.sources.map(({ sourceId }) => `'${sourceId}'`).join(', ')
    for (const table of ['negotiated_rates', 'provider_groups']) {
      const read = `SELECT DISTINCT "$path" FROM ${table} WHERE source_id IN (${ids})`
      const { rows } = await runOnTrino(trino.url, read)
      expect(rows.length).toBeGreaterThan(0)
      for (const path of rows.flat()) expect(statement).toContain(`'${path}'`)
    }
    const explained = await runOnTrino(trino.url, `EXPLAIN (TYPE IO, FORMAT JSON) ${statement}`)
    const constrained = v
      .parse(ioPlan, JSON.parse(String(explained.rows.flat()[0])))
      .inputTableColumnInfos.map(({ constraint }) => constraint.columnConstraints.map(({ columnName }) => columnName))
    expect(constrained).toHaveLength(3)
    for (const columns of constrained) expect(columns).toContain('$path')
  })
})
