import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { workAtOnce } from '../../core/work-at-once.ts'
import { connectClient, hasEnded, openAnswerLog, type ServiceAccess } from '../harness/contract-client.ts'
import type { FollowedSearch } from '../harness/end-rules.ts'
import { knownSearches } from '../harness/known-searches.ts'

/** A search that the client has sent. */
export interface SentSearch extends FollowedSearch {
  readonly key: string
  /** When its end was seen, in milliseconds of the monotonic clock. */
  endedAt?: number
  /** Seconds for which each poll waits for its end. */
  readonly wait: number
}

/** A sent search with the id of its job. */
type AcceptedSearch = SentSearch & { readonly jobId: string }

/** A client of many searches, which remembers every answer across restarts of the service. */
export interface SteadyClient {
  readonly sent: readonly SentSearch[]
  /** Answers that the service must never give. */
  readonly violations: readonly string[]
  /** Well-formed 5xx answers: a busy machine starts functions too slowly for their time-outs. */
  readonly refusals: readonly string[]
  /** Creates a search every `everyMs` (none if undefined) and polls as `poll` does, until `until` aborts. */
  run(service: ServiceAccess, everyMs: number | undefined, until: AbortSignal, onSend?: () => void): Promise<void>
  /** Retries the searches without an answer, with their keys. */
  resend(service: ServiceAccess): Promise<void>
  /** Polls each job once whose end was not seen yet, and deletes the short-lived jobs that have ended. */
  poll(service: ServiceAccess): Promise<void>
  /** Reads ended jobs again, deleted ones too: for URLs of the current service, and to see that nothing changed. */
  askAgain(service: ServiceAccess): Promise<void>
}

/** Milliseconds between two rounds of polls. */
const pollMs = 300

/** Number of concurrent calls: each occupies a function's environment, and those start slowly on a busy machine. */
const callsAtOnce = 3

/** Seconds that a poll waits, of half of the searches; few, so that the client goes on with the others. */
const waitSeconds = 2

/**
 * Creates a client that picks its searches with `random`.
 *
 * @param shortLived share of its searches that it deletes after their end, from 0 to 1
 */
export function createSteadyClient(random: () => number, shortLived = 0): SteadyClient {
  const sent: SentSearch[] = []
  const answers = openAnswerLog()
  const connect = (service: ServiceAccess) => connectClient(service, answers)

  async function send(service: ServiceAccess, search: SentSearch): Promise<void> {
    const answer = await connect(service).createSearch(search.known.body, search.key)
    if (answer !== undefined) search.jobId = answer.job_id
  }

  async function ask(service: ServiceAccess, search: AcceptedSearch): Promise<void> {
    const answer = await connect(service).getSearch(search.jobId, search.wait)
    if (answer === undefined || !hasEnded(answer)) return
    search.end = answer
    search.endedAt ??= performance.now()
  }

  const accepted = (fits: (search: SentSearch) => boolean) =>
    sent.filter((search): search is AcceptedSearch => search.jobId !== undefined && fits(search))

  const poll = async (service: ServiceAccess) => {
    const open = accepted(({ end }) => end === undefined)
    await workAtOnce(open, callsAtOnce, (search) => ask(service, search))
    const deletable = accepted(({ isShortLived, end, isGone }) => isShortLived && end !== undefined && isGone !== true)
    await workAtOnce(deletable, callsAtOnce, async (search) => {
      search.isGone = await connect(service).deleteSearch(search.jobId)
    })
  }

  return {
    sent,
    violations: answers.violations,
    refusals: answers.failures,
    poll,
    askAgain: (service) =>
      workAtOnce(
        accepted(({ end }) => end !== undefined),
        callsAtOnce,
        async (search) => {
          if (search.isGone === true) await connect(service).isGone(search.jobId)
          else await ask(service, search)
        },
      ),
    resend: (service) =>
      workAtOnce(
        sent.filter(({ jobId }) => jobId === undefined),
        callsAtOnce,
        (search) => send(service, search),
      ),
    run: async (service, everyMs, until, onSend) => {
      const underWay: Promise<void>[] = []
      const create = async () => {
        while (!until.aborted && everyMs !== undefined) {
          const known = knownSearches[Math.floor(random() * knownSearches.length)]
          if (known === undefined) throw new TypeError('there is no known search')
          const wait = random() < 0.5 ? waitSeconds : 0
          const search: SentSearch = { known, key: randomUUID(), wait, isShortLived: random() < shortLived }
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

async function sleepUntil(milliseconds: number, until: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal: until }).catch(() => {})
}
