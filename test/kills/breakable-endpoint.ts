import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import type { RunningServer } from '../../local/http-server.ts'

/** A TCP proxy in front of an endpoint. While it is stopped, its port refuses connections. */
export interface BreakableEndpoint extends RunningServer {
  /** Drops open connections and stops listening. */
  stop(): Promise<void>
  /** Listens on the same port again. */
  heal(): Promise<void>
}

/** Starts a proxy in front of the endpoint at `url`. */
export async function startBreakableEndpoint(url: string): Promise<BreakableEndpoint> {
  const { port: target } = new URL(url)
  const open = new Set<Socket>()
  const keep = (socket: Socket): Socket => {
    open.add(socket)
    // When one side ends, so does the other; an error is followed by the end.
    return socket.on('error', () => {}).on('close', () => open.delete(socket))
  }
  const server = createServer((client) => {
    const behind = keep(connect(Number(target), '127.0.0.1'))
    keep(client).pipe(behind).pipe(client)
    client.on('close', () => behind.destroy())
    behind.on('close', () => client.destroy())
  })
  const listenOn = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  await listenOn(0)
  const address = server.address()
  if (address === null || typeof address === 'string') throw new TypeError('the server has no port')
  const stop = async () => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    for (const socket of open) socket.destroy()
    await closed
  }
  return { url: `http://127.0.0.1:${address.port}`, stop, heal: () => listenOn(address.port), close: stop }
}
