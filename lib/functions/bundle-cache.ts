import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** Top-level folders without anything that is bundled. The rest is read, so that a new folder cannot be forgotten. */
const unbundled = new Set(['.git', '.data', 'cdk.out', 'node_modules', 'stages', 'test'])

/** Milliseconds for which an outdated bundle is kept: another process may still copy it. */
const outdatedFor = 24 * 60 * 60 * 1000

let sourceHash: string | undefined

/**
 * Returns a folder of bundles, which is built only if a source file or an installed package has changed since it was
 * built last.
 *
 * @param name of the bundles, one word
 * @param build builds them, and returns their folder
 * @param folder of the cache. @default - in `node_modules`, so that it goes when packages are installed anew
 */
export function cacheBundles(
  name: string,
  build: () => string,
  folder = join(root, 'node_modules/.cache/bundles'),
): string {
  sourceHash ??= hashSources()
  const cached = join(folder, `${name}-${sourceHash}`)
  if (existsSync(cached)) return cached
  mkdirSync(folder, { recursive: true })
  for (const other of readdirSync(folder)) {
    const path = join(folder, other)
    if (Date.now() - statSync(path).mtimeMs > outdatedFor) rmSync(path, { recursive: true, force: true })
  }
  const draft = join(folder, `draft-${name}-${process.pid}`)
  cpSync(build(), draft, { recursive: true })
  try {
    renameSync(draft, cached)
  } catch (error) {
    // Another process was faster, with the same bytes.
    if (!existsSync(cached)) throw error
    rmSync(draft, { recursive: true })
  }
  return cached
}

/** Hashes everything that bundles can contain: all sources, and the versions of all installed packages. */
function hashSources(): string {
  const hash = createHash('sha256').update(process.version)
  const folders = readdirSync(root, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && !unbundled.has(entry.name),
  )
  const files = folders.flatMap(({ name }) =>
    readdirSync(join(root, name), { recursive: true, withFileTypes: true, encoding: 'utf8' })
      .filter((entry) => entry.isFile() && /\.(tsx?|js|css|html|json)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name)),
  )
  for (const path of [...files.sort(), join(root, 'package-lock.json'), join(root, 'node_modules/.package-lock.json')])
    hash.update(`\0${path.slice(root.length)}\0`).update(readFileSync(path))
  return hash.digest('hex').slice(0, 32)
}
