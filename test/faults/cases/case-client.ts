import * as v from 'valibot'
import type { SearchBody } from '../../../contract/search-api.ts'
import type { Scenario } from './scenario.ts'

/** The API client of a case; records every answer that violates the contract. */
export interface CaseClient {
  /** Returns the job's id, or undefined if the service answered with an internal error. */
  createSearch(request: Scenario['request'], idempotencyKey?: string): Promise<string | undefined>
  /** Returns the search, or undefined if the service answered with an internal error. */
  getSearch(jobId: string): Promise<SearchBody | undefined>
  /** Returns the cancelled search, or undefined on an internal error or if the job had already ended. */
  cancelSearch(jobId: string): Promise<SearchBody | undefined>
  /** Sends a deletion; any answer of the contract is accepted. */
  deleteSearch(jobId: string): Promise<void>
  /** Returns true if the search no longer exists. */
  isGone(jobId: string): Promise<boolean>
  /** Number of 409 answers so far. */
  readonly conflicts: number
  /** Number of 500 answers so far. */
  readonly failures: number
  /** Answers that no client should see. */
  readonly unspecified: readonly string[]
}

const always = ['created_at', 'job_id', 'status', 'status_url']

/** The fields of a search in each state. */
const fieldsOf: Readonly<Record<SearchBody['status'], readonly string[]>> = {
  queued: always,
  processing: always,
  completed: [...always, 'completed_at', 'download_urls', 'expires_at'],
  failed: [...always, 'error'],
}

const failureSchema = v.object({
  error: v.strictObject({ type: v.literal('internal_error'), message: v.string(), request_id: v.string() }),
})

export function connectCase(baseUrl: string, apiKey: string): CaseClient {
  let failures = 0
  let conflicts = 0
  const unspecified: string[] = []

  /** Returns an answer with an expected status; counts or records any other. */
  async function ask(path: string, expected: readonly number[], init: RequestInit = {}) {
    const headers = { Authorization: `Bearer ${apiKey}`, ...init.headers }
    const response = await fetch(`${baseUrl}${path}`, { ...init, headers })
    const text = await response.text()
    if (expected.includes(response.status)) return { status: response.status, text }
    if (response.status >= 500 && isFailure(text)) failures += 1
    else unspecified.push(`${response.status} ${text}`)
    return undefined
  }

  async function send(path: string, expected: number, init: RequestInit = {}): Promise<SearchBody | undefined> {
    const answer = await ask(path, [expected], init)
    return answer && readBody(answer.text)
  }

  function readBody(text: string): SearchBody {
    // The type comes from the contract; the next line checks the fields.
    const body = JSON.parse(text) as SearchBody
    const fields = Object.keys(body).sort().join()
    if (fields !== [...(fieldsOf[body.status] ?? [])].sort().join()) unspecified.push(`${body.status}: ${fields}`)
    return body
  }

  return {
    createSearch: async (request, idempotencyKey) => {
      const key = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }
      const headers = { 'Content-Type': 'application/json', ...key }
      const body = await send('/v1/searches', 202, { method: 'POST', headers, body: JSON.stringify(request) })
      return body?.job_id
    },
    getSearch: (jobId) => send(`/v1/searches/${jobId}`, 200),
    cancelSearch: async (jobId) => {
      const answer = await ask(`/v1/searches/${jobId}/cancel`, [200, 409], { method: 'POST' })
      if (answer?.status === 409) conflicts += 1
      return answer?.status === 200 ? readBody(answer.text) : undefined
    },
    deleteSearch: async (jobId) => {
      await ask(`/v1/searches/${jobId}`, [204, 404], { method: 'DELETE' })
    },
    isGone: async (jobId) => (await ask(`/v1/searches/${jobId}`, [200, 404]))?.status === 404,
    get conflicts() {
      return conflicts
    },
    get failures() {
      return failures
    },
    unspecified,
  }
}

function isFailure(text: string): boolean {
  return v.is(v.pipe(v.string(), v.parseJson(), failureSchema), text)
}
