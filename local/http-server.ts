import { createServer, type IncomingMessage, type RequestListener, type Server, STATUS_CODES } from 'node:http'
import { isIPv4 } from 'node:net'
import type { Duplex } from 'node:stream'
import { PrintableError } from '../schema/printable-error.ts'

/** A running HTTP server: each local endpoint and the API is one. */
export interface RunningServer {
  /** `http://127.0.0.1:<port>`, without a trailing slash. */
  readonly url: string
  /** Stops listening and closes open connections. */
  close(): Promise<void>
}

/** Why bytes from a client are not a valid request. */
export type MalformedRequest = 'MALFORMED_REQUEST' | 'HEADERS_TOO_LARGE' | 'REQUEST_TIMEOUT'

/** Gives the response to send instead of Node's bare status line. */
export type DescribeMalformed = (fault: MalformedRequest) => {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Starts an HTTP server on the loopback address. The host is an IP address because for `localhost` the AWS SDK would
 * use a separate host name per bucket.
 *
 * @param port 0 picks a free port
 * @param describeMalformed gives the responses to malformed requests; the listener then handles `Host` and `Expect`
 *   itself
 * @throws PortInUse if another process listens on the port
 */
export async function listen(
  listener: RequestListener,
  port = 0,
  host = '127.0.0.1',
  describeMalformed?: DescribeMalformed,
): Promise<RunningServer> {
  if (!isIPv4(host)) throw new TypeError(`host must be an IPv4 address, not ${host}`)
  const server = createServer(
    { keepAliveTimeout: 30_000, requireHostHeader: describeMalformed === undefined },
    listener,
  )
  if (describeMalformed !== undefined) answerMalformed(server, listener, describeMalformed)
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? new PortInUse(port) : error),
    )
    server.listen(port, host, resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new TypeError('the server has no port')
  return {
    url: `http://${host}:${address.port}`,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()))
        server.closeAllConnections()
      }),
  }
}

/**
 * Refuses requests from web pages, for endpoints that accept any signature. A page on another site sends an `Origin`;
 * one that points its own name at this machine (DNS rebinding) sends a `Host` that is neither an IP address nor
 * localhost.
 *
 * @param isForBrowsers which cross-origin requests are allowed; none by default
 */
export function closeToBrowsers(
  listener: RequestListener,
  isForBrowsers: (request: IncomingMessage) => boolean = () => false,
): RequestListener {
  return (request, response) => {
    const { origin, host = [] } = request.headersDistinct
    const isLocal = host.length === 1 && host.every((name) => isLocalHost(name))
    if (isLocal && (origin === undefined || isForBrowsers(request))) {
      listener(request, response)
      return
    }
    request.resume()
    const reason = isLocal ? 'an Origin header' : 'a Host other than an IP address or localhost'
    response
      .writeHead(403, { 'Content-Type': 'text/plain' })
      .end(`This endpoint is not for web pages: requests with ${reason} are refused.\n`)
  }
}

/** Names of this machine that nobody else can re-point. Docker Desktop gives its containers the second. */
const localNames = ['localhost', 'host.docker.internal']

function isLocalHost(host: string): boolean {
  const name = host.toLowerCase().replace(/:\d+$/, '')
  return isIPv4(name) || localNames.includes(name)
}

function answerMalformed(server: Server, listener: RequestListener, describe: DescribeMalformed): void {
  const refuse = (socket: Duplex, fault: MalformedRequest) => {
    const { status, headers, body } = describe(fault)
    const lines = Object.entries({ ...headers, 'Content-Length': Buffer.byteLength(body), Connection: 'close' })
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`)
    // Closing a connection with unread bytes can discard the response (RFC 9112, section 9.6), so drain it for a
    // moment.
    socket.resume()
    setTimeout(() => socket.destroy(), lingerMs)
  }
  server.on('checkExpectation', listener)
  server.on('connect', (_, socket) => refuse(socket, 'MALFORMED_REQUEST'))
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // Later errors on the connection follow from the first, which has been answered.
    if (socket.writable) refuse(socket, faultOf[error.code ?? ''] ?? 'MALFORMED_REQUEST')
  })
}

/**
 * How long such a connection stays open. The server no longer tracks it, so this also bounds how long closing takes.
 */
const lingerMs = 500

/** Source: Node.js documentation, "Event: 'clientError'". */
const faultOf: Readonly<Record<string, MalformedRequest>> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
}

/** The requested port is taken. */
export class PortInUse extends PrintableError {
  override readonly name = 'PortInUse'
  constructor(port: number) {
    super(`port ${port} is in use; choose another with --port, or 0 for any free one`)
  }
}

/** Reads a request body of at most `limit` bytes. Drains a longer one and returns undefined. */
export async function readBody(request: IncomingMessage, limit = 10 * 1024 * 1024): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes <= limit) chunks.push(chunk)
  }
  return bytes <= limit ? Buffer.concat(chunks) : undefined
}
