import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { PrintableError } from '../../schema/printable-error.ts'

const root = join(import.meta.dirname, '../..')

/** DuckDB's library for the workers' platform, as the registry publishes it. */
export interface DuckdbBinding {
  /** The package's archive. */
  readonly path: string
  /** As in package-lock.json. */
  readonly integrity: string
}

/** The package of the library for Fargate's Arm processors and an image with glibc. */
export const bindingPackage = '@duckdb/node-bindings-linux-arm64'

interface Locked {
  readonly version: string
  readonly integrity: string
}

/**
 * The archive of DuckDB's library for the workers, which no other platform's `npm ci` installs. It is kept in
 * `node_modules/.cache`; if it is missing there, npm brings it, from its own cache or the registry that it is configured
 * for.
 *
 * @throws BindingNotFound if npm cannot bring it, or if it is not the one in package-lock.json
 */
export function findDuckdbBinding(cache = join(root, 'node_modules/.cache/rate-search')): DuckdbBinding {
  const { version, integrity } = readLock()
  const path = join(cache, `${bindingPackage.replace(/^@|\//g, (sign) => (sign === '/' ? '-' : ''))}-${version}.tgz`)
  if (!existsSync(path)) fetchArchive(`${bindingPackage}@${version}`, cache, path)
  if (integrityOf(readFileSync(path)) === integrity) return { path, integrity }
  rmSync(path)
  throw new BindingNotFound(version, 'the archive that npm brought has another hash than package-lock.json')
}

/** The hash of a file in the format of package-lock.json. */
export function integrityOf(bytes: Buffer): string {
  return `sha512-${createHash('sha512').update(bytes).digest('base64')}`
}

function readLock(): Locked {
  const lock: { readonly packages: Readonly<Record<string, Locked>> } = JSON.parse(
    readFileSync(join(root, 'package-lock.json'), 'utf8'),
  )
  const locked = lock.packages[`node_modules/${bindingPackage}`]
  if (locked === undefined) throw new TypeError(`package-lock.json has no ${bindingPackage}`)
  return locked
}

function fetchArchive(name: string, cache: string, path: string): void {
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'pack-'))
  try {
    const args = ['pack', name, '--prefer-offline', '--silent', '--pack-destination', folder]
    // Windows runs npm's command file only through a shell.
    const shell = process.platform === 'win32'
    execFileSync('npm', args, { cwd: root, stdio: ['ignore', 'ignore', 'pipe'], shell })
    renameSync(join(folder, readdirSync(folder)[0] ?? ''), path)
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim().split('\n')[0] : undefined
    throw new BindingNotFound(name.replace(/^.*@/, ''), said || 'npm pack failed')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** DuckDB's library for the workers is not here, and npm cannot bring it. */
export class BindingNotFound extends PrintableError {
  override readonly name = 'BindingNotFound'
  constructor(version: string, reason: string) {
    super(
      `loads on AWS need ${bindingPackage} ${version}, which npm could not bring (${reason}): ` +
        `where there is a registry, run "npm pack ${bindingPackage}@${version}" and copy the file to node_modules/.cache/rate-search/`,
    )
  }
}
