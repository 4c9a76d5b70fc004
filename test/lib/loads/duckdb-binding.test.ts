import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { bindingPackage, findDuckdbBinding, integrityOf } from '../../../lib/loads/duckdb-binding.ts'
import { listen } from '../../../local/http-server.ts'
import { readText, root } from '../../templates/source-files.ts'

const { version, integrity } = JSON.parse(readText('package-lock.json')).packages[`node_modules/${bindingPackage}`]

let cache: string

beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), 'binding-'))
})

afterEach(() => rmSync(cache, { recursive: true }))

/** No registry answers, and npm has a cache of its own that is empty. */
const withoutRegistry = async (use: () => void) => {
  const before = { ...process.env }
  Object.assign(process.env, { npm_config_registry: 'http://127.0.0.1:9', npm_config_cache: join(cache, 'npm') })
  Object.assign(process.env, { npm_config_fetch_retries: '0' })
  try {
    use()
  } finally {
    process.env = before
  }
}

it('the library of the version that the lockfile names is the one of the workers’ platform', () => {
  expect(bindingPackage).toContain('linux-arm64')
  expect(version).toBe(JSON.parse(readText('package.json')).devDependencies['@duckdb/node-api'])
  expect(integrity).toMatch(/^sha512-/)
})

it('without a registry, the fault names the package, what npm said, and where to put the file', async () => {
  await withoutRegistry(() =>
    expect(() => findDuckdbBinding(cache)).toThrow(
      new RegExp(
        `need ${bindingPackage} ${version}.*npm pack ${bindingPackage}@${version}.*node_modules/.cache/rate-search/`,
      ),
    ),
  )
  expect(readdirSync(cache).filter((name) => name.startsWith('pack-'))).toEqual([])
})

it('an archive with another hash than the lockfile’s is refused and removed', async () => {
  writeFileSync(join(cache, `duckdb-node-bindings-linux-arm64-${version}.tgz`), 'something else')
  expect(() => findDuckdbBinding(cache)).toThrow('another hash than package-lock.json')
  expect(readdirSync(cache)).toEqual([])
})

it('npm brings the archive from the registry that it is configured for', async () => {
  const archive = Buffer.from('an archive')
  const dist = () => ({ tarball: `${registry.url}/binding.tgz`, integrity: integrityOf(archive) })
  const registry = await listen((request, response) => {
    if (request.url?.endsWith('.tgz')) return void response.end(archive)
    const versions = { [version]: { name: bindingPackage, version, dist: dist() } }
    response.end(JSON.stringify({ name: bindingPackage, 'dist-tags': { latest: version }, versions }))
  })
  const asked = `import { findDuckdbBinding } from './lib/loads/duckdb-binding.ts'
    try { findDuckdbBinding(${JSON.stringify(cache)}) } catch (error) { console.log(error.message) }`
  const child = spawn(process.execPath, ['--input-type=module', '-e', asked], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, npm_config_registry: registry.url, npm_config_cache: join(cache, 'npm') },
  })
  // It is not DuckDB's library, so it gets no further than its hash.
  expect(await text(child.stdout)).toContain('the archive that npm brought has another hash than package-lock.json')
  await registry.close()
})
