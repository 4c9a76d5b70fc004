import { execFile, spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { choice, choicePlus, findOctoberRows, findSampleRows, gold, openAccess } from '../samples.ts'
import { openSession, readSnippets, type Session, type Snippet } from './snippets.ts'

const snippets = readSnippets('docs/cookbook.md')

/** `COOKBOOK_PYTHON` and `COOKBOOK_R` name interpreters that have the libraries. */
const interpreters: Readonly<Record<string, { readonly command: string; readonly check: (name: string) => string[] }>> =
  {
    python: { command: process.env['COOKBOOK_PYTHON'] ?? 'python3', check: (name) => ['-c', `import ${name}`] },
    r: {
      command: process.env['COOKBOOK_R'] ?? 'Rscript',
      check: (name) => ['-e', `library(${name.replace(',', ');library(')})`],
    },
    bash: { command: 'bash', check: () => ['-c', 'command -v curl'] },
  }

/** Known answers of commands, by the name of their snippet. */
const answers: Readonly<Record<string, readonly RegExp[]>> = {
  search: [/^rates\/\S+\.parquet +\d+ +[1-9]/m],
  months: [
    /^rates-october\/\S+ +\d+ +[1-9]/m,
    /^rates-november\/\S+ +\d+ +[1-9]/m,
    /^From October 2026 to November 2026, .*: [1-9]\d* of [1-9]\d* did, .*\+\d/m,
    /^[1-9]\d* prices? (was|were) added and [1-9]\d* prices? (was|were) removed;/m,
    /^changed +[+−]\S/m,
  ],
  plans: [
    /^Blue Harbor Health +Harbor Choice Plus +Harbor Foods Cooperative/m,
    /^Blue Harbor Health +Harbor PPO Gold/m,
    /^rates-oregon\/\S+ +\d+ +[1-9]/m,
    /"plan_ids":\["ein\|001234567"\]/,
  ],
  curl: [/\.parquet$/m, /^payer,plan,/m],
  requests: [/^[1-9]\d* files$/m],
}

function canRun({ language, name }: Snippet): boolean {
  const interpreter = interpreters[language]
  if (interpreter === undefined) return language === 'sql'
  const isThere = spawnSync(interpreter.command, interpreter.check(name)).status === 0
  if (!isThere) process.stdout.write(`*** The snippet of the cookbook for ${language} with ${name} was NOT run. ***\n`)
  return isThere
}

const codeOf = (name: string) => {
  const snippet = snippets.find((candidate) => candidate.name === name)
  return snippet?.code ?? expect.fail(`the cookbook has no snippet ${name}`)
}

let session: Session
let connection: DuckDBConnection
beforeAll(async () => {
  session = await openSession()
  connection = await (await DuckDBInstance.create()).connect()
})
afterAll(() => session[Symbol.asyncDispose]())

async function query(code: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const inFolder = code.replaceAll("'rates", `'${session.folder}/rates`)
  return (await connection.runAndReadAll(inFolder)).getRowObjectsJson()
}

/** Runs a snippet as its readers do. @returns its output, and its rows if it is a query */
async function run({ language, name, code }: Snippet): Promise<readonly (string | readonly unknown[])[]> {
  if (language === 'sql') return (await query(code)).map(Object.values)
  if (language === 'bash') return [await session.bash(`${codeOf('checkout')}${code}`)]
  const file = join(session.folder, `snippet-${name}`)
  await writeFile(file, code)
  const options = { cwd: session.folder, env: session.environment }
  return [(await promisify(execFile)(interpreters[language]?.command ?? '', [file], options)).stdout]
}

function normalizeCell(cell: string): string {
  if (cell === 'None') return ''
  return /^\d+(\.\d+)?$/.test(cell) ? Number(cell).toFixed(4) : cell
}

/**
 * Writes lines with their cells in the order of their text, and with one form for numbers, NULLs and empty texts: the
 * libraries order columns and rows as they like.
 */
const normalize = (rows: readonly (readonly unknown[])[]) =>
  rows
    .map((row) =>
      row
        .map((cell) => normalizeCell(String(cell ?? '')))
        .toSorted()
        .join(),
    )
    .toSorted()

const cellsOf = (printed: string) =>
  printed
    .trim()
    .split('\n')
    .map((line) => line.split(','))

// In the order of the page, in one folder: later snippets read what earlier ones downloaded.
describe('a snippet of the cookbook', () => {
  const silent = ['checkout', 'view']
  /** Queries for what the samples do not have. */
  const empty = ['repeated']
  it.each(
    snippets
      .filter(canRun)
      .map((snippet) => [snippet.language, snippet.name, snippet.code.split('\n')[0], snippet] as const),
  )('runs, and has rows: %s %s %s', async (language, name, _, snippet) => {
    const printed = await run(snippet)
    if (silent.includes(name)) return expect(printed.flat().join('')).not.toMatch(/error/i)
    if (empty.includes(name)) return expect(printed).toEqual([])
    expect(printed.length).toBeGreaterThan(0)
    expect(printed[0]).not.toBe('')
    for (const answer of answers[name] ?? []) expect(printed[0]).toMatch(answer)
    if (!/^(duckdb|pandas|polars|pyspark)/.test(name)) return
    const isChanges = snippet.code.includes('rates-october')
    const expected = (await query(codeOf(isChanges ? 'changes' : 'medians'))).map(Object.values)
    const cells = cellsOf(String(printed[0]))
    if (isChanges) expect(cells.length - 1).toBe(expected.length)
    else expect([language, normalize(cells)]).toEqual([language, normalize(expected)])
  })
})

describe('the query for repeated prices', () => {
  it('finds every price that a second file of the fee schedule has, too', async () => {
    const inTwoFiles =
      "(FROM 'rates/*.parquet' UNION ALL SELECT * REPLACE ('second.json' AS source_file) FROM 'rates/*.parquet')"
    const repeated = await query(codeOf('repeated').replace("'rates/*.parquet'", inTwoFiles))
    const [counted] = await query(
      "SELECT count(DISTINCT (payer, plan, price_key, negotiated_rate)) AS prices FROM 'rates/*.parquet'",
    )
    expect(repeated.reduce((sum, { prices }) => sum + Number(prices), 0)).toBe(Number(counted?.['prices']))
  })
})

describe('the answers of the cookbook', () => {
  const codes = ['99213', '99203', '27447', '73721', '0450', '0278', '0120', '470']
  const joined = (values: unknown) => (Array.isArray(values) ? values.join(' ') : null)

  it('cover all rows of the samples', async () => {
    const plans = [gold, choice, choicePlus, openAccess]
    const [counted] = await query("SELECT count(*) AS rows FROM 'rates/*.parquet'")
    expect(Number(counted?.['rows'])).toBe(findSampleRows({ codes, plans }).length)
  })

  it('compute medians and lowest prices only of what is priced alike, each price once', async () => {
    const terms = ['plan', 'billing_code', 'billing_class', 'setting', 'negotiated_type']
    const termsOf = (row: Readonly<Record<string, unknown>>, modifiers: unknown, places: unknown) =>
      JSON.stringify([...terms.map((term) => row[term]), modifiers || null, places || null])
    // Plans without doubtful prices.
    const plans = [gold, choice]
    const groups = Map.groupBy(findSampleRows({ codes, plans }), (row) =>
      termsOf(row, joined(row['billing_code_modifier']), joined(row['service_code'])),
    )
    const ofPlans = (rows: readonly Readonly<Record<string, unknown>>[]) =>
      rows.filter((row) => plans.some(({ plan }) => plan === row['plan']))
    const medians = ofPlans(await query(codeOf('medians')))
    expect(medians.map((row) => termsOf(row, row['modifiers'], row['places'])).toSorted()).toEqual(
      [...groups.keys()].toSorted(),
    )
    const lowest = ofPlans(await query(codeOf('lowest')))
    expect(lowest.length).toBeGreaterThan(10)
    for (const row of [...medians, ...lowest]) {
      const rates =
        groups.get(termsOf(row, row['modifiers'], row['places']))?.map((price) => price['negotiated_rate']) ?? []
      const prices = [...new Set(rates)].map(Number).toSorted((a, b) => a - b)
      expect(row['median'] ?? Number(row['negotiated_rate'])).toBe(
        'median' in row ? prices[Math.ceil(prices.length / 2) - 1] : prices[0],
      )
      if ('median' in row) expect(Number(row['prices'])).toBe(prices.length)
    }
  })

  it('leave out doubtful prices, and list them', async () => {
    const lowest = await query(codeOf('lowest'))
    const visit = lowest.filter((row) => row['billing_code'] === '99213' && row['plan'] === choicePlus.plan)
    expect(visit.length).toBeGreaterThan(0)
    for (const row of visit) expect(Number(row['negotiated_rate'])).toBeGreaterThan(20)
    const flags = (await query(codeOf('doubtful'))).map(({ flag }) => flag)
    expect([...new Set(flags)].sort()).toEqual(['blanket', 'expired', 'outlier_high', 'outlier_low', 'placeholder'])
    const visits = (await query(codeOf('medians'))).filter(
      (row) => row['billing_code'] === '99213' && row['plan'] === choicePlus.plan && row['rate_unit'] === 'usd',
    )
    expect(visits.reduce((sum, row) => sum + Number(row['prices']), 0)).toBeGreaterThan(200)
  })

  it('know the states of providers', async () => {
    const states = await query(codeOf('states'))
    expect(new Set(states.map((row) => row['provider_state']))).toEqual(new Set(['ID', 'OR', 'WA']))
  })

  it('find both plans of the employer by its EIN, and by its name', async () => {
    const printed = await session.bash(`${codeOf('checkout')}${codeOf('plans').split('\n').slice(0, 2).join('\n')}`)
    for (const { plan } of [choicePlus, openAccess]) expect(printed.split(plan)).toHaveLength(3)
  })

  it('report what changed between two months, as a full outer join by hand does', async () => {
    const filter = { codes: ['73721', '99213'], plans: [choicePlus, openAccess] }
    const termsOf = (row: Readonly<Record<string, unknown>>) =>
      [
        ...['plan', 'tin_value', 'billing_code_type', 'billing_code', 'negotiated_type', 'billing_class'],
        'billing_code_modifier',
      ]
        .map((column) => String(row[column] ?? ''))
        .join('|')
    const amountsOf = (rows: ReturnType<typeof findSampleRows>) =>
      new Map(
        [...Map.groupBy(rows, termsOf)].map(([terms, members]) => [
          terms,
          [...new Set(members.map((row) => Number(row['negotiated_rate'])))].sort((a, b) => a - b).join(),
        ]),
      )
    const [october, november] = [amountsOf(findOctoberRows(filter)), amountsOf(findSampleRows(filter))]
    const kinds = [...new Set([...october.keys(), ...november.keys()])].flatMap((terms) => {
      const [old, now] = [october.get(terms), november.get(terms)]
      if (old === now) return []
      const kind = [old === undefined && 'added', now === undefined && 'removed', 'changed'].find(Boolean)
      return [`${kind} ${old ?? ''} ${now ?? ''}`]
    })
    const changes = await query(codeOf('changes'))
    const amounts = (list: unknown) => (Array.isArray(list) ? list.map(Number).join() : '')
    expect(changes.map((row) => `${row['change']} ${amounts(row['old'])} ${amounts(row['new'])}`).toSorted()).toEqual(
      kinds.toSorted(),
    )
    expect(new Set(changes.map(({ change }) => change))).toEqual(new Set(['added', 'changed', 'removed']))
    for (const { change, old, new: now, percent } of changes) {
      const isOne = change === 'changed' && Array.isArray(old) && Array.isArray(now) && old.length + now.length === 2
      if (!isOne) expect(percent).toBeNull()
      else expect(percent).toBeCloseTo((100 * Number(now[0])) / Number(old[0]) - 100, 1)
    }
  })
})
