import fc from 'fast-check'
import { pagePaths } from '../../contract/pages.ts'
import { findBodyFault } from '../conformance/answer-fault.ts'
import { anyBreakage, writeBroken, writeRequest } from './broken-framing.ts'
import { type Exchange, exchange, type RawAnswer } from './raw-exchange.ts'
import { anyCreation, anyRequest, type KnownValues, type RawRequest } from './raw-requests.ts'
import { rule, type Surface } from './surface.ts'

/** A running service, its keys, and a job of the first of them. */
export interface HttpTarget {
  readonly baseUrl: string
  readonly keys: readonly string[]
  readonly refusedKeys: readonly string[]
  readonly jobId: string
}

/** The whole API over HTTP, with arbitrary bytes. */
export function httpSurface(target: HttpTarget): Surface {
  const { host } = new URL(target.baseUrl)
  const knownValues: KnownValues = { keys: target.keys, refusedKeys: target.refusedKeys, jobIds: [target.jobId] }
  const send = (method: string, text: string, isCutShort = false) =>
    exchange(target.baseUrl, text, { method, isCutShort })

  return {
    name: 'http',
    rules: [
      rule(
        'any-request',
        1500,
        fc.asyncProperty(anyRequest(knownValues), async (request) => {
          const result = await send(request.method, writeRequest(host, below(target, request)))
          check(target, request, expectAnswer(result))
        }),
      ),
      rule(
        'any-search',
        300,
        fc.asyncProperty(anyCreation(knownValues), async (request) => {
          const result = await send('POST', writeRequest(host, below(target, request)))
          const answer = expectAnswer(result)
          check(target, request, answer)
          if (![202, 400, 413].includes(answer.status)) throw new Error(`answered ${answer.status}: ${answer.body}`)
        }),
      ),
      rule(
        'broken-framing',
        600,
        fc.asyncProperty(anyBreakage(anyRequest(knownValues)), async ({ request, breakage }) => {
          const { text, isCutShort } = writeBroken(host, below(target, request), breakage)
          const method = /^[A-Z-]+/.exec(text)?.[0] ?? ''
          const result = await send(method, text, isCutShort)
          // A client that disconnects, or keeps sending to a server that has refused, may get no answer, but the
          // connection must end.
          if ((isCutShort || text.length > readAtOnce) && result.outcome === 'closed' && result.received === '') return
          const answer = expectAnswer(result)
          // The HTTP server in front of the service answers malformed requests itself: only their status is checked.
          if (answer.status >= 500 && ![501, 505].includes(answer.status)) throw new Error(describe(answer))
        }),
      ),
    ],
  }
}

/**
 * A server reads about this much before it can refuse; the unread rest resets the connection and discards the answer.
 */
const readAtOnce = 65_536

/** The URL of a deployed service has its stage before every path. */
function below({ baseUrl }: HttpTarget, request: RawRequest): RawRequest {
  const prefix = new URL(baseUrl).pathname.replace(/\/$/, '')
  return request.target.startsWith('/') ? { ...request, target: prefix + request.target } : request
}

function expectAnswer(result: Exchange): RawAnswer {
  if (result.outcome === 'answered') return result.answer
  throw new Error(`the connection was ${result.outcome} after ${JSON.stringify(result.received.slice(0, 500))}`)
}

function check(target: HttpTarget, request: RawRequest, answer: RawAnswer): void {
  const fault = findFault(target, request, answer)
  if (fault !== undefined) throw new Error(`${fault}\n${describe(answer)}`)
}

const describe = ({ text }: RawAnswer) => text.slice(0, 2000)

/** Returns the first fault of an answer. */
function findFault(target: HttpTarget, request: RawRequest, answer: RawAnswer): string | undefined {
  const { status, headers, body } = answer
  if (status >= 500) return `answered ${status}`
  const leak = findLeak(target, answer)
  if (leak !== undefined) return `the answer holds ${leak}`
  // Headers that are too large do not reach the service.
  if (status === 431) return undefined
  const requestId = headers['x-request-id']
  if (!requestId) return 'no X-Request-Id'
  if (status < 400 && isForPage(request)) {
    return headers['x-content-type-options'] === 'nosniff' ? undefined : 'a page whose type may be guessed'
  }
  if (![204, 304].includes(status) && !/^application\/json\b/.test(headers['content-type'] ?? ''))
    return 'not declared as JSON'
  if (headers['cache-control'] !== 'no-store') return 'may be cached'
  if (status < 400 && !isSentBy(request, target.keys)) return 'a success without a right key'
  if (status === 403 && !isSentBy(request, target.refusedKeys)) return 'forbidden without a refused key'
  if (request.method === 'HEAD') return body === '' ? undefined : 'a body for HEAD'
  return findBodyFault(
    { method: request.method },
    status,
    [204, 304].includes(status) && body === '' ? undefined : parse(body),
    requestId,
  )
}

/** True if a request is for one of the pages, which need no key and are cached. */
function isForPage({ method, target }: RawRequest): boolean {
  const [path] = target.replace(/^https?:\/\/[^/]*/i, '').split(/[?#]/)
  return method === 'GET' && pagePaths.some((page) => page === (path || '/'))
}

/**
 * True if an `Authorization` header of the request has one of the keys, ignoring surrounding white space (RFC 9110,
 * 5.5).
 */
function isSentBy({ headers }: RawRequest, keys: readonly string[]): boolean {
  return headers.some(
    ([name, value]) =>
      name.toLowerCase() === 'authorization' &&
      keys.some((key) => new RegExp(`^[ \\t]*bearer +${key}[ \\t]*$`, 'i').test(value)),
  )
}

/** Fragments of keys' secrets, traces of the code, paths of the machine. */
function findLeak({ keys, refusedKeys }: HttpTarget, { text }: RawAnswer): string | undefined {
  const secrets = [...keys, ...refusedKeys].map((key) => key.slice(26, 56))
  if (secrets.some((secret) => [0, 6, 12, 18].some((at) => text.includes(secret.slice(at, at + 12))))) {
    return 'a part of a key'
  }
  if (/\\n\s+at |\n\s+at |\.m?[jt]s:\d+/.test(text)) return 'a stack trace'
  const positions = [process.cwd(), '/node_modules/', 'file:///', 'arn:aws:']
  return positions.find((position) => text.includes(position))
}

function parse(body: string): unknown {
  try {
    return JSON.parse(Buffer.from(body, 'latin1').toString('utf8'))
  } catch {
    return body
  }
}
