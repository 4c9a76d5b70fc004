import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../../../bin/command/run-command.ts'
import { readOptions } from '../../../client/command-line/parse-options.ts'
import { findService } from '../../conformance/service.ts'
import { addKey } from './add-key.ts'
import { checkInspector } from './check-inspector.ts'
import { checkScenarios } from './check-scenarios.ts'
import { fetchProgram } from './packages.ts'

const usage = `
Checks the server of assistants by programs of the protocol's authors: those scenarios of the conformance suite that
need no tools of its own, and the Inspector, which lists the tools and calls one over HTTP and over pipes.

Usage: npm run test:assistants

Starts a separate service on this machine, unless CONFORMANCE_BASE_URL and CONFORMANCE_KEYS (two keys, separated by a
comma) name one. npm fetches the programs; without them, nothing is checked ("NOT checked").

Exit code: 0 if every check passes, 1 if one does not.

  --help  print this
`

await runCommand(usage, async () => {
  readOptions({ options: {} })
  const folder = await mkdtemp(join(tmpdir(), 'assistants-'))
  try {
    const absent = (await fetchProgram('conformance', folder)) ?? (await fetchProgram('mcp-inspector', folder))
    if (absent !== undefined)
      return void process.stdout.write(`*** ${absent} The server of assistants was NOT checked. ***\n`)
    await checkService(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

async function checkService(folder: string): Promise<void> {
  const { access, stop } = await findService()
  try {
    const [key] = access.keys
    if (key === undefined) throw new TypeError('the service has no key')
    const front = await addKey(access.baseUrl, key)
    try {
      const results = await checkScenarios(folder, `${front.url}/v1/mcp`)
      process.stdout.write(`${results.join('\n')}\n`)
    } finally {
      await front.close()
    }
    const lines = await checkInspector(folder, { url: access.baseUrl, key })
    process.stdout.write(`${lines.join('\n')}\n`)
  } finally {
    await stop()
  }
}
