import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { CommandFailed } from '../../../bin/command/errors.ts'
import { runCommand } from '../../../bin/command/run-command.ts'
import { findService } from '../../conformance/service.ts'

const usage = `
Holds the service to docs/openapi.json with Schemathesis: every call, valid and invalid data, two organizations.

Usage: npm run test:contract -- [options of "st run"]

Without options the run is deterministic, with 50 test cases for each call at most. It starts a separate service on this
machine, or the one that CONFORMANCE_BASE_URL and CONFORMANCE_KEYS (two keys, with a comma between) name; searches are
made there. Needs Python 3.11 or later with venv; Schemathesis is installed below node_modules/.cache.

Ends with 0 if nothing was found or if there is no such Python ("skipped"), 1 if something was.
`

const root = join(import.meta.dirname, '../../..')
const requirements = join(import.meta.dirname, 'requirements.txt')
const run = promisify(execFile)

await runCommand(usage, async (args) => {
  const python = await findPython()
  if (python === undefined) {
    process.stdout.write('skipped: no Python 3.11 or later with venv was found\n')
    return
  }
  const st = await installSchemathesis(python)
  const { access: found, stop } = await findService()
  const folder = await mkdtemp(join(tmpdir(), 'schemathesis-'))
  try {
    const keys = join(folder, 'keys.json')
    await writeFile(keys, JSON.stringify(describeKeys(found.keys)), { mode: 0o600 })
    const options = args.length > 0 ? args : ['--generation-deterministic', '--max-examples', '50']
    const child = spawn(
      st,
      [
        ...['--config-file', join(import.meta.dirname, 'schemathesis.toml'), 'run', join(root, 'docs', 'openapi.json')],
        ...['--url', found.baseUrl, '--checks', 'all', '--no-color', ...options],
      ],
      { cwd: folder, stdio: 'inherit', env: { ...process.env, SCHEMATHESIS_KEYS: keys } },
    )
    const [code] = await once(child, 'exit')
    if (code !== 0) throw new CommandFailed('Schemathesis found differences between the service and docs/openapi.json')
  } finally {
    await rm(folder, { recursive: true, force: true })
    await stop()
  }
})

/** Finds the first Python that is new enough and can create virtual environments. */
async function findPython(): Promise<string | undefined> {
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

/** Installs the pinned Schemathesis unless it is installed, and returns the path of its command. */
async function installSchemathesis(python: string): Promise<string> {
  const [, version = ''] = /^schemathesis==(\S+)$/m.exec(await readFile(requirements, 'utf8')) ?? []
  const folder = join(root, 'node_modules', '.cache', `schemathesis-${version}`)
  const bin = join(folder, process.platform === 'win32' ? 'Scripts' : 'bin')
  const st = join(bin, 'st')
  const isThere = await access(st).then(
    () => true,
    () => false,
  )
  if (!isThere) {
    await run(python, ['-m', 'venv', '--clear', folder])
    await run(join(bin, 'python'), ['-m', 'pip', 'install', '--quiet', '--no-input', '--requirement', requirements])
  }
  return st
}

/** Writes the keys as Schemathesis reads them. Source: Web Fuzzing Commons, "authentication". */
function describeKeys(keys: readonly string[]) {
  const header = (key: string) => [{ name: 'Authorization', value: `Bearer ${key}` }]
  return { auth: ['own', 'other'].map((name, index) => ({ name, fixedHeaders: header(keys[index] ?? '') })) }
}
