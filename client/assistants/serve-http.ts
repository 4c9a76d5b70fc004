import { createMcpHandler } from '@modelcontextprotocol/server'
import { createToolServer } from './server.ts'
import type { ToolSession } from './session.ts'
import { listOfferedTools, tools } from './tools.ts'

/** A message of an assistant, as it came over HTTP. */
interface HttpMessage {
  /** The parsed body. */
  readonly message: unknown
  readonly readHeader: (name: string) => string | undefined
}

/** The answer to a message, buffered. */
export interface HttpAnswer {
  readonly status: number
  readonly contentType: string | null
  readonly body: string
}

/** Headers that the protocol reads; the others are none of its business. */
const protocolHeaders = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name']

const isListing = (message: unknown) =>
  typeof message === 'object' && message !== null && 'method' in message && message.method === 'tools/list'

/** The version of the API, in place of a package's. */
const version = '1'

/**
 * Answers one message by a server of its own, in the version of the protocol that the message speaks. The caller has
 * checked key, origin and size.
 */
export async function answerMessage(session: ToolSession, { message, readHeader }: HttpMessage): Promise<HttpAnswer> {
  // Only the list of tools depends on what is loaded; a tool that cannot answer says so itself.
  const openServer = async () =>
    createToolServer(session, version, isListing(message) ? await listOfferedTools(session) : tools)
  const handler = createMcpHandler(openServer, {
    responseMode: 'json',
    // A subscription is a stream without an end, which a function cannot serve.
    maxSubscriptions: 0,
    keepAliveMs: 0,
    onerror: session.report,
  })
  const headers = protocolHeaders.flatMap((name) => {
    const value = readHeader(name)
    return value === undefined ? [] : [[name, value] satisfies [string, string]]
  })
  const request = new Request('http://localhost/', { method: 'POST', headers, body: JSON.stringify(message) })
  const response = await handler.fetch(request, { parsedBody: message })
  const answer = {
    status: response.status,
    contentType: response.headers.get('content-type'),
    body: await response.text(),
  }
  await handler.close()
  return answer
}
