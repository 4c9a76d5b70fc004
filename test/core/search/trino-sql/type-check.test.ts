import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { feeSchedulesStatement } from '../../../../core/own-relation/fee-schedules-relation.ts'
import { parseSearchRequest } from '../../../../core/search/search-request.ts'
import { unloadStatement } from '../../../../core/search/statement.ts'
import { loadIdColumn, trinoType } from '../../../../schema/columns/column.ts'
import { ratesColumns } from '../../../../schema/columns/rates.ts'
import { localRatesLocation, viewIdColumns } from '../../../../schema/columns/rates-views.ts'
import { anyBody } from '../../../builders/request-bodies.ts'
import { parseStatement } from './parser.ts'
import { checkSelect, checkUnload } from './type-check.ts'

const columns = new Map([
  ...ratesColumns.map(({ name, type }) => [name, trinoType(type)] as const),
  ...viewIdColumns.map((name) => [name, 'varchar'] as const),
])

/** Parses and checks a statement over `rates`, and returns the types of its columns. */
function check(text: string, known: ReadonlyMap<string, string> = columns): readonly string[] {
  const statement = parseStatement(text)
  const outputs = checkSelect(statement.kind === 'unload' ? statement.select : statement, known)
  if (statement.kind === 'unload') checkUnload(statement, outputs)
  return outputs.map(({ type }) => type)
}

const resultTypes = ratesColumns.map(({ type }) => trinoType(type))

const anyId = fc.string({ unit: fc.constantFrom('a', '0', '-'), minLength: 1, maxLength: 20 })
const anyLocation = fc.constantFrom(localRatesLocation, 's3://rates/', "s3://rates/it's/")
const anySources = fc.array(
  fc.record(
    { loadId: anyId, sourceId: anyId, files: fc.integer({ min: 1, max: 3 }) },
    { requiredKeys: ['loadId', 'sourceId'] },
  ),
  { maxLength: 5 },
)

describe('a search', () => {
  it('makes a statement that Trino takes, with the columns of a result, for any request and any content', () => {
    const anyFiles = fc.option(fc.record({ location: anyLocation, sources: anySources }), { nil: undefined })
    const anySpread = fc.option(fc.integer({ min: 1, max: 100 }), { nil: undefined })
    fc.assert(
      fc.property(anyBody, anyId, anyFiles, anySpread, (body, contentId, files, spread) => {
        const request = parseSearchRequest(body)
        const scope = { contents: request.feeSchedules.map(() => contentId), files }
        const types = check(unloadStatement(request, scope, 's3://bucket/results/', spread))
        expect(types).toEqual(spread === undefined ? resultTypes : [...resultTypes, 'integer'])
      }),
    )
  })

  it.each(viewIdColumns.filter((name) => name !== loadIdColumn))(
    'is refused over a view that lacks %s, by which it skips files',
    (name) => {
      const files = { location: localRatesLocation, sources: [{ loadId: 'l1', sourceId: 's1' }] }
      const request = { npis: [1_000_000_000], feeSchedules: [{ payer: 'Acme Health', plan: 'Gold' }] }
      const statement = unloadStatement(request, { contents: ['c1'], files }, 's3://bucket/results/')
      const lacking = new Map([...columns].filter(([column]) => column !== name))
      expect(() => check(statement, lacking)).toThrow(`Column '${name}' cannot be resolved`)
    },
  )

  it('makes a statement that Trino takes over a relation with only some of the columns', () => {
    const required = ratesColumns.filter((column) => column.required)
    const scope = { columns: required.map(({ name }) => name) }
    const own = new Map(required.map(({ name, type }) => [name, trinoType(type)]))
    fc.assert(
      fc.property(anyBody, (body) => {
        const { providers: _, ...request } = parseSearchRequest(body)
        const statement = unloadStatement(request, scope, 's3://bucket/results/')
        expect(check(statement, own)).toEqual(resultTypes)
      }),
    )
  })
})

it('selects an operator’s fee schedules by a statement that Trino takes', () => {
  expect(check(feeSchedulesStatement, new Map([['payer', 'varchar']]))).toEqual(['varchar'])
})

describe('a statement with unknown names or wrong types', () => {
  it.each([
    ['SELECT npis FROM rates', "COLUMN_NOT_FOUND: line 1:8: Column 'npis' cannot be resolved"],
    ['SELECT npi FROM rates ORDER BY npis', "COLUMN_NOT_FOUND: line 1:32: Column 'npis' cannot be resolved"],
    ["SELECT npi FROM rates WHERE npi = '1'", 'TYPE_MISMATCH: line 1:33: Cannot apply operator: bigint = varchar(1)'],
    ["SELECT npi FROM rates WHERE expiration_date = '2025-12-31'", 'Cannot apply operator: date = varchar(10)'],
    ["SELECT npi FROM rates WHERE billing_code IN ('1', 99213)", 'TYPE_MISMATCH: line 1:51: '],
    ["SELECT npi FROM rates WHERE plan = 'a' OR (plan = 'b' AND npi = '1')", 'TYPE_MISMATCH'],
    ['SELECT CAST(service_code AS varchar) AS codes FROM rates', 'Cannot cast array(varchar) to varchar'],
    ['SELECT CAST(expiration_date AS bigint) AS days FROM rates', 'Cannot cast date to bigint'],
    ["SELECT npi FROM rates WHERE expiration_date = DATE '2025-02-30'", 'INVALID_LITERAL'],
    [unloadOf('SELECT CAST(npi AS bigint) FROM rates'), 'Column name not specified at position 1'],
    [unloadOf('SELECT npi, npi FROM rates'), "Column name 'npi' specified more than once"],
    [unloadOf('SELECT NULL AS nothing FROM rates'), 'COLUMN_TYPE_UNKNOWN'],
    [unloadOf('SELECT npi, payer FROM rates', ", partitioned_by = ARRAY['npi']"), 'must be the last columns'],
  ])('is refused: %s', (statement, reason) => {
    expect(() => check(statement)).toThrow(reason)
  })

  it('excludes comparisons of a type with its own literals or NULL', () => {
    const conditions = ['npi IN (1, 5000000000, NULL)', "billing_code = '1'", 'negotiated_rate = 2', 'setting = NULL']
    expect(check(`SELECT npi FROM rates WHERE ${conditions.join(' AND ')}`)).toEqual(['bigint'])
  })
})

function unloadOf(select: string, properties = ''): string {
  return `UNLOAD (${select}) TO 's3://results/out/' WITH (format = 'PARQUET'${properties})`
}
