import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../../../bin/command/run-command.ts'
import { CommandFailed } from '../../../client/command-line/command-errors.ts'
import { at } from '../../../schema/at.ts'
import { findService } from '../../conformance/service.ts'
import { root } from '../../templates/source-files.ts'
import { findPython, installTool } from '../python.ts'

const usage = `
Compares the service with docs/openapi.json by Schemathesis: every call, valid and invalid data, two organizations.

Usage: npm run test:contract -- [options of "st run"]

Without options the run is deterministic, with at most 50 test cases for each call. Starts a separate service on this
machine, unless CONFORMANCE_BASE_URL and CONFORMANCE_KEYS (two keys, separated by a comma) name one; searches are made
there. Needs Python 3.11 or later with venv, and installs Schemathesis below node_modules/.cache.

Exit code: 0 if there are no differences or no such Python ("skipped"), 1 if there are differences.
`

const requirements = join(import.meta.dirname, 'requirements.txt')

await runCommand(usage, async (args) => {
  const python = await findPython()
  if (python === undefined) {
    process.stdout.write('skipped: no Python 3.11 or later with venv was found\n')
    return
  }
  const { bin } = await installTool(python, 'schemathesis', requirements)
  const { access, stop } = await findService()
  const folder = await mkdtemp(join(tmpdir(), 'schemathesis-'))
  try {
    const keys = join(folder, 'keys.json')
    await writeFile(keys, JSON.stringify(describeKeys(access.keys)), { mode: 0o600 })
    const options = args.length > 0 ? args : ['--generation-deterministic', '--max-examples', '50']
    const child = spawn(
      join(bin, 'st'),
      [
        ...['--config-file', join(import.meta.dirname, 'schemathesis.toml'), 'run', join(root, 'docs', 'openapi.json')],
        ...['--url', access.baseUrl, '--checks', 'all', '--no-color', ...options],
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

/** Writes the keys as Schemathesis reads them. Source: Web Fuzzing Commons, "authentication". */
function describeKeys(keys: readonly string[]) {
  const header = (key: string) => [{ name: 'Authorization', value: `Bearer ${key}` }]
  return { auth: ['own', 'other'].map((name, index) => ({ name, fixedHeaders: header(at(keys, index)) })) }
}
