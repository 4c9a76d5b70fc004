import { spawnSync } from 'node:child_process'
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
const { allowScripts } = v.parse(
  v.object({ allowScripts: v.record(v.string(), v.boolean()) }),
  JSON.parse(readText('package.json')),
)

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

  it('installs Node 24 on five platforms', () => {
    const nodes = installed.filter(([, { bin }]) => 'node' in bin).map(([, entry]) => entry)
    expect(nodes.filter(({ version }) => !version?.startsWith('24.'))).toEqual([])
    expect(nodes.map(({ os, cpu }) => [os, cpu].flat().join(' ')).toSorted()).toEqual([
      'darwin arm64',
      'darwin x64',
      'linux arm64',
      'linux x64',
      'win32 x64',
    ])
  })

  it.each([
    ['v20.20.2', 1, /^error: Node 24 or later is required, and npm scripts would run v20\.20\.2/],
    ['v24.0.0', 0, /^$/],
    ['v100.0.0', 0, /^$/],
  ])('on Node %s exits with code %i', (version, exitCode, message) => {
    const pretend = `data:text/javascript,Object.defineProperty(process, 'version', { value: '${version}' })`
    const { status, stderr } = spawnSync(process.execPath, ['--import', pretend, 'bin/require-node.js'], {
      encoding: 'utf8',
    })
    expect(status).toBe(exitCode)
    expect(stderr).toMatch(message)
  })
})

describe('test/trino/install.sh', () => {
  it('hard-codes no host, so that Maven mirrors work', () => {
    const script = readText('test/trino/install.sh')
    expect(script).toContain('-Dartifact="io.trino:trino-server:')
    expect(script).not.toMatch(/https?:/)
  })
})
