import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { readText } from '../templates/source-files.ts'

const lockedPackage = v.object({
  version: v.optional(v.string()),
  integrity: v.optional(v.string()),
  hasInstallScript: v.optional(v.boolean(), false),
  inBundle: v.optional(v.boolean(), false),
  link: v.optional(v.boolean(), false),
  bin: v.optional(v.record(v.string(), v.string()), {}),
  os: v.optional(v.unknown()),
  cpu: v.optional(v.unknown()),
})
const lock = v.parse(
  v.object({ packages: v.record(v.string(), lockedPackage) }),
  JSON.parse(readText('package-lock.json')),
)
/** All but the root, the workspace and its link, which are part of the repository. */
const installed = Object.entries(lock.packages).filter(([path, { link }]) => path.startsWith('node_modules/') && !link)
const { allowScripts, config } = v.parse(
  v.object({ allowScripts: v.record(v.string(), v.boolean()), config: v.object({ lowestNode: v.string() }) }),
  JSON.parse(readText('package.json')),
)

const compareVersions = (one: string, other: string) => one.localeCompare(other, 'en', { numeric: true })

describe('npm ci', () => {
  it('checks every package that it downloads against a hash of the lockfile', () => {
    const unchecked = installed
      .filter(([, { integrity, inBundle }]) => !inBundle && !integrity?.startsWith('sha512-'))
      .map(([path]) => path)
    expect(unchecked).toEqual([])
  })

  it('downloads packages from the registry that npm is configured with', () => {
    const addresses = [...readText('package-lock.json').matchAll(/"resolved": "([^"]+)"/g)].map(
      ([, address]) => address,
    )
    // The workspace's link has a folder for an address.
    expect(addresses).toEqual(['client'])
  })

  it('runs no install scripts of packages', () => {
    const withScripts = installed.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path)
    expect(withScripts.map((path) => [path.replace(/.*node_modules\//, ''), false])).toEqual(
      Object.entries(allowScripts),
    )
  })

  it('installs a Node that has the security fixes on five platforms', () => {
    const nodes = installed.filter(([, { bin }]) => 'node' in bin).map(([, entry]) => entry)
    const versions = nodes.map(({ version = '' }) => version)
    expect(versions.filter((version) => compareVersions(version, config.lowestNode) < 0)).toEqual([])
    expect(nodes.map(({ os, cpu }) => [os, cpu].flat().join(' ')).toSorted()).toEqual([
      'darwin arm64',
      'darwin x64',
      'linux arm64',
      'linux x64',
      'win32 x64',
    ])
  })

  it.each([
    ['v20.20.2', 1, /^error: Node 24\.14\.1 or later is required, and npm scripts would run v20\.20\.2/],
    ['v24.0.0', 1, /^error: Node 24\.14\.1 or later is required, and npm scripts would run v24\.0\.0/],
    ['v24.9.0', 1, /v24\.9\.0/],
    ['v24.14.0', 1, /v24\.14\.0/],
    ['v24.14.1', 0, /^$/],
    ['v26.0.0', 0, /^$/],
    ['v100.0.0', 0, /^$/],
  ])('on Node %s exits with code %i', (version, exitCode, message) => {
    const versions = `{ value: { ...process.versions, node: '${version.slice(1)}' } }`
    const pretend = `data:text/javascript,Object.defineProperties(process, { version: { value: '${version}' }, versions: ${versions} })`
    const { status, stderr } = spawnSync(process.execPath, ['--import', pretend, 'bin/require-node.js'], {
      encoding: 'utf8',
    })
    expect(status).toBe(exitCode)
    expect(stderr).toMatch(message)
  })

  it('refuses a folder with a backslash in one line, because Node loads no module from it', () => {
    const folder = join(mkdtempSync(join(tmpdir(), 'checkout-')), 'a\\b')
    cpSync('bin/compile-cache.cjs', join(folder, 'bin/compile-cache.cjs'))
    const { status, stderr } = spawnSync(process.execPath, ['--require', './bin/compile-cache.cjs', 'bin/load.ts'], {
      cwd: folder,
      encoding: 'utf8',
    })
    rmSync(dirname(folder), { recursive: true })
    expect(status).toBe(1)
    expect(stderr).toMatch(/^error: Node loads no modules from ".*a\\\\b": move this folder .*\n$/)
  })
})

describe('test/trino/install.sh', () => {
  it('hard-codes no host, so that Maven mirrors work', () => {
    const script = readText('test/trino/install.sh')
    expect(script).toContain('-Dartifact="io.trino:trino-server:')
    expect(script).not.toMatch(/https?:/)
  })
})
