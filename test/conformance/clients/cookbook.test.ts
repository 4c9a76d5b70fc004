import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { service } from '../client.ts'
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
}, 60_000)
afterAll(() => rm(folder, { recursive: true }))

async function queryRows(sql: string): Promise<readonly (readonly unknown[])[]> {
  const connection = await (await DuckDBInstance.create()).connect()
  const result = await connection.runAndReadAll(sql.replaceAll("'rates/", `'${folder}/rates/`))
  return result.getRowsJS()
}

/** Lines of CSV whose numbers are written in one way. */
const normalize = (rows: readonly (readonly unknown[])[]) =>
  rows.map((row) => row.map((cell, index) => (index > 2 ? Number(cell).toFixed(4) : String(cell))).join())

describe('the cookbook', () => {
  it.each(snippetsIn('sql').map(({ code }) => [code.split('\n')[0], code]))('has rows for %s', async (_, code = '') => {
    expect((await queryRows(code)).length).toBeGreaterThan(0)
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
      if (!/duckdb|pandas|polars|pyspark/.test(name)) return
      const medians = await queryRows(snippets.find((snippet) => snippet.name === 'medians')?.code ?? '')
      const lines = stdout.trim().split('\n')
      expect(normalize(lines.map((line) => line.split(',')))).toEqual(normalize(medians))
    },
  )
})
