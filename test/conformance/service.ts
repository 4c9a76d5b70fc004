import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'

/**
 * The service under test. `CONFORMANCE_BASE_URL` and `CONFORMANCE_KEYS` (the keys of two organizations, separated by a
 * comma) name a running one with the sample data; without them, the suite starts and stops one.
 */
export interface ServiceUnderTest {
  /** The URL that requests are sent to, without a trailing slash. */
  readonly baseUrl: string
  /** The base URL in `status_url` (`CONFORMANCE_PUBLIC_BASE_URL`, if it differs). */
  readonly publicBaseUrl: string
  readonly keys: readonly [own: string, other: string]
  /** A revoked key and one of an inactive organization (`CONFORMANCE_REFUSED_KEYS`), or none. */
  readonly refusedKeys: readonly string[]
  /** True if it was started for this run, on this machine. */
  readonly isLocal: boolean
  /** Options of an operator's command for this service (`CONFORMANCE_OPERATOR`, separated by spaces); may be empty. */
  readonly operator: readonly string[]
  /** `CONFORMANCE_ALLOWS_UNSIGNED=1`: its storage does not check signatures, like that of some emulators. */
  readonly allowsUnsigned: boolean
  /** `CONFORMANCE_EMULATED=1`: it runs behind an emulator, which unpacks forms and compressed bodies. */
  readonly emulated: boolean
  /** Number of searches that are posted concurrently (`CONFORMANCE_SEARCHES_AT_ONCE`). */
  readonly searchesAtOnce: number
  /** The minimum number of files of the large search (`CONFORMANCE_SHARDS`), which depends on the engine. */
  readonly shards: number
}

declare module 'vitest' {
  interface ProvidedContext {
    readonly service: ServiceUnderTest
  }
}

interface Access {
  readonly baseUrl: string
  readonly keys: readonly string[]
  readonly refusedKeys: readonly string[]
  readonly isLocal: boolean
  readonly operator: readonly string[]
}

/** Runs once before all test files; the returned function runs after them. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { access, stop } = await findService()
  const baseUrl = trimSlash(access.baseUrl)
  const [ownKey, otherKey] = access.keys
  if (!ownKey || !otherKey) throw new TypeError('CONFORMANCE_KEYS must be two keys, separated by a comma')
  const { env } = process
  project.provide('service', {
    baseUrl,
    publicBaseUrl: trimSlash(env['CONFORMANCE_PUBLIC_BASE_URL'] ?? baseUrl),
    keys: [ownKey, otherKey],
    refusedKeys: access.refusedKeys,
    isLocal: access.isLocal,
    operator: access.operator,
    allowsUnsigned: env['CONFORMANCE_ALLOWS_UNSIGNED'] === '1',
    emulated: env['CONFORMANCE_EMULATED'] === '1',
    searchesAtOnce: Number(env['CONFORMANCE_SEARCHES_AT_ONCE'] ?? 40),
    shards: Number(env['CONFORMANCE_SHARDS'] ?? 3),
  })
  return stop
}

/** Finds the service that the environment names, or starts one; `stop` stops that again. */
export async function findService(): Promise<{ access: Access; stop: () => Promise<void> }> {
  const { CONFORMANCE_BASE_URL: baseUrl, CONFORMANCE_KEYS: keys, CONFORMANCE_REFUSED_KEYS: refused } = process.env
  if (!baseUrl && !keys) return startService()
  if (!baseUrl || !keys) throw new TypeError('set both CONFORMANCE_BASE_URL and CONFORMANCE_KEYS, or neither')
  const operator = process.env['CONFORMANCE_OPERATOR']?.split(' ') ?? []
  const access = { baseUrl, keys: splitKeys(keys), refusedKeys: splitKeys(refused), isLocal: false, operator }
  return { access, stop: async () => {} }
}

/** Longest time that the service may take to stop. */
const maxStopMs = 8000

/** Starts a service in a child process on a temporary data folder. */
async function startService() {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'))
  const child = spawn(process.execPath, ['bin/start.ts', '--port', '0', '--json', '--data', folder], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let complaints = ''
  child.stderr.on('data', (chunk: Buffer) => {
    complaints += chunk
  })
  const exited = once(child, 'exit')
  const stop = async () => {
    const isRunning = child.exitCode === null && child.signalCode === null
    if (isRunning) child.kill('SIGINT')
    const patience = setTimeout(() => child.kill('SIGKILL'), maxStopMs)
    await exited
    clearTimeout(patience)
    await rm(folder, { recursive: true, force: true })
    if (isRunning && child.signalCode === 'SIGKILL')
      throw new Error(`SIGINT did not end the service in ${maxStopMs} ms`)
  }
  const line = await Promise.race([once(createInterface(child.stdout), 'line'), exited.then(() => undefined)])
  if (line === undefined) {
    await stop()
    throw new Error(`the service exited before it was ready:\n${complaints}`)
  }
  const refusedKeys = await issueRefusedKeys(folder).catch(async (error: unknown) => {
    await stop()
    throw error
  })
  const ready: { base_url: string; organizations: { api_key: string }[] } = JSON.parse(String(line[0]))
  const keys = ready.organizations.map((it) => it.api_key)
  return { access: { baseUrl: ready.base_url, keys, refusedKeys, isLocal: true, operator: ['--data', folder] }, stop }
}

/** Creates a revoked key and a key of an inactive organization with the operator's commands. */
async function issueRefusedKeys(folder: string): Promise<readonly string[]> {
  const keys = async (...args: string[]) => {
    const { stdout } = await promisify(execFile)(process.execPath, ['bin/keys.ts', ...args, '--data', folder], {
      cwd: root,
    })
    return stdout.trim()
  }
  const [revoking, inactive] = await Promise.all(
    ['Revoking', 'Inactive'].map((name) => keys('create-organization', name)),
  )
  if (!revoking || !inactive) throw new Error('no organizations were created')
  const tokens = await Promise.all([keys('create', revoking), keys('create', inactive)])
  const listed: { keys: { key_id: string }[] } = JSON.parse(await keys('list', revoking, '--json'))
  const [{ key_id: keyId } = { key_id: '' }] = listed.keys
  await Promise.all([keys('revoke', revoking, keyId), keys('deactivate', inactive)])
  return tokens
}

const root = join(import.meta.dirname, '../..')

const splitKeys = (keys = '') => keys.split(',').flatMap((key) => key.trim() || [])

const trimSlash = (url: string) => url.replace(/\/+$/, '')
