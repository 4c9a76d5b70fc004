import { Agent, type IncomingMessage, request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import { codeOf, Unreachable } from '../errors.ts'
import { type Environment, findProxy, namesProxy } from './proxies.ts'
import { findTlsFault } from './tls-faults.ts'
import { ProxyAgent, requestOfProxy } from './tunnel.ts'

/** Maximum number of redirects that are followed. */
const maxRedirects = 5

/** Statuses of answers without a body. Source: Fetch standard, "null body status". */
const bodilessStatuses = new Set([204, 205, 304])

/**
 * Returns a `fetch` that goes through the proxies which an environment names, and says what helps if TLS fails. Without
 * proxies it is Node's own; Node 20 cannot be given one, and later versions only when they start.
 */
export function createFetch(environment: Environment): typeof fetch {
  const send: typeof fetch = namesProxy(environment) ? fetchThrough(environment) : (input, init) => fetch(input, init)
  return (input, init) => send(input, init).catch(explainFault)
}

/** Throws a fault of TLS with words that help, and any other error as it is. */
function explainFault(error: unknown): never {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = String(codeOf(cause) ?? '')
    const words = findTlsFault(code)
    if (words !== undefined) throw new Unreachable(`${words.fault} (${code}): ${words.advice}`)
  }
  throw error
}

function fetchThrough(environment: Environment): typeof fetch {
  const agents = { secure: new ProxyAgent(environment), plain: new Agent({ keepAlive: true }) }
  return async (input, init) => {
    const request = new Request(input, init)
    const body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer())
    let url = new URL(request.url)
    for (let hop = 0; hop <= maxRedirects; hop++) {
      const answer = await send(url, request, body)
      const { statusCode: status = 0, headers } = answer
      const isRedirect = status >= 301 && status <= 308 && status !== 304 && headers.location !== undefined
      if (!isRedirect || request.redirect === 'manual')
        return new Response(bodilessStatuses.has(status) ? null : answer, { status, headers: listHeaders(answer) })
      answer.destroy()
      // Bodies and keys are not sent to another address.
      const isPlainGet = request.method === 'GET' && !request.headers.has('authorization')
      if (request.redirect === 'error' || !isPlainGet) throw new TypeError('unexpected redirect')
      url = new URL(headers.location ?? '', url)
    }
    throw new TypeError(`more than ${maxRedirects} redirects`)
  }

  function send(url: URL, { method, headers, signal }: Request, body: Buffer | undefined): Promise<IncomingMessage> {
    const options = { method, headers: { 'accept-encoding': 'identity', ...Object.fromEntries(headers) }, signal }
    return new Promise((resolve, reject) => {
      const start = () => {
        if (url.protocol === 'https:') return requestSecure(url, { ...options, agent: agents.secure })
        const proxy = findProxy(url, environment)
        if (proxy === undefined) return requestPlain(url, { ...options, agent: agents.plain })
        return requestOfProxy(proxy, { ...options, path: url.href, headers: { ...options.headers, host: url.host } })
      }
      start().on('response', resolve).on('error', reject).end(body)
    })
  }
}

/** Returns the headers of an answer, as pairs of names and values. */
function listHeaders({ rawHeaders }: IncomingMessage): [string, string][] {
  return rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? '']] : []))
}
