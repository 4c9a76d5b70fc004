import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { buildFile, buildItem } from '../builders/in-network-builder.ts'
import { buildPlan, buildTableOfContents } from '../builders/table-of-contents-builder.ts'
import { type PayerSite, startPayerSite } from '../doubles/payer-site.ts'
import { runCommandLine } from './run-command-line.ts'

let site: PayerSite
let folder: string

beforeEach(async () => {
  site = await startPayerSite()
  site.now = new Date()
  folder = mkdtempSync(join(tmpdir(), 'load-remote-'))
  const entries = ['a', 'b'].map((name) => {
    const path = `/${name}.json.gz`
    const content = buildFile({ in_network: [buildItem({ billing_code: name === 'a' ? '99213' : '99214' })] })
    site.files.set(path, { body: gzipSync(JSON.stringify(content)), signed: true, cutAfter: 200 })
    return { plans: [buildPlan(`Plan ${name}`)], files: [site.sign(path, 3600)] }
  })
  site.files.set('/toc.json.gz', { body: gzipSync(JSON.stringify(buildTableOfContents(...entries))), signed: true })
})

afterEach(async () => {
  await site[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

const load = (...args: readonly string[]) =>
  runCommandLine('load', [...args, '--create', '--data', folder], { http_proxy: '', HTTP_PROXY: '' })

it('loads a table of contents by its signed URL, in two processes, without a signature in what it prints', async () => {
  const toc = site.sign('/toc.json.gz', 3600)
  const args = ['--toc', toc, '--allow-private-addresses', '--workers', '2', '--user-agent', 'acme-loader']
  const first = await load(...args)
  expect(first).toMatchObject({ exitCode: 0, output: expect.stringContaining('Loaded 2 files') })
  expect(first.errors).toContain(`reading ${site.url}/a.json.gz (1 of 2)`)
  expect(first.output + first.errors).not.toContain('X-Amz')
  expect(new Set(site.requests.map(({ headers }) => headers['user-agent']))).toEqual(new Set(['acme-loader']))
  const again = await load(...args)
  expect(again.output).toContain('2 files unchanged since an earlier load, not read again')
}, 120_000)

it('prints a dry run', async () => {
  const { output, exitCode } = await load(
    '--toc',
    site.sign('/toc.json.gz', 3600),
    '--allow-private-addresses',
    '--dry-run',
  )
  expect({ output, exitCode }).toEqual({
    output: expect.stringMatching(/^Would read 2 files: .*\nNothing was loaded\.\n$/s),
    exitCode: 0,
  })
}, 120_000)

it.each([
  ['--connections', '0'],
  ['--user-agent', 'a\nb'],
])(
  'refuses %s %j',
  async (option, value) => {
    const { errors, exitCode } = await load('--toc', 'https://rates.example/toc.json', option, value)
    expect({ errors, exitCode }).toEqual({ errors: expect.stringContaining(`error: ${option} must be `), exitCode: 2 })
  },
  120_000,
)
