import { connect as connectPlain } from 'node:net'
import { connect as connectSecure } from 'node:tls'

/** Sends one request byte for byte, because `fetch` repairs or refuses what a hostile client sends. */

export interface RawAnswer {
  readonly status: number
  /** Names in lower case, values unchanged. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The whole answer, to search for what it must not contain. */
  readonly text: string
}

export type Exchange =
  | { readonly outcome: 'answered'; readonly answer: RawAnswer }
  /** The server closed the connection before the answer was complete. */
  | { readonly outcome: 'closed'; readonly received: string }
  | { readonly outcome: 'silent'; readonly received: string }

/** Longest time that a connection may be silent. */
const maxSilenceMs = 10_000

/**
 * Sends bytes (as Latin-1) over a new connection and reads one answer.
 *
 * @param isCutShort true if the client closes its side after the last byte, like one that disconnects mid-request
 */
export function exchange(
  baseUrl: string,
  request: string,
  { method, isCutShort }: { readonly method: string; readonly isCutShort: boolean },
): Promise<Exchange> {
  const { protocol, hostname, port } = new URL(baseUrl)
  const isSecure = protocol === 'https:'
  const options = { host: hostname, port: Number(port || (isSecure ? 443 : 80)) }
  const socket = isSecure ? connectSecure({ ...options, servername: hostname }) : connectPlain(options)
  return new Promise((resolve) => {
    let received = ''
    const end = (result: Exchange) => {
      socket.destroy()
      resolve(result)
    }
    socket.setEncoding('latin1')
    socket.setTimeout(maxSilenceMs, () => end({ outcome: 'silent', received }))
    socket.on('data', (chunk) => {
      received += chunk
      const answer = parseAnswer(received, method)
      if (answer !== undefined) end({ outcome: 'answered', answer })
    })
    // A server that answers before it has read the whole request may reset the connection; keep what was received.
    socket.on('error', () => {})
    socket.on('close', () => {
      const answer = parseAnswer(received, method, true)
      end(answer ? { outcome: 'answered', answer } : { outcome: 'closed', received })
    })
    socket.write(request, 'latin1')
    if (isCutShort) socket.end()
  })
}

/** Parses the first final answer; undefined while incomplete. Without a length it ends with the connection. */
function parseAnswer(received: string, method: string, isEnded = false): RawAnswer | undefined {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd === -1) return undefined
  const [statusLine = '', ...lines] = received.slice(0, headEnd).split('\r\n')
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(statusLine)?.[1])
  const rest = received.slice(headEnd + 4)
  if (status >= 100 && status < 200) return parseAnswer(rest, method, isEnded)
  const headers = Object.fromEntries(
    lines.map((line) => {
      const [, name = '', value = ''] = /^([^:]*):\s*(.*)$/s.exec(line) ?? []
      return [name.toLowerCase(), value]
    }),
  )
  const isEmpty = method === 'HEAD' || status === 204 || status === 304
  const body = isEmpty ? '' : readBody(rest, headers, isEnded)
  return body === undefined ? undefined : { status, headers, body, text: received }
}

function readBody(rest: string, headers: Readonly<Record<string, string>>, isEnded: boolean): string | undefined {
  const length = headers['content-length']
  if (length !== undefined) return rest.length >= Number(length) ? rest.slice(0, Number(length)) : undefined
  if (headers['transfer-encoding'] === undefined) return isEnded ? rest : undefined
  return joinChunks(rest)
}

/** Joins the chunks up to the empty one; later bytes belong to another answer. */
function joinChunks(rest: string): string | undefined {
  let body = ''
  for (let at = 0; ; ) {
    const lineEnd = rest.indexOf('\r\n', at)
    if (lineEnd === -1) return undefined
    const length = Number.parseInt(rest.slice(at, lineEnd), 16)
    const end = lineEnd + 2 + length
    if (!(rest.length >= end + 2)) return undefined
    if (length === 0) return body
    body += rest.slice(lineEnd + 2, end)
    at = end + 2
  }
}
