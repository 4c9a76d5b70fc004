import * as v from 'valibot'
import { completedSearch, failedSearch, runningSearch } from '../../contract/schemas/searches.ts'
import type { SearchBody, SearchRequestBody } from '../../contract/search-api.ts'

/** The address of a running service and an API key. */
export interface ServiceAccess {
  readonly baseUrl: string
  readonly apiKey: string
}

/** Answers other than success, one line each. A log outlives the service that answered. */
export interface AnswerLog {
  /** Answers that the contract does not allow. */
  readonly violations: string[]
  /** Well-formed 5xx answers: a call of the function failed, or a busy machine started it too slowly. */
  readonly failures: string[]
  /** Cancellations that were answered with 409. */
  readonly conflicts: string[]
  /** Calls without an answer, as from a service that is killed. */
  readonly lost: string[]
}

export const openAnswerLog = (): AnswerLog => ({ violations: [], failures: [], conflicts: [], lost: [] })

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

/** The fields of a search in each state, and no others. */
const searchSchema = v.variant('status', [
  v.strictObject(runningSearch.entries),
  v.strictObject(completedSearch.entries),
  v.strictObject(failedSearch.entries),
])

const failureSchema = v.object({
  error: v.strictObject({
    type: v.literal('internal_error'),
    message: v.string(),
    request_id: v.pipe(v.string(), v.minLength(1)),
  }),
})

const isFailure = (text: string) => v.is(v.pipe(v.string(), v.parseJson(), failureSchema), text)

/** Connects to a service. Answers other than success go to `log`. */
export function connectClient({ baseUrl, apiKey }: ServiceAccess, log: AnswerLog): ContractClient {
  /** Returns an answer with an expected status. */
  async function call(method: string, path: string, expected: readonly number[], init: RequestInit = {}) {
    const name = `${method} ${path}`
    const headers = { Authorization: `Bearer ${apiKey}`, ...init.headers }
    let status: number
    let text: string
    try {
      const response = await fetch(`${baseUrl}/v1/searches${path}`, { ...init, method, headers })
      status = response.status
      text = await response.text()
    } catch (error) {
      log.lost.push(`${name}: ${String(error)}`)
      return undefined
    }
    if (expected.includes(status)) return { status, text }
    if (status >= 500 && isFailure(text)) log.failures.push(name)
    else log.violations.push(`${name}: ${status} ${text}`)
    return undefined
  }

  /**
   * Reads a search, whose address must be that of the service which answers: each start has another one. A search that
   * breaks the contract is logged, and counts as no answer.
   */
  function readSearch(text: string): SearchBody | undefined {
    const { success, output, issues } = v.safeParse(v.pipe(v.string(), v.parseJson(), searchSchema), text)
    if (!success) {
      log.violations.push(`${v.summarize(issues)} in ${text}`)
      return undefined
    }
    const { job_id, status_url } = output
    if (status_url !== `${baseUrl}/v1/searches/${job_id}`)
      log.violations.push(`job ${job_id} has the status_url ${status_url} in an answer of ${baseUrl}`)
    return output
  }

  return {
    createSearch: async (request, idempotencyKey) => {
      const key = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }
      const headers = { 'Content-Type': 'application/json', ...key }
      const answer = await call('POST', '', [202], { headers, body: JSON.stringify(request) })
      return answer && readSearch(answer.text)
    },
    getSearch: async (jobId, wait) => {
      const answer = await call('GET', `/${jobId}${wait === undefined ? '' : `?wait=${wait}`}`, [200])
      return answer && readSearch(answer.text)
    },
    cancelSearch: async (jobId) => {
      const answer = await call('POST', `/${jobId}/cancel`, [200, 409])
      if (answer?.status === 409) log.conflicts.push(jobId)
      return answer?.status === 200 ? readSearch(answer.text) : undefined
    },
    deleteSearch: async (jobId) => (await call('DELETE', `/${jobId}`, [204, 404])) !== undefined,
    isGone: async (jobId) => {
      const answer = await call('GET', `/${jobId}`, [200, 404])
      return answer && answer.status === 404
    },
  }
}

/** True if a search is completed or failed. */
export const hasEnded = ({ status }: SearchBody) => status === 'completed' || status === 'failed'
