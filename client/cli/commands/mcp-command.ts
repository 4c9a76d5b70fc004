import { readFile } from 'node:fs/promises'
import { plotFile } from '../../../contract/mcp.ts'
import { defaultMaxBytes } from '../../assistants/session.ts'
import { UsageError } from '../../command-line/command-errors.ts'
import { type Command, sharedUsage, withSession } from '../command.ts'
import { readArguments } from '../options.ts'

export const mcpCommand: Command = {
  name: 'mcp',
  summary: 'answer the questions of an AI assistant on standard input and output',
  usage: `
Runs a server of the Model Context Protocol on standard input and output, for assistants that start programs, such as
Claude Desktop. An assistant can then find plans, summarise rates, and read rows with your API key.

Usage: rate-search mcp [--max-bytes <number>]

  --max-bytes <number>  the most bytes that a search may read before the assistant asks you (default: ${defaultMaxBytes})
${sharedUsage}

Assistants that take a key connect to /v1/mcp of the service without a program: see docs/assistants.md.

Examples:
  rate-search mcp
  rate-search mcp --max-bytes 1000000000
  claude mcp add rate-search --env RATE_SEARCH_URL=http://127.0.0.1:3000 --env RATE_SEARCH_KEY=… -- rate-search mcp
`,
  async run(args, world, version) {
    const { values } = readArguments(args, { 'max-bytes': { type: 'string' } })
    const maxBytes = readMaxBytes(values['max-bytes'])
    await withSession(world, { ...values, quiet: true }, async ({ client, progress }) => {
      // The protocol's libraries are as large as the rest of the command, and only this one needs them.
      const { serveTools } = await import('../../assistants/serve-stdio.ts')
      const report = (error: unknown) => progress.warn(error instanceof Error ? error.message : String(error))
      const session = { calls: client, maxBytes, now: world.today, report, plot: await readPlot() }
      await serveTools(session, version, world)
    })
  },
}

/** Reads the document that the build puts beside the command; the sources, which are not built, have none. */
async function readPlot(): Promise<string | undefined> {
  return await readFile(new URL(plotFile, import.meta.url), 'utf8').catch(() => undefined)
}

function readMaxBytes(written: string | undefined): number {
  if (written === undefined) return defaultMaxBytes
  if (!/^[1-9]\d{0,14}$/.test(written)) throw new UsageError(`--max-bytes must be a number of bytes, not "${written}"`)
  return Number(written)
}
