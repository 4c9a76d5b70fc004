import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommandLine } from '../../../client/cli/run.ts'
import type { Comparison } from '../../../client/results/comparison/compare-results.ts'
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
  const code = await runCommandLine(['diff', '--unknown-requests', ...args], world, '1.0.0')
  return { code, ...world.written }
}

const readJson = async (...paths: string[]): Promise<Comparison & { readonly sentence: string }> =>
  JSON.parse((await run(...paths, '--json')).output)

const sideOf = (path: string) =>
  `SELECT price_key, any_value(billing_code)::VARCHAR AS code, list(DISTINCT negotiated_rate::DOUBLE ORDER BY negotiated_rate::DOUBLE) AS amounts FROM '${path}' GROUP BY price_key`

describe('rate-search diff', () => {
  it('tells plans apart that share the key of a price', async () => {
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
    const { sentence, plans, changes } = await readJson(...paths)
    expect(sentence).toBe('The median change is +10\u00a0% in Silver and 0\u00a0% in Gold: 2 of 3 prices changed.')
    expect(plans).toMatchObject([
      { plan: 'Gold', changed: 0, unchanged: 1 },
      { plan: 'Silver', changed: 2, unchanged: 0 },
    ])
    expect(changes.map((each) => [each.price_key, each.plan, each.old, each.new])).toEqual([
      ['own', 'Silver', [100], [110]],
      ['shared', 'Silver', [100], [110]],
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
        const { changes } = await readJson(one, other)
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

  it('prints a sentence before a table, and writes all changes as Parquet', async () => {
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
      'Half of the prices of Gold did not change: 1 of 2 changed, by +25\u00a0% in the median.',
      '1 price was added and 1 price was removed; the median leaves them out.',
      '',
      'CHANGE | PERCENT | OLD | NEW | BILLING_CODE | TIN_VALUE',
      'changed | +25\u00a0% | 100 | 125 | 99211 | 123456781',
      'added | - | - | 9 | 99211 | 123456780',
      'removed | - | 50 | - | 99212 | 123456780',
      'All 3 changes have: usd, Gold, Acme, CPT',
      '',
    ])
    const written = await connection.runAndReadAll(`SELECT change, old, new, percent FROM '${out}'`)
    expect(written.getRowsJson()).toEqual([
      ['changed', ['100.0000'], ['125.0000'], 25],
      ['added', [], ['9.0000'], null],
      ['removed', ['50.0000'], [], null],
    ])
    const before = await readFile(out)
    expect((await run(older, newer, '--out', out)).errors).toContain(`--out: ${out} exists; name another file`)
    expect(await readFile(out)).toEqual(before)
  })

  it('prints the first 20 changes, and all of them if asked', async () => {
    const prices = (amount: number) => Array.from({ length: 23 }, (_, key) => [key, amount + key, 1] as const)
    const paths = [await writeResult('old-prices', prices(100)), await writeResult('new-prices', prices(200))]
    const short = (await run(...paths)).output
    expect(short.match(/^changed /gm)).toHaveLength(20)
    expect(short).toContain('3 more: --all prints them, --csv and --json print every column, --out writes Parquet')
    const long = (await run(...paths, '--all')).output
    expect(long.match(/^changed /gm)).toHaveLength(23)
    expect(long).not.toContain('more:')
  })

  it('prints all changes as CSV for a spreadsheet', async () => {
    const paths = [await writeResult('old-csv', [[1, 1000, 1]]), await writeResult('new-csv', [[1, 1250, 1]])]
    const [header = '', line = '', ...others] = (await run(...paths, '--csv')).output.split('\n')
    expect(header).toMatch(/^change,percent,old,new,rate_unit,billing_code,name,.*,price_key$/)
    expect(line).toMatch(/^changed,25,10,12\.5,usd,"=""99211""",/)
    expect(others).toEqual([''])
    expect(await run(...paths, '--csv', '--json')).toMatchObject({
      code: 2,
      errors: expect.stringContaining('--csv and --json exclude each other'),
    })
  })

  it('compares two summaries by the medians of their rows', async () => {
    const writeSummary = async (name: string, rows: string) => {
      const path = join(folder, `${name}.parquet`)
      await connection.run(`COPY (
        SELECT 'Acme' AS payer, plan, code AS billing_code, 'usd' AS rate_unit, 'tins' AS weight, 30::BIGINT AS value_count,
          median::DECIMAL(18, 4) AS median, DATE '2026-10-01' AS oldest_last_updated_on,
          DATE '2026-10-01' AS newest_last_updated_on
        FROM (VALUES ${rows}) AS statistics(plan, code, median)
      ) TO '${path}' (FORMAT parquet, COMPRESSION snappy)`)
      return path
    }
    const october = await writeSummary('october', "('Gold', '99213', 100), ('Gold', '99214', 200)")
    const november = await writeSummary('november', "('Gold', '99213', 110), ('Gold', '99214', 200), ('Gold', '1', 5)")
    const silver = await writeSummary('silver', "('Silver', '99213', 90), ('Silver', '99214', 180)")
    expect((await run(october, november)).output.split('\n').map((line) => line.replace(/ {2,}/g, ' | '))).toEqual([
      'Half of the medians of Gold did not change: 1 of 2 changed, by +10\u00a0% in the median.',
      'Both results were published on 2026-10-01.',
      '1 median was added; the median leaves it out.',
      '',
      'CHANGE | PERCENT | OLD | NEW | OLD_VALUE_COUNT | NEW_VALUE_COUNT | PLAN | BILLING_CODE',
      'changed | +10\u00a0% | 100 | 110 | 30 | 30 | Gold | 99213',
      'added | - | - | 5 | - | 30 | Gold | 1',
      'All 2 changes have: Acme, usd',
      '',
    ])
    expect((await run(october, silver)).output).toMatch(/^Silver is 10\u00a0% lower than Gold in the median of 2 rows/)
    const printed = JSON.parse((await run(october, silver, '--json')).output)
    expect(printed).toMatchObject({
      weight: 'tins',
      across: { old: { plan: 'Gold' }, new: { plan: 'Silver' } },
      changes: [
        { percent: -10, old: 100, new: 90, row: { billing_code: '99213' } },
        { percent: -10, old: 200, new: 180, row: { billing_code: '99214' } },
      ],
    })
    expect((await run(october, november, '--csv')).output).toMatch(
      /^change,percent,old,new,.*\nchanged,10,100,110,30,30,Acme,Gold,/,
    )
    const rows = await writeResult('rows', [[1, 1000, 1]])
    expect(await run(october, rows)).toMatchObject({
      code: 2,
      errors: expect.stringContaining('one result is a summary'),
    })
    expect(await run(october, november, '--out', join(folder, 'x.parquet'))).toMatchObject({
      code: 2,
      errors: expect.stringContaining('--out writes changes of prices'),
    })
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
    expect(await run(path, path)).toMatchObject({ code: 1, errors: expect.stringContaining('a row without price_key') })
    expect(await run(path)).toMatchObject({ code: 2, errors: expect.stringContaining('give two results') })
  })
})
