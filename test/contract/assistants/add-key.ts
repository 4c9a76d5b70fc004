import { request } from 'node:http'
import { listen, type RunningServer } from '../../../local/http-server.ts'

/**
 * Starts a server that passes requests on to the service with a key, and everything else as it is, because the suite of
 * the protocol sends no key. Requests of this server's own origin get that of the service.
 */
export async function addKey(baseUrl: string, key: string): Promise<RunningServer> {
  const service = new URL(baseUrl)
  const server = await listen((incoming, response) => {
    const { port } = new URL(server.url)
    const ownOrigins = ['127.0.0.1', 'localhost'].map((host) => `http://${host}:${port}`)
    const isOwn = ownOrigins.includes(incoming.headers.origin ?? '')
    const headers = {
      ...incoming.headers,
      ...(isOwn && { origin: service.origin }),
      authorization: `Bearer ${key}`,
      host: service.host,
    }
    const outgoing = request(`${baseUrl}${incoming.url ?? '/'}`, { method: incoming.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    outgoing.once('error', () => response.destroy())
    incoming.pipe(outgoing)
  })
  return server
}
