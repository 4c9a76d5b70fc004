import { STATUS_CODES } from 'node:http'
import { AddressRefused } from '../../adapters/network/network-addresses.ts'
import { Unreachable } from '../../client/errors.ts'
import { findTlsFault } from '../../client/network/tls-faults.ts'
import type { Clock } from '../../core/time.ts'
import { codeOf } from '../error-code.ts'
import { LoadRefused } from '../load-refused.ts'
import type { HttpAnswer, HttpClient } from './http-client.ts'
import { Patience, readRetryAfter, type Waiting } from './patience.ts'
import type { SignedLocations } from './signed-locations.ts'

export interface RequestDeps {
  readonly client: HttpClient
  readonly locations: SignedLocations
  readonly waiting: Waiting
  readonly now: Clock
}

/** Statuses of answers that carry facts or bytes of the file. */
const answeredStatuses = new Set([200, 206, 416])

/** Statuses of a server that may answer later. */
const transientStatuses = new Set([408, 425, 429, 500, 502, 503, 504])

/** Statuses of expired signatures: 403 (S3, CloudFront, Azure), 400 (Google), and 401 and 410 of other servers. */
const deniedStatuses = new Set([400, 401, 403, 410])

/** Pause before a busy server is asked again, in milliseconds. */
const shortestPause = 1000

/** Maximum number of fresh URLs tried in a row for denied ones, without a byte from any of them. */
const maxRenewals = 2

/** The requests for one file. They are repeated until one is answered, with fresh URLs when signatures expire. */
export class FileRequests {
  readonly address: string
  readonly patience: Patience
  readonly #deps: RequestDeps
  readonly #closing = new AbortController()
  readonly #signal: AbortSignal

  constructor(address: string, deps: RequestDeps, signal: AbortSignal | undefined) {
    this.address = address
    this.patience = new Patience(deps.waiting, deps.now)
    this.#deps = deps
    this.#signal = AbortSignal.any([this.#closing.signal, ...(signal === undefined ? [] : [signal])])
  }

  /** Ends the request that is under way. */
  close(): void {
    this.#closing.abort(new Error('the file is not needed any more'))
  }

  /**
   * Asks until there is an answer of status 200, 206 or 416.
   *
   * @throws LoadRefused if the file cannot be fetched
   */
  async ask(headers: Readonly<Record<string, string>>): Promise<HttpAnswer> {
    const { client, locations, now } = this.#deps
    for (let renewals = 0; ; ) {
      const location = locations.latestUrl(this.address)
      const answer = await client.get(location, headers, this.#signal).catch((error: unknown) => this.outlast(error))
      if (answer === undefined) continue
      const { status } = answer
      if (answeredStatuses.has(status)) return answer
      answer[Symbol.dispose]()
      const fault = `answers ${status} ${STATUS_CODES[status] ?? ''}`.trim()
      if (transientStatuses.has(status)) {
        await this.outlast(new Error(fault), readRetryAfter(answer.header('retry-after'), now()) ?? shortestPause)
        continue
      }
      const isDenied = deniedStatuses.has(status)
      const isRenewed = isDenied && ++renewals <= maxRenewals && (await locations.renew(this.address, location))
      const hint = isDenied && location !== this.address ? ' (its signature may have expired)' : ''
      if (!isRenewed) throw new LoadRefused(this.address, `${fault}${hint}`)
    }
  }

  /**
   * Waits until a request that failed may be sent again.
   *
   * @param retryAfter the server's Retry-After in milliseconds
   * @throws LoadRefused if it will not succeed, or was sent too often
   */
  async outlast(error: unknown, retryAfter?: number): Promise<undefined> {
    this.#signal.throwIfAborted()
    if (!(error instanceof Error)) throw error
    const refusal = refuse(this.address, error)
    // Certificates and settings do not get better by waiting.
    const isFinal = error instanceof AddressRefused || error instanceof Unreachable
    if (refusal === error || isFinal || findTlsFault(codeOf(error)) !== undefined) throw refusal
    await this.patience.wait(refusal, retryAfter, this.#signal)
  }
}

/**
 * Faults for messages, by the code of an error. Source: undici documentation, "Errors"; Node.js documentation, "Common
 * system errors" and "DNS".
 */
const networkFaults: Readonly<Record<string, string>> = {
  UND_ERR_SOCKET: 'cannot be fetched: its server cuts the connection',
  UND_ERR_CONNECT_TIMEOUT: 'cannot be fetched: its server does not accept the connection in time',
  UND_ERR_HEADERS_TIMEOUT: 'cannot be fetched: its server does not answer in time',
  UND_ERR_BODY_TIMEOUT: 'cannot be fetched: its server stops sending',
  ECONNREFUSED: 'cannot be fetched: nothing answers at its address',
  ECONNRESET: 'cannot be fetched: its server cuts the connection',
  ENOTFOUND: 'cannot be fetched: the name of its server is unknown',
  EAI_AGAIN: 'cannot be fetched: the name of its server cannot be looked up',
}

function refuse(address: string, cause: Error): LoadRefused {
  if (cause instanceof LoadRefused) return cause
  // The messages of network errors may contain the signed URL, so they are not shown.
  const code = codeOf(cause)
  return new LoadRefused(address, code === '' ? cause.message : describeCode(code), { cause })
}

function describeCode(code: string): string {
  const words = findTlsFault(code)
  if (words !== undefined) return `cannot be fetched: ${words.fault} (${code}): ${words.advice}`
  return networkFaults[code] ?? `cannot be fetched (${code})`
}
