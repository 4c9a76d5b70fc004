import { once } from 'node:events'
import { type IncomingMessage, request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import { connect as connectPlain } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import { connect as connectSecure } from 'node:tls'

/** Sends requests that `fetch` cannot: without the headers that it adds, or with bytes that it refuses. */

export interface BareAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Header lines as received, in their order and spelling. */
  readonly lines: readonly string[]
  readonly body: Buffer<ArrayBuffer>
}

interface BareRequest {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends a request with only the given headers and `Host`. */
export async function sendBare(url: string, { method = 'GET', headers = {} }: BareRequest = {}): Promise<BareAnswer> {
  const send = url.startsWith('https:') ? requestSecure : requestPlain
  const request = send(url, { method, headers, agent: false })
  request.removeHeader('connection')
  const answered = once(request, 'response')
  request.end()
  const [response]: IncomingMessage[] = await answered
  if (response === undefined) throw new Error(`no response from ${new URL(url).host}`)
  const { rawHeaders } = response
  const pairs = rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? '']] : []))
  // The answer is complete even if the service keeps the connection open.
  const body = Buffer.from(await buffer(response))
  request.destroy()
  return {
    status: response.statusCode ?? 0,
    headers: Object.fromEntries(pairs.map(([name = '', value = '']) => [name.toLowerCase(), value])),
    lines: pairs.map((pair) => pair.join(': ')),
    body,
  }
}

/** Sends a GET whose `Authorization` is exactly these bytes, and returns the status of the answer. */
export async function sendAuthorizationBytes(url: string, value: Uint8Array): Promise<number> {
  const { protocol, hostname, host, port, pathname } = new URL(url)
  const isSecure = protocol === 'https:'
  const options = { host: hostname, port: Number(port || (isSecure ? 443 : 80)) }
  const socket = isSecure ? connectSecure({ ...options, servername: hostname }) : connectPlain(options)
  socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nAuthorization: `)
  socket.write(value)
  socket.write('\r\n\r\n')
  const answer = await text(socket)
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1])
}
