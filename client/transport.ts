import { type Calls, type ErrorBody, routes } from './api.ts'
import { ApiError, ConnectionFailed, Unreachable } from './errors.ts'
import { backoffMs, type Sleep, sleepByClock } from './retries.ts'

/** Address, key and retries of a client. */
export interface ClientOptions {
  /** Address of the service, such as `https://rates.example.com`; a path in it is kept. */
  readonly url: string
  /** API key of an organization. */
  readonly key: string
  /** Number of retries after a lost connection, 429 or 5xx. @default 4 */
  readonly retries?: number
  /** Timeout of a try, in seconds. @default 60 */
  readonly timeoutSeconds?: number
  /** @default - the global `fetch`; in Node, through the proxies of HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY */
  readonly fetch?: typeof fetch
  /** @default - sleeps in real time */
  readonly sleep?: Sleep
  /** A number from 0 to 1 that spreads retries. @default Math.random */
  readonly random?: () => number
  /** Milliseconds of a clock that only moves forward. @default - the process's */
  readonly now?: () => number
  /** Called before the wait for each retry, to show or log it. */
  readonly onRetry?: (retry: Retry) => void
}

/** A retry that a client is about to make. */
export interface Retry {
  /** Reason of the failure before this retry. */
  readonly error: ApiError | ConnectionFailed
  /** Number of this retry, from 1. */
  readonly retry: number
  /** Number of retries after which the call gives up. */
  readonly retries: number
  /** Seconds until this retry. */
  readonly seconds: number
}

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

/** A call's method, path, headers and body. */
export type CallRequest<Name extends keyof Calls> = Partial<Omit<Calls[Name], 'answer'>>

/** The body of an answer, with facts from its headers. */
export interface CallAnswer<Body> {
  readonly body: Body
  /** Seconds until the next poll. */
  readonly retryAfterSeconds: number | undefined
}

/** The longest `Retry-After` that a call waits for; longer ones are left to the caller. */
const maxRetryAfterSeconds = 60

const retriedStatuses = new Set([429, 500, 502, 503, 504])

/**
 * Calls the API with a key. Every call can be retried: reads are safe, `POST /v1/searches` has an idempotency key, and
 * cancelling and deleting are idempotent.
 */
export class Transport {
  readonly sleep: Sleep
  readonly random: () => number
  readonly now: () => number
  readonly fetch: typeof fetch
  readonly #base: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #retries: number
  readonly #timeoutMs: number
  readonly #onRetry: ((retry: Retry) => void) | undefined

  /** @throws TypeError if the address or the key is malformed */
  constructor({ url, key, ...options }: ClientOptions) {
    const shown = url.replace(/\/\/[^/]*@/, '//…@')
    if (!URL.canParse(url) || !/^https?:\/\//i.test(url))
      throw new TypeError(`the address of the service must begin with https:// or http://; got "${shown}"`)
    if (shown !== url) throw new TypeError(`the address of the service must have no user and password; got "${shown}"`)
    if (typeof key !== 'string' || !/^[!-~]+$/.test(key))
      throw new TypeError('the API key must be visible ASCII characters without spaces')
    this.#base = url.replace(/[?#].*$/, '').replace(/\/+$/, '')
    this.#headers = { Accept: 'application/json', Authorization: `Bearer ${key}` }
    this.#retries = options.retries ?? 4
    this.#timeoutMs = (options.timeoutSeconds ?? 60) * 1000
    // Browsers reject `fetch` when called as a method of another object.
    this.fetch = options.fetch ?? ((input, init) => fetch(input, init))
    this.sleep = options.sleep ?? sleepByClock
    this.random = options.random ?? Math.random
    this.now = options.now ?? (() => performance.now())
    this.#onRetry = options.onRetry
  }

  /** @throws ApiError, ConnectionFailed, or the signal's reason */
  async call<Name extends keyof Calls>(
    name: Name,
    request: CallRequest<Name>,
    { signal }: CallOptions = {},
  ): Promise<CallAnswer<Calls[Name]['answer']>> {
    for (let failures = 0; ; ) {
      try {
        return await this.#try(name, request, signal)
      } catch (error) {
        signal?.throwIfAborted()
        failures += 1
        const isGone = error instanceof ApiError && error.status === 404
        // The answer to the previous try was lost, and that try has deleted the search.
        if (name === 'delete-search' && isGone && failures > 1) return { body: undefined, retryAfterSeconds: undefined }
        if (!isOfService(error)) throw error
        const delay = this.#delayBefore(error, failures)
        if (delay === undefined) throw error
        this.#onRetry?.({ error, retry: failures, retries: this.#retries, seconds: delay / 1000 })
        await this.sleep(delay, signal)
      }
    }
  }

  /** Milliseconds until the next try; undefined if there is none. */
  #delayBefore(error: ApiError | ConnectionFailed, failures: number): number | undefined {
    if (failures > this.#retries || error.cause instanceof Unreachable) return undefined
    if (error instanceof ConnectionFailed) return backoffMs(failures, this.random)
    if (!retriedStatuses.has(error.status)) return undefined
    const { retryAfterSeconds } = error
    if (retryAfterSeconds === undefined) return backoffMs(failures, this.random)
    return retryAfterSeconds <= maxRetryAfterSeconds ? retryAfterSeconds * 1000 : undefined
  }

  async #try<Name extends keyof Calls>(
    name: Name,
    request: CallRequest<Name>,
    signal: AbortSignal | undefined,
  ): Promise<CallAnswer<Calls[Name]['answer']>> {
    const { method, path } = routes[name]
    const url = this.#base + fillPath(path, request.path ?? {}) + writeQuery(request.query ?? {})
    const isJson = request.body === undefined ? {} : { 'Content-Type': 'application/json' }
    const timeout = AbortSignal.timeout(this.#timeoutMs)
    let response: Response
    let text: string | undefined
    try {
      response = await this.fetch(url, {
        method,
        headers: { ...this.#headers, ...isJson, ...request.headers },
        // A redirected POST would become a GET.
        redirect: 'error',
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
        ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
      })
      text = await readText(response)
    } catch (cause) {
      signal?.throwIfAborted()
      throw new ConnectionFailed(`no answer from ${this.#base}: ${describeCause(cause)}`, { cause })
    }
    if (text === undefined) throw unexpectedAnswer(this.#base, response.status)
    const seconds = response.headers.get('retry-after') ?? ''
    const retryAfterSeconds = /^\d{1,9}$/.test(seconds) ? Number(seconds) : undefined
    if (!response.ok) throw readError(this.#base, response.status, text, retryAfterSeconds)
    return { body: response.status === 204 ? undefined : readBody(this.#base, response, text), retryAfterSeconds }
  }
}

const isOfService = (error: unknown): error is ApiError | ConnectionFailed =>
  error instanceof ApiError || error instanceof ConnectionFailed

/** Maximum size of an answer: the longest one is a manifest of a few megabytes. */
const maxAnswerBytes = 1 << 24

/** Returns undefined for a text that is too long: a few compressed bytes may expand to gigabytes. */
async function readText({ body }: Response): Promise<string | undefined> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for (const reader = body?.getReader(); reader !== undefined; ) {
    const { done, value } = await reader.read()
    if (done) break
    bytes += value.length
    if (bytes > maxAnswerBytes) {
      reader.cancel().catch(() => {})
      return undefined
    }
    text += decoder.decode(value, { stream: true })
  }
  return text + decoder.decode()
}

/** Parses an answer without checking it against the contract, which the tests of the service do. */
function readBody<Body>(base: string, { status, headers }: Response, text: string): Body {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const isJson = headers.get('content-type')?.startsWith('application/json') ?? false
    throw isJson ? new ConnectionFailed(`an answer of ${base} broke off`, { cause }) : unexpectedAnswer(base, status)
  }
}

function readError(base: string, status: number, text: string, retryAfterSeconds: number | undefined): ApiError {
  try {
    const { error }: Partial<ErrorBody> = JSON.parse(text)
    const hint = status === 404 && base.endsWith('/v1') ? ` Leave "/v1" out of the address ${base}.` : ''
    if (typeof error?.message === 'string')
      return new ApiError(status, { ...error, message: error.message + hint }, retryAfterSeconds)
  } catch {
    // A proxy answered in HTML.
  }
  return unexpectedAnswer(base, status, retryAfterSeconds)
}

function unexpectedAnswer(base: string, status: number, retryAfterSeconds?: number): ApiError {
  const message = `${base} answered with status ${status} and not as this service does: check the address`
  return new ApiError(status, { type: 'unexpected_answer', message }, retryAfterSeconds)
}

/** Describes the innermost cause: `fetch` throws "fetch failed" and puts the reason into its causes. */
export function describeCause(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return 'it took too long'
  if (error instanceof AggregateError) return describeCause(error.errors[0])
  return error.cause instanceof Error ? describeCause(error.cause) : error.message
}

const fillPath = (path: string, values: Readonly<Record<string, string>>) =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''))

function writeQuery(values: Readonly<Record<string, string | number | undefined>>): string {
  const pairs = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  )
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}
