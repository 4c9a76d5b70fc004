import { STATUS_CODES } from 'node:http'
import { AddressRefused } from '../../../adapters/network/network-addresses.ts'
import type { Clock } from '../../../core/time.ts'
import { codeOf } from '../error-code.ts'
import { LoadRefused } from '../load-refused.ts'
import { HostSlots } from '../slots.ts'
import { defaultConnections, type HttpAnswer, HttpClient, type HttpSettings } from './http-client.ts'
import { Patience, readRetryAfter, type Waiting } from './patience.ts'
import { RemoteBody } from './remote-body.ts'
import { type RemoteFacts, readFacts } from './remote-facts.ts'
import type { SignedLocations } from './signed-locations.ts'

interface RemoteDeps {
  readonly locations: SignedLocations
  readonly waiting: Waiting
  readonly now: Clock
}

/** Statuses of a server that may answer later. */
const transient = new Set([408, 425, 429, 500, 502, 503, 504])

/** Statuses of expired signatures: 403 (S3, CloudFront, Azure), 400 (Google), and others of servers of their own. */
const denied = new Set([400, 401, 403, 410])

/** Milliseconds before a server that is busy is asked again. */
const shortestPause = 1000

/** How many other URLs are tried for a denied one without a new byte. */
const maxRenewals = 2

/**
 * Fetches published files from web servers: streamed, resumed when they are cut, with fresh URLs when signatures expire.
 * Files are named by their addresses, which are URLs without signatures.
 */
export class RemoteFiles implements AsyncDisposable {
  readonly settings: HttpSettings
  readonly locations: SignedLocations
  /** Limits how many files are fetched from a host at the same time; taken by those who start to read a file. */
  readonly hosts: HostSlots
  readonly #client: HttpClient
  readonly #deps: RemoteDeps

  constructor(settings: HttpSettings, deps: RemoteDeps) {
    this.settings = settings
    this.hosts = new HostSlots(settings.connections ?? defaultConnections)
    this.#client = new HttpClient(settings)
    this.locations = deps.locations
    this.#deps = deps
  }

  /**
   * Asks for a file's size and entity tag. HEAD would be denied where only GET is signed, so this gets one byte.
   *
   * @throws LoadRefused if the file cannot be fetched
   */
  async probe(address: string, signal?: AbortSignal): Promise<RemoteFacts> {
    using answer = await this.#requestsOf(address, signal).ask({ range: 'bytes=0-0' })
    // A connection whose answer is read whole can be used again.
    if (answer.status !== 200) await answer.body.next().catch(() => undefined)
    return readFacts(answer)
  }

  /** @throws LoadRefused if the file cannot be fetched */
  async open(address: string, signal?: AbortSignal): Promise<RemoteBody> {
    const closing = new AbortController()
    const signals = [closing.signal, ...(signal === undefined ? [] : [signal])]
    const requests = this.#requestsOf(address, AbortSignal.any(signals))
    const first = await requests.ask({})
    if (first.status !== 200) {
      first[Symbol.dispose]()
      throw new LoadRefused(address, 'is answered with a part of it')
    }
    return new RemoteBody(requests, first, () => closing.abort(new Error('the file is not needed any more')))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client[Symbol.asyncDispose]()
  }

  #requestsOf(address: string, signal: AbortSignal | undefined) {
    const patience = new Patience(this.#deps.waiting, this.#deps.now)
    const isFinal = (error: unknown) =>
      error instanceof LoadRefused || error instanceof AddressRefused || isUntrusted(error) || signal?.aborted === true
    const wait = async (failure: Error, asked?: number) => {
      await patience.wait(refuse(address, failure), asked, signal)
    }
    const get = async (location: string, headers: Readonly<Record<string, string>>) => {
      for (;;) {
        try {
          return await this.#client.get(location, headers, signal)
        } catch (error) {
          signal?.throwIfAborted()
          if (!(error instanceof Error)) throw error
          if (isFinal(error)) throw refuse(address, error)
          await wait(error)
        }
      }
    }
    const ask = async (headers: Readonly<Record<string, string>>): Promise<HttpAnswer> => {
      for (let renewals = 0; ; ) {
        const location = this.locations.current(address)
        const answer = await get(location, headers)
        if (answer.status === 200 || answer.status === 206 || answer.status === 416) return answer
        answer[Symbol.dispose]()
        const fault = `answers ${answer.status} ${STATUS_CODES[answer.status] ?? ''}`.trim()
        if (transient.has(answer.status)) {
          const asked = readRetryAfter(answer.header('retry-after'), this.#deps.now())
          await wait(new Error(fault), asked ?? shortestPause)
          continue
        }
        const isRenewed =
          denied.has(answer.status) &&
          ++renewals <= maxRenewals &&
          (await this.locations.renew(address, location)) !== undefined
        const isSigned = denied.has(answer.status) && location !== address
        const hint = isSigned ? ' (its signature may have expired)' : ''
        if (!isRenewed) throw new LoadRefused(address, `${fault}${hint}`)
      }
    }
    return { address, patience, isFinal, wait, ask }
  }
}

/** Source: undici documentation, "Errors"; Node.js documentation, "Common system errors" and "DNS". */
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
  // Messages of the network may hold the URL.
  const code = codeOf(cause)
  const fault = code === '' ? cause.message : (networkFaults[code] ?? `cannot be fetched (${code})`)
  return new LoadRefused(address, fault, { cause })
}

/** A certificate does not get better by waiting. Source: OpenSSL verification errors, as Node names them. */
const isUntrusted = (error: unknown) => /CERT|SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)|^ERR_TLS/.test(codeOf(error))
