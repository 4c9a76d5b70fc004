import { createMcpHandler } from '@modelcontextprotocol/server'
import { shortText } from './answer.ts'
import { createToolServer } from './server.ts'
import type { ToolSession } from './session.ts'

/** A message of an assistant, as it came over HTTP. */
interface HttpMessage {
  /** The parsed body. */
  readonly message: unknown
  readonly readHeader: (name: string) => string | undefined
  /** Reports why a message is refused, which is the client's fault and not the operator's. */
  readonly reportRefusal: (fault: string) => void
}

/** The answer to a message, buffered. */
export interface HttpAnswer {
  readonly status: number
  readonly contentType: string | null
  readonly body: string
}

/** Headers that the protocol reads; the others are none of its business. */
const protocolHeaders = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name']

/** The version of the API, in place of a package's. */
const version = '1'

/** The code of JSON-RPC for a message that is none. Source: JSON-RPC 2.0, "Error object". */
const invalidRequest = -32600

/** Refuses several messages in one: revision 2025-06-18 of the protocol removed them, and limits count messages. */
function refuseBatch(): HttpAnswer {
  const message = 'Batches were removed from the protocol in revision 2025-06-18: send each message by itself.'
  const body = { jsonrpc: '2.0', id: null, error: { code: invalidRequest, message } }
  return { status: 400, contentType: 'application/json', body: JSON.stringify(body) }
}

/**
 * Answers one message by a server of its own, in the version of the protocol that the message speaks. The caller has
 * checked key, origin and size.
 */
export async function answerMessage(
  session: ToolSession,
  { message, readHeader, reportRefusal }: HttpMessage,
): Promise<HttpAnswer> {
  if (Array.isArray(message)) {
    reportRefusal('a batch of messages')
    return refuseBatch()
  }
  const errors: unknown[] = []
  const handler = createMcpHandler(() => createToolServer(session, version), {
    responseMode: 'json',
    // A subscription is a stream without an end, which a function cannot serve.
    maxSubscriptions: 0,
    keepAliveMs: 0,
    onerror: (error) => errors.push(error),
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
  const isRefused = answer.status >= 400 && answer.status < 500
  for (const error of errors)
    if (isRefused) reportRefusal(shortText(String(error)))
    else session.report(error)
  return answer
}
