import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { connect } from 'node:net'
import { portOf } from './tls-server.ts'

/** A proxy on this machine, which leads to one port whatever host it is asked for. */
export interface ConnectProxy extends AsyncDisposable {
  readonly url: string
  /** Requests that arrived: `CONNECT rates.example:443`, or `GET http://rates.example/…`. */
  readonly asked: readonly string[]
}

/** @param user the user and password that it asks for, as in `user:password`. @default - none */
export async function startConnectProxy(port: number, user?: string): Promise<ConnectProxy> {
  const asked: string[] = []
  const isAllowed = (header: string | undefined) =>
    user === undefined || header === `Basic ${Buffer.from(user).toString('base64')}`
  const server = createServer((incoming, response) => {
    asked.push(`${incoming.method} ${incoming.url}`)
    if (!isAllowed(incoming.headers['proxy-authorization'])) return response.writeHead(407).end()
    const { pathname, search } = new URL(incoming.url ?? '')
    const options = { port, method: incoming.method, path: pathname + search, headers: incoming.headers }
    const forwarded = request(options, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    return incoming.pipe(forwarded)
  })
  server.on('connect', ({ url, headers }, socket) => {
    asked.push(`CONNECT ${url}`)
    socket.on('error', () => undefined)
    if (!isAllowed(headers['proxy-authorization'])) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
      return
    }
    const target = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      socket.pipe(target).pipe(socket)
    })
    target.on('error', () => socket.destroy())
    socket.on('close', () => target.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    asked,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
