import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommandLine } from '../../../client/cli/run.ts'
import type { Change } from '../../../client/results/compare-results.ts'
import { makeWorld } from './world.ts'

let folder: string
let connection: DuckDBConnection
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'diff-'))
  connection = await (await DuckDBInstance.create()).connect()
})
afterAll(() => rm(folder, { recursive: true }))

/** Writes a result of prices, each with one row for each of its providers. */
async function writeResult(name: string, prices: readonly (readonly [key: number, amount: number, rows: number])[]) {
  const path = join(folder, `${name}.parquet`)
  const values = prices.map(([key, amount, rows]) => `(${key}, ${amount}, ${rows})`).join() || '(NULL, NULL, 0)'
  await connection.run(`COPY (
    SELECT 'Acme' AS payer, 'Gold' AS plan, 'CPT' AS billing_code_type, '9921' || (key % 3) AS billing_code, '12345678' || (key % 2) AS tin_value,
      'usd' AS rate_unit, (amount / 100)::DECIMAL(18, 4) AS negotiated_rate, md5(key::VARCHAR) AS price_key
    FROM (VALUES ${values}) AS prices(key, amount, n), range(n)
  ) TO '${path}' (FORMAT parquet, COMPRESSION snappy)`)
  return path
}

async function run(...args: string[]) {
  const world = makeWorld()
  const code = await runCommandLine(['diff', ...args], world, '1.0.0')
  return { code, ...world.written }
}

const sideOf = (path: string) =>
  `SELECT price_key, any_value(billing_code)::VARCHAR AS code, list(DISTINCT negotiated_rate::DOUBLE ORDER BY negotiated_rate::DOUBLE) AS amounts FROM '${path}' GROUP BY price_key`

describe('rate-search diff', () => {
  it('names no plan of a price that several plans share', async () => {
    const paths = await Promise.all(
      [100, 110].map(async (amount) => {
        const path = join(folder, `shared-${amount}.parquet`)
        await connection.run(`COPY (
          SELECT 'Acme' AS payer, plan, 'CPT' AS billing_code_type, '99213' AS billing_code, '123456789' AS tin_value,
            'usd' AS rate_unit, CASE plan WHEN 'Gold' THEN 100 ELSE ${amount} END::DECIMAL(18, 4) AS negotiated_rate, key AS price_key
          FROM (VALUES ('Gold', 'shared'), ('Silver', 'shared'), ('Silver', 'own')) AS prices(plan, key)
        ) TO '${path}' (FORMAT parquet, COMPRESSION snappy)`)
        return path
      }),
    )
    const changes: readonly Change[] = JSON.parse((await run(...paths, '--json')).output)
    expect(changes.map((each) => [each.price_key, each.plan, each.old, each.new])).toEqual([
      ['own', 'Silver', [100], [110]],
      ['shared', null, [100], [100, 110]],
    ])
  })

  it('says how a file is compressed that the service did not write so', async () => {
    const path = join(folder, 'zstd.parquet')
    await connection.run(`COPY (SELECT 'a' AS price_key FROM range(9)) TO '${path}' (FORMAT parquet, COMPRESSION zstd)`)
    const { code, errors } = await run(path, path)
    expect([code, errors]).toEqual([
      1,
      `error: ${path} is compressed with ZSTD; files of a result are compressed with SNAPPY\n`,
    ])
  })

  it('finds what a full outer join finds', async () => {
    const price = fc.tuple(fc.nat({ max: 20 }), fc.constantFrom(0, 211, 8059, 28700), fc.integer({ min: 1, max: 3 }))
    await fc.assert(
      fc.asyncProperty(fc.array(price), fc.array(price), async (before, after) => {
        const [one, other] = [await writeResult('one', before), await writeResult('other', after)]
        const { output } = await run(one, other, '--json')
        const changes: readonly Change[] = JSON.parse(output)
        const joined = await connection.runAndReadAll(`
          SELECT CASE WHEN o.amounts IS NULL THEN 'added' WHEN n.amounts IS NULL THEN 'removed' ELSE 'changed' END AS change,
            price_key, coalesce(o.code, n.code), coalesce(o.amounts, []::DOUBLE[]), coalesce(n.amounts, []::DOUBLE[]),
            CASE WHEN len(o.amounts) = 1 AND len(n.amounts) = 1 AND o.amounts[1] <> 0
              THEN round(100 * (n.amounts[1] / o.amounts[1] - 1), 2) END
          FROM (${sideOf(one)}) o FULL JOIN (${sideOf(other)}) n USING (price_key)
          WHERE o.amounts IS DISTINCT FROM n.amounts ORDER BY price_key`)
        const found = changes
          .map((each) => [each.change, each.price_key, each.billing_code, each.old, each.new, each.percent])
          .sort((a, b) => (String(a[1]) < String(b[1]) ? -1 : 1))
        expect(found).toEqual(joined.getRowsJson())
      }),
      { numRuns: 40 },
    )
  })

  it('prints a table with totals, and writes all changes as Parquet', async () => {
    const older = await writeResult('older', [
      [1, 10_000, 2],
      [2, 5000, 1],
      [3, 700, 1],
    ])
    const newer = await writeResult('newer', [
      [1, 12_500, 1],
      [3, 700, 9],
      [4, 900, 1],
    ])
    const out = join(folder, 'changes.parquet')
    const { code, output } = await run(older, newer, '--out', out)
    expect(code).toBe(0)
    expect(output.split('\n').map((line) => line.replace(/ {2,}/g, ' | '))).toEqual([
      'CHANGE | PLAN | CODE | TIN | UNIT | OLD | NEW | PERCENT',
      'added | Gold | CPT 99211 | 123456780 | usd | 9',
      'changed | Gold | CPT 99211 | 123456781 | usd | 100 | 125 | 25 %',
      'removed | Gold | CPT 99212 | 123456780 | usd | 50',
      '',
      '1 price added, 1 removed, 1 changed',
      '',
    ])
    const written = await connection.runAndReadAll(`SELECT change, old, new, percent FROM '${out}'`)
    expect(written.getRowsJson()).toEqual([
      ['added', [], ['9.0000'], null],
      ['changed', ['100.0000'], ['125.0000'], 25],
      ['removed', ['50.0000'], [], null],
    ])
    const before = await readFile(out)
    expect((await run(older, newer, '--out', out)).errors).toContain(`--out: ${out} exists; name another file`)
    expect(await readFile(out)).toEqual(before)
  })

  it('tells amounts apart that a double does not, and prints and writes all of their digits', async () => {
    const paths = await Promise.all(
      ['99999999999999.9998', '99999999999999.9999'].map(async (amount, index) => {
        const path = join(folder, `exact-${index}.parquet`)
        await connection.run(`COPY (
          SELECT 'Acme' AS payer, 'Gold' AS plan, 'CPT' AS billing_code_type, '99213' AS billing_code, '123456789' AS tin_value,
            'usd' AS rate_unit, ${amount}::DECIMAL(18, 4) AS negotiated_rate, 'a key' AS price_key
        ) TO '${path}' (FORMAT parquet, COMPRESSION snappy)`)
        return path
      }),
    )
    const out = join(folder, 'exact-changes.parquet')
    const { output } = await run(...paths, '--out', out)
    expect(output).toMatch(/99999999999999\.9998 +99999999999999\.9999/)
    expect((await run(...paths, '--json')).output).toContain('"old":[99999999999999.9998],"new":[99999999999999.9999]')
    const written = await connection.runAndReadAll(`SELECT old, new FROM '${out}'`)
    expect(written.getRowsJson()).toEqual([[['99999999999999.9998'], ['99999999999999.9999']]])
  })

  it('refuses a price without an amount', async () => {
    const path = join(folder, 'no-amount.parquet')
    await connection.run(`COPY (
      SELECT 'a key' AS price_key, NULL::DECIMAL(18, 4) AS negotiated_rate) TO '${path}' (FORMAT parquet)`)
    expect(await run(path, path)).toMatchObject({ code: 1, errors: expect.stringContaining('negotiated_rate null') })
  })

  it('says so if a result has no keys, and what to give', async () => {
    const path = join(folder, 'old.parquet')
    await connection.run(`COPY (SELECT 1::DECIMAL(18, 4) AS negotiated_rate) TO '${path}' (FORMAT parquet)`)
    expect(await run(path, path)).toMatchObject({ code: 1, errors: expect.stringContaining('a row has no price_key') })
    expect(await run(path)).toMatchObject({ code: 2, errors: expect.stringContaining('give two results') })
  })
})
