import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { selectStatement } from '../../../core/search/statement.ts'
import { quoteText } from '../../../local/athena/duckdb-sql.ts'
import { rewriteUnnestJoins } from '../../../local/athena/unnest-joins.ts'
import { ratesViewSelect } from '../../../schema/columns/rates-views.ts'

let connection: DuckDBConnection
beforeAll(async () => {
  connection = await (await DuckDBInstance.create(':memory:')).connect()
})

const rewrite = (select: string) => rewriteUnnestJoins(connection, select)
const rowsOf = async (select: string) => (await connection.runAndReadAll(select)).getRowsJson()

describe('a list that a SELECT unnests by a join', () => {
  it('moves to a SELECT of its table, at any depth', async () => {
    const unnested = 'FROM t AS a CROSS JOIN UNNEST(a.list) AS u (element)'
    const expected = 'FROM (SELECT *, unnest(a.list) AS element FROM t AS a) AS a'
    expect(await rewrite(`SELECT element ${unnested}`)).toBe(`SELECT element ${expected}`)
    const nested = await rewrite(
      `SELECT * FROM (WITH c AS (SELECT 1) SELECT element FROM c JOIN (SELECT element ${unnested}) AS b ON true)`,
    )
    expect(nested).toContain(`(SELECT element ${expected}) AS b`)
  })

  it.each([
    ['one NPI', { npis: [1003000126] }],
    ['codes', { billingCodes: ['99213'] }],
  ])('moves in each statement of the service: %s', async (_, lists) => {
    const feeSchedules = [{ payer: 'Acme Health', plan: 'Gold PPO' }]
    const statement = selectStatement({ ...lists, feeSchedules }, { contents: ['c'], nppesMonthId: 'm' })
    expect(await rewrite(statement)).not.toContain('groups_of_price')
    expect(await rewrite(ratesViewSelect())).not.toContain('groups_of_price')
  })

  it('gives the same rows in either place, for any lists', async () => {
    const list = fc.option(fc.array(fc.option(fc.integer({ min: -9, max: 9 })), { maxLength: 4 }))
    await fc.assert(
      fc.asyncProperty(fc.array(list, { minLength: 1, maxLength: 5 }), async (lists) => {
        const values = lists.map((each, row) => {
          const elements = each?.map((element) => element ?? 'NULL')
          return `(${row}, ${elements === undefined ? 'NULL' : `[${elements}]`}::integer[])`
        })
        const select = [
          `SELECT id, element, pairs.n FROM (SELECT * FROM (VALUES ${values}) AS v (id, list)) AS a`,
          'CROSS JOIN UNNEST(a.list) AS u (element)',
          'JOIN (VALUES (0), (1), (2)) AS pairs (n) ON a.id = pairs.n OR element = pairs.n ORDER BY ALL',
        ].join('\n')
        const rewritten = await rewrite(select)
        expect(rewritten).not.toContain('UNNEST(a.list) AS u')
        expect(await rowsOf(rewritten)).toEqual(await rowsOf(select))
      }),
      { numRuns: 50 },
    )
  })
})

describe('a SELECT', () => {
  it.each([
    'SELECT u.element FROM t AS a CROSS JOIN UNNEST(a.list) AS u (element)',
    'SELECT a.* FROM t AS a CROSS JOIN UNNEST(a.list) AS u (element)',
    'SELECT element FROM t AS a CROSS JOIN UNNEST(a.list, a.list) AS u (element, other)',
    'SELECT element FROM t AS a LEFT JOIN UNNEST(a.list) AS u (element) ON true',
    'SELECT element FROM t AS a JOIN s AS b ON a.x = b.x CROSS JOIN UNNEST(a.list) AS u (element)',
    'SELECT element FROM t AS a CROSS JOIN UNNEST([1, 2]) AS u (element)',
    'SELECT element FROM t AS a CROSS JOIN UNNEST(a.list) AS u (element) WHERE a.x = 9007199254740993',
    "SELECT 1 FROM t WHERE payer = 'a CROSS JOIN UNNEST(a.list) AS u (element)'",
  ])('stays as it is if its rows could differ or it unnests nothing: %s', async (select) => {
    expect(await rewrite(select)).toBe(select)
  })

  it('keeps texts that look like what is rewritten, whatever they contain', async () => {
    const construct = fc.constant('t AS a CROSS JOIN UNNEST(a.list) AS u (element)')
    const anyText = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'))
    await fc.assert(
      fc.asyncProperty(fc.oneof(construct, anyText), anyText, async (one, other) => {
        const text = `${one}${other}`.toWellFormed()
        const from = `(SELECT ${quoteText(text)} AS payer, [1, 2] AS list) AS a CROSS JOIN UNNEST(a.list) AS u (element)`
        const rewritten = await rewrite(
          `SELECT payer, element FROM ${from} WHERE payer = ${quoteText(text)} ORDER BY 2`,
        )
        expect(rewritten).toContain('SELECT *, unnest(a.list) AS element')
        expect(await rowsOf(rewritten)).toEqual([
          [text, 1],
          [text, 2],
        ])
      }),
    )
  })
})
