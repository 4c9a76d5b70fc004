import type { IncomingMessage, RequestListener } from 'node:http'
import { createServer } from 'node:http'
import { isIPv4 } from 'node:net'

/** A server of this machine: the local endpoints and the API's front all listen this way. */
export interface RunningServer {
  /** `http://127.0.0.1:<port>`, without a slash at the end. */
  readonly url: string
  /** Stops listening and ends open connections. */
  close(): Promise<void>
}

/**
 * Starts an HTTP server on the loopback address. An IP and not `localhost`: with an IP the AWS SDK addresses buckets by
 * path, with a name it looks for a host per bucket.
 *
 * @param port 0 picks a free one
 * @throws PortInUse where another process listens there
 */
export async function listen(listener: RequestListener, port = 0, host = '127.0.0.1'): Promise<RunningServer> {
  if (!isIPv4(host)) throw new TypeError(`host must be an IPv4 address, not ${host}`)
  const server = createServer({ keepAliveTimeout: 30_000 }, listener)
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

/** The port that was asked for is taken. */
export class PortInUse extends Error {
  override readonly name = 'PortInUse'
  constructor(port: number) {
    super(`port ${port} is in use; choose another with --port, or 0 for any free one`)
  }
}

/** Reads a whole request body, at most `limit` bytes; undefined where it is longer (the rest is read and dropped). */
export async function readBody(request: IncomingMessage, limit = 10 * 1024 * 1024): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes <= limit) chunks.push(chunk)
  }
  return bytes <= limit ? Buffer.concat(chunks) : undefined
}
