import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, createSearchClient } from '../../client/search-client.ts'
import type { SearchBody } from '../../contract/search-api.ts'
import type { KnownSearch } from './known-searches.ts'
import { knownSearches } from './known-searches.ts'
import type { Ready } from './service-process.ts'

/** A search that was sent. */
export interface SentSearch {
  readonly known: KnownSearch
  readonly key: string
  /** Of the answer 202; absent while no answer has come. */
  jobId?: string
  /** Its end, as last seen. */
  end?: SearchBody
  /** When its end was seen, in milliseconds of the monotonic clock. */
  endedAt?: number
}

/** A client that speaks HTTP alone, and remembers across restarts what it was told. */
export interface SteadyClient {
  readonly sent: readonly SentSearch[]
  /** What the service must never answer. */
  readonly violations: readonly string[]
  /** Answers 5xx in the envelope: a busy machine starts functions too slowly for their time-outs. */
  readonly refusals: readonly string[]
  /** Creates a search each `everyMs` (none where it is undefined) and polls all that have not ended, until `until` is aborted. */
  run(service: Ready, everyMs: number | undefined, until: AbortSignal, onSend?: () => void): Promise<void>
  /** Sends again, under their keys, what no answer came for. */
  resend(service: Ready): Promise<void>
  /** Asks for every accepted job once that was not seen to have ended. */
  poll(service: Ready): Promise<void>
  /** Asks once more for those that were: URLs of an earlier life lead to its storage. Their states must be as they were. */
  askAgain(service: Ready): Promise<void>
}

/** Between two rounds of polls. */
const pollMs = 300

/** Makes a client that draws its searches with `random`. */
export function createSteadyClient(random: () => number): SteadyClient {
  const sent: SentSearch[] = []
  const violations: string[] = []
  const refusals: string[] = []
  const listen = <Answer>(what: string, call: () => Promise<Answer>) => hear({ violations, refusals }, what, call)
  const connect = ({ baseUrl, apiKey }: Ready) => createSearchClient({ baseUrl, apiKey, sleep })

  async function send(service: Ready, search: SentSearch): Promise<void> {
    const answer = await listen('POST', () => connect(service).createSearch(search.known.body, search.key))
    if (answer === undefined) return
    checkAddress(service, answer)
    if (search.jobId !== undefined && search.jobId !== answer.job_id)
      violations.push(`key ${search.key} is job ${search.jobId} and job ${answer.job_id}`)
    search.jobId = answer.job_id
  }

  async function ask(service: Ready, search: SentSearch): Promise<void> {
    const { jobId } = search
    if (jobId === undefined) return
    const answer = await listen(`GET ${jobId}`, () => connect(service).getSearch(jobId))
    if (answer === undefined) return
    checkAddress(service, answer)
    if (search.end !== undefined && search.end.status !== answer.status)
      violations.push(`job ${jobId} was ${search.end.status} and is ${answer.status}`)
    if (!hasEnded(answer)) return
    search.end = answer
    search.endedAt ??= performance.now()
  }

  /** A start that was killed had another address, and may still be writing its files. */
  function checkAddress({ baseUrl }: Ready, { job_id, status_url }: SearchBody): void {
    if (status_url !== `${baseUrl}/v1/searches/${job_id}`)
      violations.push(`job ${job_id} is said to be at ${status_url} by ${baseUrl}`)
  }

  const poll = async (service: Ready) => {
    await inTurn(
      sent.filter(({ end }) => end === undefined),
      (search) => ask(service, search),
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
        (search) => ask(service, search),
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
          const search: SentSearch = { known, key: randomUUID() }
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

/** A few at a time: each call that waits holds a function's environment, and those start slowly on a busy machine. */
async function inTurn(searches: readonly SentSearch[], call: (search: SentSearch) => Promise<void>): Promise<void> {
  const waiting = [...searches]
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await call(next)
  }
  await Promise.all(Array.from({ length: 3 }, work))
}

export const hasEnded = ({ status }: SearchBody) => status === 'completed' || status === 'failed'

/** A connection that breaks is no answer; an answer that the specification does not have here is a violation. */
async function hear<Answer>(
  heard: { readonly violations: string[]; readonly refusals: string[] },
  what: string,
  call: () => Promise<Answer>,
): Promise<Answer | undefined> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof ApiError && isOutage(error)) heard.refusals.push(what)
    // `fetch` has no other error for a connection that was refused or cut, whole or in the middle of a body.
    else if (!isCut(error)) heard.violations.push(`${what}: ${String(error)}`)
    return undefined
  }
}

const isOutage = ({ status, body }: ApiError) =>
  status >= 500 && body.error.type === 'internal_error' && body.error.request_id !== ''

const isCut = (error: unknown) =>
  error instanceof TypeError || (error instanceof SyntaxError && /JSON/.test(error.message))

async function sleepUntil(milliseconds: number, until: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal: until }).catch(() => {})
}
