import * as v from 'valibot'
import { search } from '../../contract/schemas/searches.ts'
import type { SearchBody, SearchRequestBody } from '../../contract/search-api.ts'
import { parseApiKey } from '../../core/access/api-key.ts'
import { deriveJobId } from '../../core/job/idempotency-key.ts'
import type { Answer, Request } from '../builders/proxy-event.ts'
import { wideLimits } from '../doubles/memory-usages.ts'
import { type HttpCall, JudgedClient, methods } from './judged-client.ts'
import { PropertyBroken } from './property-broken.ts'
import type { ReadAnswer } from './read-answer.ts'
import { ReferenceModel } from './reference-model.ts'

/** The address of a running service and an API key. */
export interface ServiceAccess {
  readonly baseUrl: string
  readonly apiKey: string
}

/** Everything that a client saw, and answers other than success, one line each. A log outlives the service. */
export interface AnswerLog {
  /** Remembers every answer, and judges the next by them. */
  readonly model: ReferenceModel
  readonly countFaults: () => number
  /** Answers that the contract does not allow. */
  readonly violations: string[]
  /** Well-formed 5xx answers: a call of the function failed, or a busy machine started it too slowly. */
  readonly failures: string[]
  /** Cancellations that were answered with 409. */
  readonly conflicts: string[]
  /** Calls without an answer, as from a service that is killed. */
  readonly lost: string[]
}

const day = 86_400_000

/** @param countFaults returns how many calls were made to fail so far @default - nobody makes calls fail */
export const openAnswerLog = (countFaults = () => 0): AnswerLog => ({
  countFaults,
  model: new ReferenceModel({ retentionMs: 7 * day, isKnown: () => true, limitsOf: () => wideLimits }),
  violations: [],
  failures: [],
  conflicts: [],
  lost: [],
})

/** A client that uses only HTTP and compares every answer with the contract. Never retries. */
export interface ContractClient {
  /** Returns the accepted search; undefined if the service failed or did not answer. */
  createSearch(request: SearchRequestBody, idempotencyKey?: string): Promise<SearchBody | undefined>
  /**
   * Returns the search; undefined if the service failed or did not answer.
   *
   * @param wait seconds to wait for its end @default - the call does not wait
   */
  getSearch(jobId: string, wait?: number): Promise<SearchBody | undefined>
  /** Returns the cancelled search; undefined if the service failed or the job had already ended. */
  cancelSearch(jobId: string): Promise<SearchBody | undefined>
  /** Returns true if the deletion was answered; an earlier one may have removed the job. */
  deleteSearch(jobId: string): Promise<boolean>
  /** Returns true if the search no longer exists; undefined if the service failed or did not answer. */
  isGone(jobId: string): Promise<boolean | undefined>
}

/** Connects to a service. Answers other than success go to `log`. */
export function connectClient({ baseUrl, apiKey }: ServiceAccess, log: AnswerLog): ContractClient {
  const { orgId } = parseKey(apiKey)
  const caller = { orgId, token: apiKey }
  const calls = new JudgedClient({
    model: log.model,
    // Calls race with each other and with the steps of jobs. A call without an answer may have been carried out.
    now: () => ({
      at: Date.now(),
      crashes: log.countFaults() + log.failures.length + log.lost.length,
      isRacing: true,
    }),
    send: async (call, { token }, request) => {
      const name = nameRequest(call, request)
      const answer = await sendOverHttp(baseUrl, { method: methods[call], token, ...request }).catch(
        (error: unknown) => {
          log.lost.push(`${name}: ${String(error)}`)
        },
      )
      if (answer === undefined) return undefined
      if (answer.status >= 500) log.failures.push(name)
      return { ...answer, status: answer.status >= 500 ? 500 : answer.status }
    },
  })

  /** Returns an answer with an expected status. Other answers, and those that break a property, are logged. */
  async function expectAnswer(name: string, expected: readonly number[], asked: Promise<ReadAnswer>) {
    try {
      const answer = await asked
      if (expected.includes(answer.status)) return answer
      if (answer.status < 500) log.violations.push(`${name}: ${answer.status} ${JSON.stringify(answer.body)}`)
    } catch (error) {
      if (!(error instanceof PropertyBroken)) throw error
      log.violations.push(`${name}: ${error.message}`)
    }
    return undefined
  }

  /** Returns the search of an answer, whose address must be that of the service: each start has another one. */
  function readSearch({ body }: ReadAnswer): SearchBody {
    const found = v.parse(search, body)
    const { job_id, status_url } = found
    if (status_url !== `${baseUrl}/v1/searches/${job_id}`)
      log.violations.push(`job ${job_id} has the status_url ${status_url} in an answer of ${baseUrl}`)
    return found
  }

  return {
    createSearch: async (request, key) => {
      const text = JSON.stringify(request)
      const jobId = key === undefined ? undefined : deriveJobId(orgId, key)
      const answer = await expectAnswer('POST', [202], calls.create(caller, { text, search: text }, key, jobId))
      return answer && readSearch(answer)
    },
    getSearch: async (jobId, wait) => {
      const query = wait === undefined ? {} : { wait: String(wait) }
      const answer = await expectAnswer(`GET ${jobId}`, [200], calls.ask('getSearch', caller, jobId, query))
      return answer && readSearch(answer)
    },
    cancelSearch: async (jobId) => {
      const answer = await expectAnswer(`cancel ${jobId}`, [200, 409], calls.ask('cancelSearch', caller, jobId))
      if (answer?.status === 409) log.conflicts.push(jobId)
      return answer?.status === 200 ? readSearch(answer) : undefined
    },
    deleteSearch: async (jobId) =>
      (await expectAnswer(`DELETE ${jobId}`, [204, 404], calls.remove(caller, jobId))) !== undefined,
    isGone: async (jobId) => {
      const answer = await expectAnswer(`GET ${jobId}`, [200, 404], calls.ask('getSearch', caller, jobId))
      return answer && answer.status === 404
    },
  }
}

/** Sends a request with fetch, and returns its answer as functions give theirs. */
async function sendOverHttp(baseUrl: string, request: Request): Promise<Answer> {
  const { method = 'GET', path = '', token, headers = {}, query = {}, body } = request
  const url = new URL(baseUrl + path)
  for (const [name, value] of Object.entries(query)) url.searchParams.append(name, String(value))
  const response = await fetch(url, {
    method,
    headers: [...Object.entries(headers), ['Authorization', `Bearer ${token}`]].map(([name, value]) => [
      name ?? '',
      String(value),
    ]),
    ...(body !== undefined && { body: String(body) }),
  })
  const text = await response.text()
  const requestId = response.headers.get('X-Request-Id') ?? ''
  const replayed = response.headers.get('Idempotent-Replayed')
  return {
    status: response.status,
    headers: { 'X-Request-Id': requestId, ...(replayed !== null && { 'Idempotent-Replayed': replayed }) },
    body: parseBody(text),
    text,
    requestId,
  }
}

/** Parses a body; one that is not JSON stays a text, which no contract allows. */
function parseBody(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** A call as the log names it: `GET /2a39443a-…`. */
const nameRequest = (call: HttpCall, { path = '', query = {} }: Request) =>
  `${methods[call]} ${path.slice('/v1/searches'.length)}${'wait' in query ? `?wait=${query['wait']}` : ''}`

function parseKey(apiKey: string) {
  const key = parseApiKey(apiKey)
  if (key === undefined) throw new TypeError('the key of the client has another form')
  return key
}

/** True if a search is completed or failed. */
export const hasEnded = ({ status }: SearchBody) => status === 'completed' || status === 'failed'
