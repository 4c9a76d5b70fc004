import { defaultMaxBytes } from '../../assistants/session.ts'
import { type Command, sharedUsage, withSession } from '../command.ts'
import { readArguments } from '../options.ts'
import { boundOptions, readBound } from '../search-request.ts'

export const mcpCommand: Command = {
  name: 'mcp',
  summary: 'answer the questions of an AI assistant on standard input and output',
  usage: `
Runs a server of the Model Context Protocol on standard input and output, for assistants that start programs, such as
Claude Desktop. An assistant can then find plans, summarise rates, and read rows with your API key.

Usage: rate-search mcp [--max-bytes <n>] [--unknown-sizes]

  --max-bytes <n>   the most bytes that a search may read before the assistant asks you; 500MB, 20GB and 1TB are
                    understood, too (default: ${defaultMaxBytes})
  --unknown-sizes   also start searches whose size the service cannot estimate, which are refused otherwise; over an
                    own relation of the operator they never are
${sharedUsage}

Assistants that take a key connect to /v1/mcp of the service without a program: see docs/assistants.md.

Examples:
  rate-search mcp
  rate-search mcp --max-bytes 1GB
  claude mcp add rate-search --env RATE_SEARCH_URL=http://127.0.0.1:3000 --env RATE_SEARCH_KEY=… -- rate-search mcp
`,
  async run(args, world, version) {
    const { values } = readArguments(args, {
      ...boundOptions,
      'unknown-sizes': { type: 'boolean', default: false },
    })
    const { max_bytes: maxBytes = defaultMaxBytes } = readBound(values)
    const sizes = { allowsUnknown: values['unknown-sizes'], setting: 'rate-search mcp --unknown-sizes' }
    await withSession(world, { ...values, quiet: true }, async ({ client, progress }) => {
      // The protocol's libraries are as large as the rest of the command, and only this one needs them.
      const { serveTools } = await import('../../assistants/serve-stdio.ts')
      const report = (error: unknown) => progress.warn(error instanceof Error ? error.message : String(error))
      const session = { calls: client, maxBytes, sizes, now: world.today, report }
      await serveTools(session, version, world)
    })
  },
}
