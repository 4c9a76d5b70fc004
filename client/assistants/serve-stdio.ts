import { once } from 'node:events'
import { Readable, Writable } from 'node:stream'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { createToolServer } from './server.ts'
import type { ToolSession } from './session.ts'

/** The pipes of a server: requests come in, answers go out, one JSON message a line. */
interface Pipes {
  readonly input: AsyncIterable<Uint8Array>
  readonly output: { write(text: string): unknown }
  readonly signal: AbortSignal
}

/** Serves the tools on pipes until the input ends or the signal aborts. */
export async function serveTools(session: ToolSession, version: string, pipes: Pipes): Promise<void> {
  const input = Readable.from(pipes.input, { objectMode: false })
  const output = new Writable({
    write: (line: Buffer, _encoding, done) => {
      pipes.output.write(line.toString('utf8'))
      done()
    },
  })
  const transport = new StdioServerTransport(input, output)
  const server = serveStdio(() => createToolServer(session, version), { transport, onerror: session.report })
  try {
    await once(input, 'close', { signal: pipes.signal })
  } catch (error) {
    // Ctrl-C is how people end a server, so it is no failure.
    if (!pipes.signal.aborted) throw error
  } finally {
    await server.close()
  }
}
