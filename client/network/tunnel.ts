import { request as requestPlain } from 'node:http'
import { Agent, type RequestOptions, request as requestSecure } from 'node:https'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type ConnectionOptions, connect } from 'node:tls'
import { Unreachable } from '../errors.ts'
import { type Environment, findProxy, type ProxySetting } from './proxies.ts'

/** Longest time in which a proxy connects, in milliseconds. */
const connectTimeout = 30_000

/** Starts a request to a proxy, with the user and password of its address. */
export function requestOfProxy({ url }: ProxySetting, options: RequestOptions) {
  const { username, password, protocol, hostname, port } = url
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return (protocol === 'https:' ? requestSecure : requestPlain)({
    ...options,
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port || (protocol === 'https:' ? 443 : 80),
    agent: false,
    headers: {
      ...options.headers,
      ...(username !== '' && { 'proxy-authorization': `Basic ${Buffer.from(user).toString('base64')}` }),
    },
  })
}

/**
 * Asks a proxy for a connection to a host.
 *
 * @param host with its port, as in `rates.example.com:443`
 * @throws Unreachable if the proxy refuses, another error if it does not answer; no message has a password
 */
export function openTunnel(proxy: ProxySetting, host: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const request = requestOfProxy(proxy, { method: 'CONNECT', path: host, headers: { host }, timeout: connectTimeout })
    request.on('connect', (answer, socket) => {
      if (answer.statusCode === 200 && socket instanceof Socket) return resolve(socket)
      socket.destroy()
      return reject(refuse(proxy, host, answer.statusCode))
    })
    request.on('response', ({ statusCode }) => {
      request.destroy()
      reject(refuse(proxy, host, statusCode))
    })
    request.on('timeout', () => request.destroy(new Error('no answer in time')))
    request.on('error', (cause: NodeJS.ErrnoException) =>
      reject(new Error(describeProxy(proxy, `does not answer (${cause.code ?? cause.message})`))),
    )
    request.end()
  })
}

function refuse(proxy: ProxySetting, host: string, status = 0): Error {
  const fault =
    status === 407
      ? 'asks for a user and password (407), as in http://user:password@proxy.example:8080'
      : `refuses to connect to ${host} (status ${status})`
  const message = describeProxy(proxy, fault)
  return status >= 500 ? new Error(message) : new Unreachable(message)
}

const describeProxy = ({ url, variable }: ProxySetting, fault: string): string =>
  `the proxy ${url.host} ${fault}; ${variable} names it, and NO_PROXY the hosts that need none`

/** Opens connections of TLS, through the proxies that an environment names. */
export class ProxyAgent extends Agent {
  readonly #environment: Environment

  constructor(environment: Environment) {
    super({ keepAlive: true, maxSockets: 50 })
    this.#environment = environment
  }

  override createConnection(
    options: ConnectionOptions,
    callback?: (error: Error | null, socket: Duplex) => void,
  ): Duplex | null | undefined {
    const { host = '', port = 443 } = options
    const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`
    const proxy = findProxy(new URL(`https://${authority}`), this.#environment)
    if (proxy === undefined) return super.createConnection(options, callback)
    openTunnel(proxy, authority).then(
      (socket) => callback?.(null, connect({ ...options, socket })),
      (error: Error) => callback?.(error, new Socket()),
    )
    return undefined
  }
}
