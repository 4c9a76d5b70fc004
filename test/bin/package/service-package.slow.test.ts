import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commandsOfCheckout, removedCommands } from '../../../bin/command/packaged-service.ts'
import { root } from '../../templates/source-files.ts'

/** An empty folder into which the packed service is installed, with the packages that it needs at run time. */
let folder: string

const run = promisify(execFile)
const installed = (...names: readonly string[]) => join(folder, 'node_modules', ...names)

/** Runs a command of the package in the folder, and returns what it prints and its exit code. */
async function runPackaged(...args: readonly string[]) {
  return execute('rate-search-service', args)
}

async function execute(command: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env) {
  const child = execFile(process.execPath, [installed('.bin', command), ...args], { cwd: folder, env })
  const parts = { output: '', errors: '' }
  child.stdout?.on('data', (text) => {
    parts.output += text
  })
  child.stderr?.on('data', (text) => {
    parts.errors += text
  })
  const [exitCode] = await once(child, 'close')
  return { ...parts, exitCode }
}

const sizeOf = (path: string): number => {
  const stat = lstatSync(path)
  if (!stat.isDirectory()) return stat.size
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0)
}

const manifestSchema = v.object({ version: v.string(), scripts: v.record(v.string(), v.string()) })
const readManifest = (path: string) => v.parse(manifestSchema, JSON.parse(readFileSync(path, 'utf8')))
const { version, scripts } = readManifest(join(root, 'package.json'))

/** The commands of users and operators. Other scripts are for maintainers, and do not keep what Node compiles. */
const commands = Object.entries(scripts).flatMap(([name, script]) =>
  script.startsWith('node ') && script.includes('compile-cache.cjs') && !commandsOfCheckout.includes(name)
    ? [name]
    : [],
)

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'service-package-'))
  const { stdout } = await run(process.execPath, ['bin/package/build-service.ts', '--out', folder], { cwd: root })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  // npm passes the settings of this repository's .npmrc on to what `npm run` starts; a user's npm has its defaults.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_config_/i.test(name)))
  await run('npm', ['install', '--omit=dev', '--no-audit', '--no-fund', stdout.trim()], { cwd: folder, env })
}, 600_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the package of the service', () => {
  it('takes at most 250 MB when installed, without the CDK, esbuild and a compiler', () => {
    expect(sizeOf(installed())).toBeLessThan(250_000_000)
    const names = readdirSync(installed())
    expect(names).toContain('dynalite')
    expect(names.filter((name) => /^(aws-cdk|esbuild|typescript|constructs|vitest)/.test(name))).toEqual([])
  })

  it('contains every command except those that deploy a checkout', () => {
    expect(commands).toContain('load')
    const packaged = readManifest(installed('rate-search-service', 'package.json'))
    expect(Object.keys(packaged.scripts).toSorted()).toEqual(commands.toSorted())
    expect(packaged.version).toBe(version)
  })

  it.each(commands)('explains the command as the package starts it: %s', async (name) => {
    const { output, errors, exitCode } = await runPackaged(name, '--help')
    expect({ errors, exitCode }).toEqual({ errors: '', exitCode: 0 })
    expect(output).toMatch(/^Usage: rate-search/m)
    expect(output).not.toMatch(/npm (start|run (?!deploy|destroy))/)
  })

  it('says its version, and lists its commands', async () => {
    expect(await runPackaged('--version')).toEqual({ output: `${version}\n`, errors: '', exitCode: 0 })
    expect((await execute('rate-search', ['--version'])).output).toBe(`${version}\n`)
    expect((await runPackaged()).output).toContain(
      `Commands: ${Object.keys(readManifest(installed('rate-search-service', 'package.json')).scripts).join(', ')}`,
    )
  })

  it.each(commandsOfCheckout)('says which checkout the command needs: %s', async (name) => {
    expect(await runPackaged(name, '--stage', 'dev')).toEqual({
      output: '',
      errors: `error: ${name} needs a checkout of version ${version} of the repository, because the package has no CDK: run npm ci and npm run ${name} there\n`,
      exitCode: 1,
    })
  })

  it('refuses a command that it does not have', async () => {
    expect(await runPackaged('serve')).toEqual({
      output: '',
      errors: 'error: there is no command "serve" (see --help)\n',
      exitCode: 2,
    })
  })

  it.each([...removedCommands])('names the successor of a command that is gone: %s', async (name, successor) => {
    expect(await runPackaged(name, '--stage', 'dev')).toEqual({
      output: '',
      errors: `error: the command "${name}" was removed: ${successor}\n`,
      exitCode: 2,
    })
  })

  it('refuses a Node that is too old', async () => {
    const pretend = `data:text/javascript,Object.defineProperty(process.versions, 'node', { value: '24.9.0' })`
    const env = { ...process.env, NODE_OPTIONS: `--import "${pretend}"` }
    expect(await execute('rate-search-service', ['keys'], env)).toMatchObject({
      errors: expect.stringMatching(/^error: Node 24\.14\.1 or later is required; this is v\d/),
      exitCode: 1,
    })
  })

  it('passes the exit code of a command on', async () => {
    expect(await runPackaged('keys', 'nothing', '--data', 'none')).toMatchObject({ output: '', exitCode: 2 })
  })

  it('loads files in processes of their own, and proposes commands of the package', async () => {
    const samples = installed('rate-search-service', 'local', 'samples')
    const files = ['summit-ridge-select-dental.json', 'blue-harbor-hmo-silver.json'].map((name) => join(samples, name))
    const { output, errors, exitCode } = await runPackaged(
      'load',
      ...files,
      '--create',
      '--data',
      'loaded',
      '--workers',
      '2',
    )
    expect({ exitCode, errors }).toMatchObject({ exitCode: 0 })
    expect(output).toContain('rate-search-service loads --data loaded rollback ')
  })

  it('starts the service, searches the samples, and stops at a signal', async () => {
    const args = [installed('.bin', 'rate-search-service'), 'start', '--data', 'data', '--port', '0', '--json']
    const service = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
    const ended = once(service, 'close')
    try {
      const [line] = await once(createInterface(service.stdout), 'line')
      const { base_url: url, organizations } = JSON.parse(line)
      expect(await (await fetch(`${url}/`)).text()).toContain('<title>')
      const env = { ...process.env, RATE_SEARCH_URL: url, RATE_SEARCH_KEY: organizations[0].api_key }
      const search = ['search', '--plan-id', '00-1234567', '--code', '73721', '--out', 'rates', '--json']
      const { output, exitCode } = await execute('rate-search', search, env)
      expect(exitCode).toBe(0)
      expect(JSON.parse(output)).toMatchObject({ status: 'completed' })
      expect((await runPackaged('status', '--data', 'data')).output).toContain('6 fee schedules')
    } finally {
      service.kill('SIGTERM')
    }
    expect(await ended).toEqual([0, null])
  })
})
