import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readResult } from '../../../client/results/read-result.ts'
import { writeNppes } from '../../../local/samples/generator/nppes-layout.ts'
import { runCommandLine } from '../../bin/run-command-line.ts'
import { runCli } from '../../conformance/clients/run-cli.ts'
import { nppesLine } from './nppes-builder.ts'

const filters = ['--payer', 'Blue Harbor Health', '--plan', 'Harbor PPO Gold', '--code', '99213,27447']
const columns = ['npi', 'provider_name', 'provider_state', 'provider_zip', 'price_id'] as const

let folder: string
let child: ReturnType<typeof spawn>
let environment: Record<string, string>

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'nppes-'))
  child = spawn(process.execPath, ['bin/start.ts', '--port', '0', '--json', '--data', join(folder, 'data')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (child.stdout === null) throw new Error('the service has no output')
  const [line] = await once(child.stdout, 'data')
  const { base_url, organizations } = JSON.parse(String(line))
  environment = {
    RATE_SEARCH_URL: base_url,
    RATE_SEARCH_KEY: organizations[0].api_key,
    RATE_SEARCH_STATE: join(folder, 'state'),
  }
}, 240_000)

afterAll(async () => {
  child.kill('SIGTERM')
  await once(child, 'exit')
  rmSync(folder, { recursive: true })
})

/** The rows of a search by the command line, sorted. */
async function search(name: string, ...args: readonly string[]): Promise<readonly string[]> {
  const out = join(folder, name)
  const run = await runCli(['search', ...filters, ...args, '--out', out, '--json'], environment)
  if (run.exitCode !== 0) throw new Error(run.errors)
  const rows: string[] = []
  for (const { path } of JSON.parse(run.output).files)
    for await (const some of readResult(path, columns))
      rows.push(...some.map((row) => columns.map((column) => String(row[column])).join(' | ')))
  return rows.sort()
}

it('names providers, and finds them by state and ZIP code, once NPPES is loaded into the running service', async () => {
  // The samples have a month of NPPES of their own.
  expect(await runCommandLine('nppes', ['remove', '--data', join(folder, 'data')])).toMatchObject({ exitCode: 0 })
  const before = await search('before')
  const npis = [...new Set(before.map((row) => row.split(' | ')[0] ?? ''))]
  const refused = await runCli(['estimate', ...filters, '--state', 'MD'], environment)
  expect(refused).toMatchObject({ exitCode: 2, errors: expect.stringContaining('before NPPES is loaded') })

  const file = join(folder, 'npidata_pfile_20050523-20261109.csv')
  const lines = npis.slice(1).map((npi, index) => {
    const [state, zip] = index % 2 === 0 ? ['md', '21201-1234'] : ['VA', '22030']
    return nppesLine({ npi, entityType: '2', organization: `Practice ${npi}`, state, zip })
  })
  writeFileSync(file, writeNppes(lines))
  const loaded = await runCommandLine('nppes', ['load', file, '--data', join(folder, 'data')])
  expect(loaded).toMatchObject({ exitCode: 0 })

  const known = new Map(
    npis.slice(1).map((npi, index) => [npi, `Practice ${npi} | ${index % 2 === 0 ? 'MD | 21201' : 'VA | 22030'}`]),
  )
  const named = before.map((row) => {
    const [npi = '', , , , price] = row.split(' | ')
    return [npi, known.get(npi) ?? 'null | null | null', price].join(' | ')
  })
  expect(await search('after', '--again')).toEqual(named.toSorted())
  const inMaryland = named.filter((row) => row.includes(' | MD | ')).sort()
  expect(inMaryland.length).toBeGreaterThan(0)
  expect(await search('state', '--state', 'md')).toEqual(inMaryland)
  expect(await search('zip', '--zip', '21201', '--state', 'MD,VA')).toEqual(inMaryland)
  expect(await search('none', '--state', 'VA', '--zip', '21201')).toEqual([])
}, 240_000)
