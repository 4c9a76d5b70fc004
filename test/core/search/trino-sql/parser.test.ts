import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ContentSource } from '../../../../core/catalogue/content.ts'
import { selectStatement, unloadStatement } from '../../../../core/search/statement.ts'
import { ratesColumns } from '../../../../schema/columns/rates.ts'
import { localRatesLocation } from '../../../../schema/columns/rates-views.ts'
import { parseStatement } from './parser.ts'
import type { Condition } from './syntax.ts'

const request = {
  npis: [1_000_000_000, 0],
  billingCodes: ['0450', '99213'],
  feeSchedules: [
    { payer: "O'Neil", plan: 'Gold' },
    { payer: "O'Neil", plan: 'Silver' },
  ],
}

const sources: readonly ContentSource[] = [
  { loadId: 'l1', sourceId: 's1' },
  { loadId: 'l1', sourceId: 's2', files: 2 },
]

const scope = { contents: ['c1', 'c2'], files: { location: localRatesLocation, sources } }

/** The column and values of an IN; none for another condition. */
const readList = (condition: Condition): readonly (readonly [string, readonly unknown[]])[] =>
  condition.kind === 'in'
    ? [[condition.column.name, condition.literals.map((literal) => ('value' in literal ? literal.value : null))]]
    : []

describe('the grammar', () => {
  it('accepts the statements of the service', () => {
    const unload = parseStatement(unloadStatement(request, scope, 's3://bucket/a/b/'))
    const select = parseStatement(selectStatement(request, scope))
    expect(unload).toMatchObject({
      destination: { bucket: 'bucket', key: 'a/b/' },
      compression: 'SNAPPY',
      partitionedBy: [],
      select: { items: ratesColumns.map(({ name }) => ({ alias: name })), relation: { name: 'rates' } },
    })
    expect(select).toMatchObject({ kind: 'select', where: { kind: 'and' } })
  })

  it('finds a list for each column by which a search skips files, with their folders, ids and addresses', () => {
    const statement = parseStatement(selectStatement(request, scope))
    const where = statement.kind === 'select' ? statement.where : undefined
    const lists = new Map((where?.kind === 'and' ? where.terms : []).flatMap(readList))
    const [contents, buckets] = [lists.get('content_bucket') ?? [], lists.get('source_bucket') ?? []]
    expect([...contents, ...buckets]).toEqual(Array(4).fill(expect.stringMatching(/^\d+$/)))
    const pathsIn = (table: string) =>
      sources.flatMap(({ loadId, sourceId, files = 1 }, index) =>
        Array.from(
          { length: files },
          (_, file) =>
            `local:///warehouse/${table}/bucket=${buckets[index]}/${sourceId}.${loadId}.${String(file).padStart(5, '0')}.parquet`,
        ),
      )
    expect(Object.fromEntries(lists)).toMatchObject({
      content_id: ['c1', 'c2'],
      source_id: ['s1', 's2'],
      fee_schedule_sources_path: ['c1', 'c2'].map(
        (id, index) => `local:///warehouse/fee_schedule_sources/bucket=${contents[index]}/${id}.00000.parquet`,
      ),
      negotiated_rates_path: pathsIn('negotiated_rates'),
      provider_groups_path: pathsIn('provider_groups'),
    })
  })

  it('accepts the statement that spreads rows over partitions, with all result columns', () => {
    const unload = parseStatement(unloadStatement(request, { contents: ['c1', 'c2'] }, 's3://bucket/a/', 12))
    const items = [...ratesColumns.map(({ name }) => name), 'shard'].map((alias) => ({ alias }))
    expect(unload).toMatchObject({ partitionedBy: ['shard'], select: { items } })
  })

  it.each([
    'select * from rates',
    'SELECT npi FROM "rates" WHERE npi IN (1, 2) ORDER BY npi DESC, plan LIMIT 10',
    'SELECT CAST(NULL AS array(varchar)) AS modifiers FROM warehouse.rates',
    'SELECT CAST(NULL AS varchar ARRAY) AS modifiers FROM "ware house"."rates"',
    "SELECT npi FROM rates WHERE expiration_date = DATE '2026-01-01' OR (npi = 1 AND plan = NULL)",
    "UNLOAD (SELECT CAST(floor(random() * 7) AS integer) AS shard FROM rates) TO 's3://b/' WITH (format = 'parquet')",
  ])('takes %s', (statement) => {
    expect(() => parseStatement(statement)).not.toThrow()
  })

  it.each([
    ['', "line 1:1: mismatched input '<EOF>'"],
    ['SELEC npi FROM rates', "line 1:1: mismatched input 'selec'"],
    ['SELECT npi\nFORM rates', "line 2:1: mismatched input 'form'"],
    ['SELECT npi FROM rates WHERE plan = "Gold"', "line 1:36: mismatched input 'gold'"],
    ["SELECT npi FROM rates WHERE plan = 'Gold", "line 1:36: mismatched input '''"],
    ['SELECT npi FROM rates; DROP TABLE rates', "line 1:22: mismatched input ';'"],
    ['SELECT npi FROM rates WHERE npi IN ()', "line 1:37: mismatched input ')'"],
    ['SELECT npi FROM rates WHERE npi = 99999999999999999999', 'Invalid numeric literal: 99999999999999999999'],
    ['SELECT npi FROM rates WHERE npi > 1', "line 1:33: mismatched input '>'"],
    ['SELECT count(npi) FROM rates', "line 1:13: mismatched input '('"],
    ['SELECT npi FROM rates JOIN plans', "line 1:23: mismatched input 'join'"],
    ["SELECT npi FROM read_parquet('/etc/passwd')", "line 1:29: mismatched input '('"],
    ['SELECT CAST(npi AS double) AS npi FROM rates', "line 1:20: mismatched input 'double'"],
    ['SELECT CAST(npi AS decimal(39,4)) AS npi FROM rates', 'decimal(39,4) is not a valid type'],
    ["UNLOAD (SELECT * FROM rates) TO 's3://b/' WITH (format = 'PARQUET')", 'named columns'],
    ["UNLOAD (SELECT npi FROM rates) TO 's3://b/a' WITH (format = 'PARQUET')", 's3://bucket/prefix/'],
    ["UNLOAD (SELECT npi FROM rates) TO '/tmp/' WITH (format = 'PARQUET')", 's3://bucket/prefix/'],
    ["UNLOAD (SELECT npi FROM rates) TO 's3://b/' WITH (format = 'CSV')", "format = 'CSV'"],
    ["UNLOAD (SELECT npi FROM rates) TO 's3://b/' WITH (compression = 'ZSTD')", 'needs the property format'],
    ["UNLOAD (SELECT npi FROM rates) TO 's3://b/'", "mismatched input '<EOF>'"],
    [`SELECT npi FROM rates WHERE ${'('.repeat(200_000)}`, 'nested too deeply'],
    [`SELECT ${'CAST('.repeat(50_000)}`, 'nested too deeply'],
  ])('refuses %.80s', (statement, complaint) => {
    expect(() => parseStatement(statement)).toThrow(complaint)
  })

  it('reads any quoted text unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const statement = parseStatement(`SELECT npi FROM rates WHERE plan = '${text.replaceAll("'", "''")}'`)
        expect(statement).toMatchObject({ where: { literal: { value: text } } })
      }),
    )
  })

  it('refuses any other text with a MalformedQuery', () => {
    const word = fc.constantFrom(
      'SELECT',
      'npi',
      ',',
      'FROM',
      'rates',
      'WHERE',
      '=',
      '1',
      "'x'",
      '(',
      ')',
      'IN',
      'AND',
      '"',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(word, fc.string()), { maxLength: 12 }), (words) => {
        let name = 'MalformedQuery'
        try {
          parseStatement(words.join(' '))
        } catch (error) {
          name = error instanceof Error ? error.constructor.name : String(error)
        }
        expect(name).toBe('MalformedQuery')
      }),
    )
  })
})
