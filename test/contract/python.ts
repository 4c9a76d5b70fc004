import { execFile } from 'node:child_process'
import { access, readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../templates/source-files.ts'

const run = promisify(execFile)

/** Returns the name of the first Python 3.11 or later that can create virtual environments; undefined without one. */
export async function findPython(): Promise<string | undefined> {
  const check = 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))'
  for (const name of ['python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11', 'python']) {
    const isFit = await run(name, ['-c', check]).then(
      () => true,
      () => false,
    )
    if (isFit) return name
  }
  return undefined
}

/** A virtual environment. */
export interface PythonEnvironment {
  /** Folder of its commands. */
  readonly bin: string
  /** The variables of this process, with its commands first on the `PATH`. */
  readonly variables: Readonly<Record<string, string | undefined>>
}

/**
 * Installs pinned packages below node_modules/.cache, unless that was done before.
 *
 * @param tool the package whose version names the environment, such as `schemathesis`
 * @param requirements path of a file that pins the package and its dependencies
 */
export async function installTool(python: string, tool: string, requirements: string): Promise<PythonEnvironment> {
  const [, version] = new RegExp(`^${tool}==(\\S+)$`, 'm').exec(await readFile(requirements, 'utf8')) ?? []
  if (version === undefined) throw new Error(`${requirements} does not pin ${tool}`)
  const folder = join(root, 'node_modules', '.cache', `${tool}-${version}`)
  const bin = join(folder, process.platform === 'win32' ? 'Scripts' : 'bin')
  // Written last, so that an installation that was cut short is made again.
  const marker = join(folder, 'installed')
  const isInstalled = await access(marker).then(
    () => true,
    () => false,
  )
  if (!isInstalled) {
    await run(python, ['-m', 'venv', '--clear', folder])
    await run(join(bin, 'python'), ['-m', 'pip', 'install', '--quiet', '--no-input', '--requirement', requirements])
    await writeFile(marker, '')
  }
  return { bin, variables: { ...process.env, PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}` } }
}
