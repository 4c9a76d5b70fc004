import { request as sendRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { createSignIn, signInPath } from '../../../local/api-gateway/sign-in.ts'
import { listen, type RunningServer } from '../../../local/http-server.ts'

const key = 'rates_demo'

/** Starts a server that signs in, and answers 404 to everything else. */
async function startServer() {
  const signIn = createSignIn()
  const server = await listen((request, response) => {
    if (signIn.answer(request, response) === undefined) response.writeHead(404).end()
  })
  return { server, token: signIn.offer(key), signIn }
}

interface Sent {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends a token as the page does, unless told otherwise; `fetch` would not allow these headers. */
async function present({ url }: RunningServer, token: string, sent: Sent = {}) {
  const { method = 'POST', path = signInPath, headers = {} } = sent
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number | undefined; body: string }>()
  const request = sendRequest(
    `${url}${path}`,
    { method, headers: { 'Sec-Fetch-Site': 'same-origin', ...headers } },
    (response) => text(response).then((body) => resolve({ status: response.statusCode, body }), reject),
  )
  request.on('error', reject)
  request.end(token)
  return await promise
}

describe('a sign-in link of this machine', () => {
  it('gives the key to the first page that presents its token, and to no second one', async () => {
    const { server, token } = await startServer()
    expect(await present(server, token)).toEqual({ status: 200, body: key })
    expect(await present(server, token)).toEqual({ status: 403, body: '' })
    await server.close()
  })

  it('works for a page that was opened as localhost', async () => {
    const { server, token } = await startServer()
    const headers = { Host: `localhost:${new URL(server.url).port}` }
    expect(await present(server, token, { headers })).toEqual({ status: 200, body: key })
    await server.close()
  })

  const portOf = ({ url }: RunningServer) => new URL(url).port

  it.each<[string, (server: RunningServer) => Sent]>([
    ['another host, as after DNS rebinding', (server) => ({ headers: { Host: `evil.example:${portOf(server)}` } })],
    ['another port of this machine', () => ({ headers: { Host: '127.0.0.1:1' } })],
    ['a host without its port', () => ({ headers: { Host: '127.0.0.1' } })],
    ['a page of another site', () => ({ headers: { 'Sec-Fetch-Site': 'cross-site' } })],
    ['a page of another port', () => ({ headers: { 'Sec-Fetch-Site': 'same-site' } })],
    ['an address that somebody typed', () => ({ headers: { 'Sec-Fetch-Site': 'none' } })],
    ['another method', () => ({ method: 'PUT' })],
  ])('refuses %s, and keeps its token for the page', async (_, describeSent) => {
    const { server, token } = await startServer()
    expect(await present(server, token, describeSent(server))).toEqual({ status: 403, body: '' })
    expect(await present(server, token)).toEqual({ status: 200, body: key })
    await server.close()
  })

  it('refuses tokens that nobody offered, long ones included', async () => {
    const { server, token } = await startServer()
    for (const wrong of ['', token.slice(1), `${token}A`, 'A'.repeat(100_000)])
      expect(await present(server, wrong)).toEqual({ status: 403, body: '' })
    await server.close()
  })

  it('refuses programs that send no Sec-Fetch-Site, because only browsers have a reason to sign in', async () => {
    const { server, token } = await startServer()
    const response = await fetch(`${server.url}${signInPath}`, {
      method: 'POST',
      body: token,
      headers: { 'Sec-Fetch-Site': '' },
    })
    expect(response.status).toBe(403)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
    await server.close()
  })

  it('leaves all other requests to the service', async () => {
    const { server, token } = await startServer()
    expect((await present(server, token, { path: '/v1/searches' })).status).toBe(404)
    expect((await present(server, token, { path: `${signInPath}/` })).status).toBe(404)
    await server.close()
  })

  it('consists of a token of its own for each offer', async () => {
    const { server, token, signIn } = await startServer()
    const other = signIn.offer('rates_other')
    expect(other).not.toBe(token)
    expect(await present(server, other)).toEqual({ status: 200, body: 'rates_other' })
    expect(await present(server, token)).toEqual({ status: 200, body: key })
    await server.close()
  })
})
