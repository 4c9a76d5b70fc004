import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { isIPv4 } from 'node:net'
import { PrintableError } from '../schema/printable-error.ts'

/** A running HTTP server: each local endpoint and the API is one. */
export interface RunningServer {
  /** `http://127.0.0.1:<port>`, without a trailing slash. */
  readonly url: string
  /** Stops listening and closes open connections. */
  close(): Promise<void>
}

/**
 * Starts an HTTP server on the loopback address, by its IP address: for `localhost` the AWS SDK would use a separate
 * host name per bucket. Node itself answers bytes that are not a request, as the edge of AWS does.
 *
 * @param port 0 picks a free port
 * @param maxReceivingMs time within which a request must have arrived, in milliseconds: Node loses errors in the chunks
 *   of a request with an `Upgrade` header, and would wait for its end. @default - five minutes, which large uploads may
 *   take
 * @throws PortInUse if another process listens on the port
 */
export async function listen(listener: RequestListener, port = 0, maxReceivingMs = 300_000): Promise<RunningServer> {
  const limits = { requestTimeout: maxReceivingMs, connectionsCheckingInterval: 1000 }
  const server = createServer({ keepAliveTimeout: 30_000, ...limits }, listener)
  // An unknown `Expect` is ignored, as on AWS.
  server.on('checkExpectation', listener)
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? new PortInUse(port) : error),
    )
    server.listen(port, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new TypeError('the server has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
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
 * @param isForBrowsers true for a cross-origin request that is allowed. @default - none
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

/** The requested port is taken. */
export class PortInUse extends PrintableError {
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
