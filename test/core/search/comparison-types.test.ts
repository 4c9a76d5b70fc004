import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { feeSchedulesStatement } from '../../../core/own-relation/fee-schedules-relation.ts'
import { parseSearchRequest } from '../../../core/search/parse-search-request.ts'
import { selectStatement } from '../../../core/search/statement.ts'
import { contentIdColumn, sourceIdColumn } from '../../../schema/columns/column.ts'
import { allTables } from '../../../schema/columns/providers-table.ts'
import { ratesColumns } from '../../../schema/columns/rates.ts'
import { groupOfPrice, localRatesLocation } from '../../../schema/columns/rates-views.ts'
import { searchIdColumn } from '../../../schema/columns/search-tables.ts'
import { bucketColumn, pathColumn } from '../../../schema/columns/warehouse-tables.ts'
import { anyBody } from '../../builders/request-bodies.ts'
import { familyOfType, findTypeFaults, type TypeFamily } from './comparison-types.ts'

let connection: DuckDBConnection
beforeAll(async () => {
  connection = await (await DuckDBInstance.create()).connect()
})

/** The columns of the warehouse's tables, and the element of a list that a statement unnests. */
const columns: ReadonlyMap<string, TypeFamily> = new Map([
  ...allTables.flatMap((table) => table.columns.map(({ name, type }) => [name, familyOfType(type)] as const)),
  ...[bucketColumn.name, pathColumn, groupOfPrice, searchIdColumn.name].map((name) => [name, 'text'] as const),
])

const faultsOf = (select: string, known = columns) => findTypeFaults(connection, select, known)

const anyId = fc.string({ unit: fc.constantFrom('a', '0', '-'), minLength: 1, maxLength: 20 })
const anySources = fc.array(
  fc.record(
    { loadId: anyId, sourceId: anyId, files: fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 3 })) },
    { requiredKeys: ['loadId', 'sourceId'] },
  ),
  { maxLength: 5 },
)
const anyScope = fc.record(
  {
    files: fc.oneof(
      fc.record({ searchId: anyId }),
      fc.record({
        location: fc.constantFrom(localRatesLocation, 's3://rates/', "s3://rates/it's/"),
        sources: anySources,
        foldersOnly: fc.boolean(),
      }),
    ),
    nppesMonthId: anyId,
  },
  { requiredKeys: [] },
)

describe('the statement of a search', () => {
  it('compares columns only with values of their types, for any request and any content', async () => {
    const anySpread = fc.option(fc.integer({ min: 1, max: 100 }), { nil: undefined })
    await fc.assert(
      fc.asyncProperty(anyBody, anyId, anyScope, anySpread, async (body, contentId, scope, spread) => {
        const request = parseSearchRequest(body)
        const contents = request.feeSchedules.map(() => contentId)
        expect(await faultsOf(selectStatement(request, { ...scope, contents }, spread))).toEqual([])
      }),
    )
  })

  it.each([contentIdColumn, sourceIdColumn, bucketColumn.name, pathColumn])(
    'names the column %s, by which it skips files',
    async (name) => {
      const files = { location: localRatesLocation, sources: [{ loadId: 'l1', sourceId: 's1' }] }
      const request = { npis: [1_000_000_000], feeSchedules: [{ payer: 'Acme Health', plan: 'Gold' }] }
      const otherColumns = new Map([...columns].filter(([column]) => column !== name))
      const faults = await faultsOf(selectStatement(request, { contents: ['c1'], files }), otherColumns)
      expect(faults).toEqual([`column ${name} is missing`])
    },
  )

  it('names only the columns that an own relation has, and compares them with their types', async () => {
    const required = ratesColumns.filter((column) => column.required)
    const scope = { columns: required.map(({ name }) => name) }
    const requiredColumns = new Map(required.map(({ name, type }) => [name, familyOfType(type)]))
    await fc.assert(
      fc.asyncProperty(anyBody, async (body) => {
        const { providers: _, ...request } = parseSearchRequest(body)
        expect(await faultsOf(selectStatement(request, scope), requiredColumns)).toEqual([])
      }),
    )
  })
})

describe('the statement of an own relation’s fee schedules', () => {
  it('compares nothing and names no column', async () => {
    expect(await faultsOf(feeSchedulesStatement, new Map())).toEqual([])
  })
})

describe('the check of comparisons', () => {
  it.each([
    ['SELECT npis FROM rates', 'column npis is missing'],
    ["SELECT npi FROM rates WHERE npi = '1'", 'COMPARE_EQUAL of number, text'],
    ["SELECT npi FROM rates WHERE '1' < npi", 'COMPARE_LESSTHAN of text, number'],
    ["SELECT npi FROM rates WHERE expiration_date = '2025-12-31'", 'COMPARE_EQUAL of date, text'],
    ["SELECT npi FROM rates WHERE billing_code IN ('1', 99213)", 'COMPARE_IN of text, text, number'],
    ["SELECT npi FROM rates WHERE npi BETWEEN 1 AND '2'", 'COMPARE_BETWEEN of number, number, text'],
    ["SELECT npi FROM rates WHERE plan = 'a' OR (plan = 'b' AND npi = '1')", 'COMPARE_EQUAL of number, text'],
    [
      "SELECT npi FROM rates JOIN (SELECT payer FROM rates WHERE npi = '1') AS a ON true",
      'COMPARE_EQUAL of number, text',
    ],
    ['SELECT a.npi FROM rates AS a JOIN rates AS b ON a.npi = b.plan', 'COMPARE_EQUAL of number, text'],
    ["SELECT CASE WHEN npi = '1' THEN 1 END AS one FROM rates", 'COMPARE_EQUAL of number, text'],
    ['SELECT npi FROM rates WHERE CAST(npi AS varchar) = 1', 'COMPARE_EQUAL of text, number'],
  ])('reports: %s', async (select, fault) => {
    expect(await faultsOf(select)).toContain(fault)
  })

  it('accepts comparisons of a type with its own values or NULL', async () => {
    const conditions = ['npi IN (1, 5000000000, NULL)', "billing_code = '1'", 'negotiated_rate = 2', 'setting = NULL']
    const dates = "expiration_date = DATE '2026-01-01'"
    expect(await faultsOf(`SELECT npi FROM rates WHERE ${[...conditions, dates].join(' AND ')}`)).toEqual([])
  })
})
