import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../../../bin/command/run-command.ts'
import { readOptions } from '../../../client/command-line/parse-options.ts'
import { findService } from '../../conformance/service.ts'
import { findPython } from '../python.ts'
import { checkPython } from './check-python.ts'
import { checkTypescript } from './check-typescript.ts'

const usage = `
Generates clients in Python and TypeScript from the document that the service serves, as docs/api.md describes. Imports
every module of them and calls every operation.

Usage: npm run test:clients

Starts a separate service on this machine, unless CONFORMANCE_BASE_URL and CONFORMANCE_KEYS (two keys, separated by a
comma) name one; searches are made there. Installs the generators below node_modules/.cache. Without Python 3.11 or
later with venv, the Python client is not tested ("NOT tested").

Exit code: 0 if every generated client works, 1 if one does not.

  --help  print this
`

await runCommand(usage, async () => {
  readOptions({ options: {} })
  const python = await findPython()
  const { access, stop } = await findService()
  const [key] = access.keys
  if (key === undefined) throw new TypeError('the service has no key')
  const folder = await mkdtemp(join(tmpdir(), 'generated-clients-'))
  try {
    await checkTypescript(folder, access.baseUrl)
    process.stdout.write('The client of openapi-typescript compiles\n')
    if (python === undefined) {
      process.stdout.write('*** No Python 3.11 or later with venv was found: the Python client was NOT tested. ***\n')
      return
    }
    const report = await checkPython(python, folder, { url: access.baseUrl, key })
    process.stdout.write(report)
  } finally {
    await rm(folder, { recursive: true, force: true })
    await stop()
  }
})
