import { Agent, buildConnector, type Dispatcher } from 'undici'
import { AddressRefused, type AddressRules, guardLookup } from '../../adapters/network/network-addresses.ts'
import { readRemoteUrl } from '../../adapters/network/remote-address.ts'
import { findProxy, processEnvironment } from '../../client/network/proxies.ts'
import { openTunnel } from '../../client/network/tunnel.ts'
import { defaultUserAgent, type HttpSettings, privateHint } from './http-settings.ts'

const connectTimeout = 30_000
const maxRedirects = 5

/** Bytes that may wait for their reader before the connection is paused. */
const maxWaiting = 1 << 20

/** An answer whose body has not been read. Dispose it to end the request. */
export interface HttpAnswer extends Disposable {
  readonly status: number
  /** The address that answered, after redirects. */
  readonly address: string
  header(name: string): string | undefined
  /** @throws the error that cut the body, after all bytes before it */
  readonly body: AsyncGenerator<Buffer>
}

/**
 * Sends GET requests: through the proxies that the environment names, over HTTP/1.1, so that each answer has its own
 * connection. Bodies are not unpacked, because sizes and ranges are those of the stored bytes.
 */
export class HttpClient implements AsyncDisposable {
  readonly #userAgent: string
  readonly #rules: AddressRules
  readonly #dispatcher: Dispatcher

  constructor(settings: HttpSettings) {
    const { userAgent = defaultUserAgent, allowPrivateAddresses = false, idleTimeout = 60_000 } = settings
    this.#userAgent = userAgent
    this.#rules = { allowsPrivate: allowPrivateAddresses, hint: privateHint }
    this.#dispatcher = new Agent({
      allowH2: false,
      connectTimeout,
      headersTimeout: idleTimeout,
      bodyTimeout: idleTimeout,
      connect: connectThroughProxies(buildConnector({ lookup: guardLookup(this.#rules), timeout: connectTimeout })),
    })
  }

  /**
   * Sends a GET request and follows redirects.
   *
   * @throws AddressRefused if the address, or one that it redirects to, must not be fetched from
   * @throws an error of the network
   */
  async get(location: string, headers: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<HttpAnswer> {
    let url = readRemoteUrl(location, this.#rules)
    for (let hop = 0; hop <= maxRedirects; hop++) {
      const answer = await this.#send(url, headers, signal)
      const target = answer.status >= 301 && answer.status <= 308 ? answer.header('location') : undefined
      if (target === undefined || answer.status === 304) return answer
      answer[Symbol.dispose]()
      url = readRemoteUrl(target, this.#rules, url)
    }
    throw new AddressRefused(`redirects more than ${maxRedirects} times`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#dispatcher.destroy()
  }

  async #send(url: URL, headers: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<HttpAnswer> {
    const {
      statusCode,
      headers: answerHeaders,
      body,
    } = await this.#dispatcher.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: 'GET',
      headers: { 'user-agent': this.#userAgent, 'accept-encoding': 'identity', accept: '*/*', ...headers },
      highWaterMark: maxWaiting,
      signal: signal ?? null,
    })
    // The reader of the body gets the error; without a listener, an unread body would end the process.
    body.on('error', () => undefined)
    return {
      status: statusCode,
      address: url.href,
      header: (name) => [answerHeaders[name]].flat()[0],
      body: readBody(body),
      [Symbol.dispose]: () => void body.destroy(),
    }
  }
}

/**
 * Connects through the proxy of a host if the environment names one. The guard of addresses does not apply to a proxy,
 * which belongs to the operator and resolves host names itself.
 */
function connectThroughProxies(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) => {
    const url = new URL(`${options.protocol}//${options.host ?? options.hostname}`)
    const proxy = findProxy(url, processEnvironment)
    if (proxy === undefined || options.httpSocket !== undefined) return connect(options, callback)
    openTunnel(proxy, `${url.hostname}:${url.port || 443}`).then(
      (socket) => connect({ ...options, httpSocket: socket }, callback),
      (error: Error) => callback(error, null),
    )
  }
}

/**
 * Reads a body up to its end. Unlike the iterator of a stream, it yields all bytes that arrived before a cut, so that
 * none is fetched twice.
 */
async function* readBody(body: Dispatcher.ResponseData['body']): AsyncGenerator<Buffer> {
  let wake: () => void = () => undefined
  for (const event of ['readable', 'end', 'close']) body.on(event, () => wake())
  for (;;) {
    const chunk: Buffer | null = body.read()
    if (chunk !== null) yield chunk
    else if (body.errored !== null) throw body.errored
    else if (body.readableEnded) return
    else
      await new Promise<void>((resolve) => {
        wake = resolve
      })
  }
}
