import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommandLine } from '../run-command-line.ts'

/** Names that a shell, an address, SQL, a pattern or a terminal reads as something else. */
const names = [
  ' two  spaces ',
  'a#b?c=d&e',
  '100%25 %s %zz',
  `it's "quoted" \`here\``,
  'Größe – 料金 🏥 e\u0301',
  '-rf --data',
  'line\nbreak\ttab',
  'back\\slash',
  'C: drive:80',
  '$HOME $(x) !! ~',
  '*[a]{b,c}?(d)',
  '; rm | <x> (y) ^',
  '...',
  '\u{FFFD}',
]

const file = 'local/samples/summit-ridge-select-dental.json'

let root: string
/** A folder within folders of all names: what one of them breaks fails, with few processes. */
let folder: string

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'folder-names-'))
  folder = join(root, ...names)
  mkdirSync(folder, { recursive: true })
})

afterAll(() => rmSync(root, { recursive: true, force: true }))

describe('a folder whose path has every odd name', () => {
  it('holds the data and the results of the demo', async () => {
    const demo = join(folder, 'demo')
    mkdirSync(demo)
    const { output, errors, exitCode } = await runCommandLine('samples/demo', ['--data', demo])
    expect([errors.match(/^error: .*/m)?.[0], exitCode]).toEqual([undefined, 0])
    expect(output).toContain('Harbor Choice Plus')
    expect(readdirSync(join(demo, 'results', '1'))).not.toEqual([])
  })

  it('holds a file to load, the data of a service, and what search and download write', async () => {
    const [data, copy] = [join(folder, 'data'), join(folder, 'rates #1.json')]
    mkdirSync(data)
    copyFileSync(file, copy)
    const loaded = await runCommandLine('load', [copy, '--data', data, '--create', '--json'])
    expect([loaded.errors, loaded.exitCode]).toEqual([expect.not.stringContaining('error'), 0])
    const service = spawn(process.execPath, ['bin/start.ts', '--port', '0', '--json', '--data', data])
    try {
      const [line] = await once(service.stdout, 'data')
      const { base_url } = JSON.parse(String(line))
      const organization = (await runCommandLine('keys', ['create-organization', 'Acme', '--data', data])).output.trim()
      const key = (await runCommandLine('keys', ['create', organization, '--data', data])).output.trim()
      const run = (...args: readonly string[]) =>
        runCommandLine('../client/cli/main', args, {
          RATE_SEARCH_URL: base_url,
          RATE_SEARCH_KEY: key,
          RATE_SEARCH_STATE: join(folder, 'state'),
        })
      const plan = ['--payer', 'Summit Ridge Insurance', '--plan', 'Ridge Select Dental', '--code', 'D1110']
      const searched = await run('search', ...plan, '--json', '--out', join(folder, 'found'))
      expect([searched.errors, searched.exitCode]).toEqual([expect.not.stringContaining('error'), 0])
      const [id = ''] = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(searched.output) ?? []
      const downloaded = await run('download', id, '--out', join(folder, 'downloaded'))
      expect([downloaded.errors, downloaded.exitCode]).toEqual([expect.not.stringContaining('error'), 0])
      expect(readdirSync(join(folder, 'downloaded'))).toEqual(readdirSync(join(folder, 'found')))
    } finally {
      service.kill('SIGTERM')
      await once(service, 'exit')
    }
  })
})

describe('a name that is not UTF-8', () => {
  it.each([
    ['bin/load.ts "$name"', 2],
    ['bin/load.ts --toc="$name"', 2],
    [`bin/load.ts ${file} --create --data "$name"`, 2],
    ['bin/nppes.ts load "$name"', 2],
    ['bin/start.ts --port 0 --data "$name"', 2],
    ['bin/samples/demo.ts --data "$name"', 2],
    ['client/cli/main.ts download 00000000-0000-4000-8000-000000000001 --out "$name"', 2],
    ['client/cli/main.ts csv "$name"', 2],
    ['client/cli/main.ts diff "$name" .', 2],
  ])('ends %s with one line, and creates nothing', (command, exitCode) => {
    const script = `name="$1/$(printf 'a\\377b')"; exec "$0" ${command}`
    const { status, stderr } = spawnSync('sh', ['-c', script, process.execPath, root], { encoding: 'utf8' })
    expect(stderr).toMatch(/^error: ".*a\uFFFDb": the bytes shown as \uFFFD are not UTF-8[^\n]*\n$/)
    expect(status).toBe(exitCode)
    expect(existsSync(join(root, 'a\uFFFDb'))).toBe(false)
  })
})
