import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { service } from '../client.ts'

/** A server in front of the service, which notes each request of a program. */
export interface RequestObserver extends AsyncDisposable {
  readonly url: string
  /** Methods and paths with their queries, in order; without the request by which tools are listed. */
  readonly requests: string[]
}

/** A server of tools asks for this when an assistant connects, and an assistant may start several such servers. */
const toolListing = '/v1/fee-schedules?limit=1'

/** Starts a server that passes requests on to the service, and its answers back. */
export async function observeRequests(): Promise<RequestObserver> {
  const requests: string[] = []
  const passOn = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = 'GET', url = '/', headers } = request
    if (url !== toolListing) requests.push(`${method} ${url}`)
    const body = await buffer(request)
    const shown = ['authorization', 'content-type', 'idempotency-key'].flatMap((name) => {
      const value = headers[name]
      return typeof value === 'string' ? [[name, value] satisfies [string, string]] : []
    })
    const answer = await fetch(service.baseUrl + url, {
      method,
      headers: shown,
      ...(body.length > 0 && { body: new Uint8Array(body) }),
    })
    const retryAfter = answer.headers.get('retry-after')
    response.writeHead(answer.status, {
      'Content-Type': answer.headers.get('content-type') ?? '',
      ...(retryAfter !== null && { 'Retry-After': retryAfter }),
    })
    response.end(await answer.text())
  }
  const server = createServer((request, response) => {
    passOn(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new TypeError('the server has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
