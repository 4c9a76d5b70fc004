import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, ConnectionFailed } from '../../client/errors.ts'
import { RateSearchClient } from '../../client/rate-search-client.ts'
import type { SearchBody } from '../../contract/search-api.ts'
import { type KnownSearch, knownSearches } from './known-searches.ts'
import type { Ready } from './service-process.ts'

/** A search that the client has sent. */
export interface SentSearch {
  readonly known: KnownSearch
  readonly key: string
  /** From the answer 202; absent until it arrives. */
  jobId?: string
  /** Its end, as last seen. */
  end?: SearchBody
  /** When its end was seen, in milliseconds of the monotonic clock. */
  endedAt?: number
  /** True if the client deletes it after its end. */
  readonly isShortLived: boolean
  /** True once it is deleted. */
  isGone?: boolean
}

/** A client that uses only HTTP and remembers every answer across restarts of the service. */
export interface SteadyClient {
  readonly sent: readonly SentSearch[]
  /** Answers that the service must never give. */
  readonly violations: readonly string[]
  /** Well-formed 5xx answers: a busy machine starts functions too slowly for their time-outs. */
  readonly refusals: readonly string[]
  /** Creates a search every `everyMs` (none if undefined) and polls as `poll` does, until `until` aborts. */
  run(service: Ready, everyMs: number | undefined, until: AbortSignal, onSend?: () => void): Promise<void>
  /** Retries the searches without an answer, with their keys. */
  resend(service: Ready): Promise<void>
  /** Polls each job once whose end was not seen yet, and deletes the short-lived jobs that have ended. */
  poll(service: Ready): Promise<void>
  /** Reads ended jobs again, to get URLs to the current service's storage. Each has its status, or is still deleted. */
  askAgain(service: Ready): Promise<void>
}

/** Milliseconds between two rounds of polls. */
const pollMs = 300

/**
 * Creates a client that picks its searches with `random`.
 *
 * @param shortLived share of its searches that it deletes after their end, from 0 to 1
 */
export function createSteadyClient(random: () => number, shortLived = 0): SteadyClient {
  const sent: SentSearch[] = []
  const violations: string[] = []
  const refusals: string[] = []
  const listen = <Answer>(what: string, call: () => Promise<Answer>) => hear({ violations, refusals }, what, call)
  const connect = ({ baseUrl, apiKey }: Ready) => new RateSearchClient({ url: baseUrl, key: apiKey, retries: 0 })

  async function send(service: Ready, search: SentSearch): Promise<void> {
    const answer = await listen('POST', () =>
      connect(service).create(search.known.body, { idempotencyKey: search.key }),
    )
    if (answer === undefined) return
    checkAddress(service, answer)
    if (search.jobId !== undefined && search.jobId !== answer.job_id)
      violations.push(`key ${search.key} returned job ${search.jobId} and then job ${answer.job_id}`)
    search.jobId = answer.job_id
  }

  async function ask(service: Ready, search: SentSearch): Promise<void> {
    const { jobId } = search
    if (jobId === undefined) return
    const answer = await listen(`GET ${jobId}`, () => connect(service).get(jobId))
    if (answer === undefined) return
    checkAddress(service, answer)
    if (search.end !== undefined && search.end.status !== answer.status)
      violations.push(`job ${jobId} was ${search.end.status} and is ${answer.status}`)
    if (!hasEnded(answer)) return
    search.end = answer
    search.endedAt ??= performance.now()
  }

  /** Deletes a job. The answer to an earlier attempt may have been lost: then it is already gone. */
  async function remove(service: Ready, search: SentSearch): Promise<void> {
    const { jobId } = search
    if (jobId === undefined) return
    await listen(`DELETE ${jobId}`, async () => {
      await connect(service).delete(jobId).catch(forgiveNotFound)
      search.isGone = true
    })
  }

  async function checkGone(service: Ready, { jobId = '' }: SentSearch): Promise<void> {
    await listen(`GET ${jobId}`, async () => {
      const answer = await connect(service).get(jobId).catch(forgiveNotFound)
      if (answer !== undefined) violations.push(`job ${jobId} was deleted and is ${answer.status}`)
    })
  }

  /** An earlier start had another address, and its orphaned synthesis may still be writing files. */
  function checkAddress({ baseUrl }: Ready, { job_id, status_url }: SearchBody): void {
    if (status_url !== `${baseUrl}/v1/searches/${job_id}`)
      violations.push(`job ${job_id} has the status_url ${status_url} in an answer of ${baseUrl}`)
  }

  const poll = async (service: Ready) => {
    await inTurn(
      sent.filter(({ end }) => end === undefined),
      (search) => ask(service, search),
    )
    await inTurn(
      sent.filter(({ isShortLived, end, isGone }) => isShortLived && end !== undefined && isGone !== true),
      (search) => remove(service, search),
    )
  }

  return {
    sent,
    violations,
    refusals,
    poll,
    askAgain: (service) =>
      inTurn(
        sent.filter(({ end }) => end !== undefined),
        (search) => (search.isGone === true ? checkGone(service, search) : ask(service, search)),
      ),
    resend: async (service) => {
      await inTurn(
        sent.filter(({ jobId }) => jobId === undefined),
        (search) => send(service, search),
      )
    },
    run: async (service, everyMs, until, onSend) => {
      const underWay: Promise<void>[] = []
      const create = async () => {
        while (!until.aborted && everyMs !== undefined) {
          const known = knownSearches[Math.floor(random() * knownSearches.length)]
          if (known === undefined) throw new TypeError('there is no known search')
          const search: SentSearch = { known, key: randomUUID(), isShortLived: random() < shortLived }
          sent.push(search)
          underWay.push(send(service, search))
          onSend?.()
          await sleepUntil(everyMs, until)
        }
      }
      const follow = async () => {
        while (!until.aborted) {
          await poll(service)
          await sleepUntil(pollMs, until)
        }
      }
      await Promise.all([create(), follow()])
      await Promise.all(underWay)
    },
  }
}

/** Runs a few calls at a time: each occupies a function's environment, and those start slowly on a busy machine. */
async function inTurn(searches: readonly SentSearch[], call: (search: SentSearch) => Promise<void>): Promise<void> {
  const waiting = [...searches]
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await call(next)
  }
  await Promise.all(Array.from({ length: 3 }, work))
}

export const hasEnded = ({ status }: SearchBody) => status === 'completed' || status === 'failed'

/** Returns undefined if the connection breaks. An answer that the contract does not allow here is a violation. */
async function hear<Answer>(
  heard: { readonly violations: string[]; readonly refusals: string[] },
  what: string,
  call: () => Promise<Answer>,
): Promise<Answer | undefined> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof ApiError && isOutage(error)) heard.refusals.push(what)
    else if (!(error instanceof ConnectionFailed)) heard.violations.push(`${what}: ${String(error)}`)
    return undefined
  }
}

/** @throws every error except `not_found` */
function forgiveNotFound(error: unknown): undefined {
  if (error instanceof ApiError && error.type === 'not_found') return undefined
  throw error
}

const isOutage = ({ status, type, requestId }: ApiError) =>
  status >= 500 && type === 'internal_error' && (requestId ?? '') !== ''

async function sleepUntil(milliseconds: number, until: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal: until }).catch(() => {})
}
