import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { bindingPackage, findDuckdbBinding } from '../../../lib/loads/duckdb-binding.ts'
import { readText } from '../../templates/source-files.ts'

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
