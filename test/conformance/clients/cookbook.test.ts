import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { service } from '../client.ts'
import { choice, findSampleRows, gold, silver } from '../samples.ts'
import { runCli } from './run-cli.ts'

/** A fenced piece of code; the word behind its language names it, or the libraries that it imports. */
interface Snippet {
  readonly language: string
  readonly name: string
  readonly code: string
}

const cookbook = readFileSync(join(import.meta.dirname, '../../../docs/cookbook.md'), 'utf8')
const snippets = [...cookbook.matchAll(/^```(\w+)(?: (\S+))?\n(.*?)^```$/gms)].map(
  ([, language = '', name = '', code = '']): Snippet => ({ language, name, code }),
)
const snippetsIn = (...languages: readonly string[]) => snippets.filter(({ language }) => languages.includes(language))

/** `COOKBOOK_PYTHON` and `COOKBOOK_R` name interpreters that have the libraries. */
const interpreters: Readonly<Record<string, { readonly command: string; readonly check: (name: string) => string[] }>> =
  {
    python: { command: process.env['COOKBOOK_PYTHON'] ?? 'python3', check: (name) => ['-c', `import ${name}`] },
    r: {
      command: process.env['COOKBOOK_R'] ?? 'Rscript',
      check: (name) => ['-e', `library(${name.replace(',', ');library(')})`],
    },
    bash: { command: 'bash', check: (name) => ['-c', `command -v ${name}`] },
  }

function canRun({ language, name }: Snippet): boolean {
  const interpreter = interpreters[language]
  const isThere = interpreter !== undefined && spawnSync(interpreter.command, interpreter.check(name)).status === 0
  if (!isThere) process.stdout.write(`*** The snippet of the cookbook for ${language} with ${name} was NOT run. ***\n`)
  return isThere
}

let folder: string
let environment: Record<string, string>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cookbook-'))
  environment = {
    RATE_SEARCH_URL: service.baseUrl,
    RATE_SEARCH_KEY: service.keys[0],
    RATE_SEARCH_STATE: join(folder, 'state'),
  }
  const [command] = snippetsIn('sh')
  const words = [...(command?.code ?? '').matchAll(/'([^']*)'|([^\s'\\]+)/g)].map(
    ([, quoted, bare]) => quoted ?? bare ?? '',
  )
  expect(words.splice(0, 4)).toEqual(['npm', 'run', 'rate-search', '--'])
  const run = await runCli(
    [...words.filter((word) => word !== 'rates/' && word !== '--out'), '--out', join(folder, 'rates')],
    environment,
  )
  expect(run).toMatchObject({ exitCode: 0 })
  await mkdir(join(folder, 'rates-october'))
  const connection = await (await DuckDBInstance.create()).connect()
  // Of the keys, by a character: some are new, some gone, and some have other amounts.
  await connection.run(`COPY (SELECT * REPLACE (
      CASE WHEN ascii(substr(price_key, 20)) % 4 = 1 THEN concat('gone', price_key) ELSE price_key END AS price_key,
      CASE WHEN ascii(substr(price_key, 20)) % 4 = 2 THEN negotiated_rate * 2 ELSE negotiated_rate END AS negotiated_rate)
    FROM '${folder}/rates/*.parquet' WHERE ascii(substr(price_key, 20)) % 4 <> 0) TO '${folder}/rates-october/october.parquet'`)
}, 60_000)
afterAll(() => rm(folder, { recursive: true }))

/** Runs a query of the cookbook, with the view that it tells readers to make first. */
async function queryRows(name: string): Promise<readonly Record<string, unknown>[]> {
  const connection = await (await DuckDBInstance.create()).connect()
  const run = (code = '') => connection.runAndReadAll(code.replaceAll("'rates", `'${folder}/rates`))
  await run(snippets.find((snippet) => snippet.name === 'view')?.code)
  return (await run(snippets.find((snippet) => [snippet.name, snippet.code].includes(name))?.code)).getRowObjectsJson()
}

/**
 * Lines whose cells are in the order of their text, and whose numbers, NULLs and empty texts are written in one way: the
 * libraries order columns and rows as they like.
 */
const normalize = (rows: readonly (readonly unknown[])[]) =>
  rows
    .map((row) =>
      row
        .map((cell) => String(cell ?? ''))
        .map((cell) => (cell === 'None' ? '' : /^\d+(\.\d+)?$/.test(cell) ? Number(cell).toFixed(4) : cell))
        .toSorted()
        .join(),
    )
    .toSorted()

describe('the cookbook', () => {
  const queries = snippetsIn('sql').filter(({ name }) => name !== 'view')
  it.each(queries.map(({ code }) => [code.split('\n')[0], code]))('has rows for %s', async (_, code = '') => {
    expect((await queryRows(code)).length).toBeGreaterThan(0)
  })

  it('makes medians and lowest prices of what is priced alike only, each price once', async () => {
    const codes = ['99213', '99203', '27447', '73721', '0450', '0278', '0120', '470']
    const terms = ['plan', 'billing_code', 'billing_class', 'setting', 'negotiated_type']
    const termsOf = (row: Readonly<Record<string, unknown>>, modifiers: unknown, places: unknown) =>
      JSON.stringify([...terms.map((term) => row[term]), modifiers || null, places || null])
    const join = (values: unknown) => (Array.isArray(values) ? values.join(' ') : null)
    const groups = Map.groupBy(findSampleRows({ codes, plans: [gold, silver, choice] }), (row) =>
      termsOf(row, join(row['billing_code_modifier']), join(row['service_code'])),
    )
    const medians = await queryRows('medians')
    expect(medians.map((row) => termsOf(row, row['modifiers'], row['places'])).toSorted()).toEqual(
      [...groups.keys()].toSorted(),
    )
    const lowest = await queryRows('lowest')
    expect(lowest.length).toBeGreaterThan(10)
    for (const row of [...medians, ...lowest]) {
      const rates =
        groups.get(termsOf(row, row['modifiers'], row['places']))?.map((each) => each['negotiated_rate']) ?? []
      const prices = [...new Set(rates)].map(Number).toSorted((a, b) => a - b)
      expect(row['median'] ?? Number(row['negotiated_rate'])).toBe(
        'median' in row ? prices[Math.ceil(prices.length / 2) - 1] : prices[0],
      )
      if ('median' in row) expect(Number(row['prices'])).toBe(prices.length)
    }
  })

  it('finds what changed between two results, as a full outer join by hand does', async () => {
    const connection = await (await DuckDBInstance.create()).connect()
    const amountsIn = async (result: string) => {
      const select = `SELECT price_key, negotiated_rate FROM '${folder}/${result}/*.parquet'`
      const rows = (await connection.runAndReadAll(select)).getRowsJson()
      const grouped = Map.groupBy(rows, ([key]) => String(key))
      return new Map(
        [...grouped].map(([key, of]) => [key, [...new Set(of.map(([, rate]) => Number(rate)))].sort((a, b) => a - b)]),
      )
    }
    const [earlier, later] = [await amountsIn('rates-october'), await amountsIn('rates')]
    const expected = [...new Set([...earlier.keys(), ...later.keys()])].flatMap((key) => {
      const [old, now] = [earlier.get(key), later.get(key)]
      if (old?.join() === now?.join()) return []
      const [before = 0, after = 0] = [old?.[0], now?.[0]]
      const isOne = old?.length === 1 && now?.length === 1
      return [
        JSON.stringify([
          key,
          old ?? null,
          now ?? null,
          isOne ? Math.round((10_000 * after) / before - 10_000) / 100 : null,
        ]),
      ]
    })
    const found = (await queryRows('changes')).map(({ price_key, old, new: now, percent }) => {
      const numbers = (list: unknown) => (Array.isArray(list) ? list.map(Number) : null)
      return JSON.stringify([price_key, numbers(old), numbers(now), percent])
    })
    expect(found.toSorted()).toEqual(expected.toSorted())
    expect(new Set((await queryRows('changes')).map(({ change }) => change))).toEqual(
      new Set(['added', 'changed', 'removed']),
    )
  })

  it.each(snippetsIn('python', 'r', 'bash').filter(canRun))(
    'runs $language with $name',
    async ({ language, name, code }) => {
      const file = join(folder, `snippet-${name}`)
      await writeFile(file, code)
      const command = interpreters[language]?.command ?? ''
      const env = { ...process.env, ...environment }
      const { stdout } = await promisify(execFile)(command, [file], { cwd: folder, env })
      expect(stdout).not.toBe('')
      if (!/duckdb|pandas|polars|pyspark/.test(name) || code.includes('rates-october')) return
      const medians = await queryRows('medians')
      const lines = stdout.trim().split('\n')
      expect(normalize(lines.map((line) => line.split(',')))).toEqual(normalize(medians.map(Object.values)))
    },
  )
})
