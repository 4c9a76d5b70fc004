import { setTimeout as delay } from 'node:timers/promises'
import { inject } from 'vitest'
import type {
  BillingCodesBody,
  CompletedSearchBody,
  EstimateBody,
  FailedSearchBody,
  FeeSchedulesBody,
  ManifestBody,
  SearchBody,
  SearchesBody,
  SearchRequestBody,
} from '../../contract/search-api.ts'
import { findBodyFault, findHeaderFault, type RequestLine } from './answer-fault.ts'

/** The HTTP client of the suite. */

export const service = inject('service')
export const [ownKey, otherKey] = service.keys

/** Maximum time for a search. */
const maxSearchMs = 90_000

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export type CompletedManifestBody = Extract<ManifestBody, { readonly status: 'completed' }>

export interface Call {
  readonly method?: string
  /** The API key. @default - the first organization's; null sends no `Authorization` */
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
}

/**
 * Sends one request to a path below the base URL.
 *
 * @throws Error if the answer does not match the contract of the call exactly
 */
export async function call(path: string, { key = ownKey, headers = {}, ...rest }: Call = {}): Promise<Answer> {
  const authorization = key === null ? {} : { Authorization: `Bearer ${key}` }
  const response = await fetch(service.baseUrl + path, {
    ...rest,
    headers: { ...authorization, ...headers },
    redirect: 'manual',
  })
  const answer = { status: response.status, headers: response.headers, text: await response.text() }
  const request = { method: rest.method ?? 'GET', path }
  const fault = findAnswerFault(request, answer)
  if (fault !== undefined) throw new Error(`${request.method} ${path} answered ${answer.status}: ${fault}`)
  return answer
}

function findAnswerFault(request: RequestLine, { status, headers, text }: Answer): string | undefined {
  const body: unknown = text === '' ? undefined : JSON.parse(text)
  const requestId = headers.get('X-Request-Id') ?? ''
  const type = headers.get('Content-Type') ?? ''
  if (body !== undefined && !/^application\/json\b/.test(type)) return `JSON with the Content-Type "${type}"`
  return findBodyFault(request, status, body, requestId) ?? findHeaderFault(request, status, headers)
}

/** Posts a body, valid or not, to `/v1/searches`. */
export function postSearch(body: string | Uint8Array<ArrayBuffer>, options: Call = {}): Promise<Answer> {
  const headers = { 'Content-Type': 'application/json', ...options.headers }
  return call('/v1/searches', { ...options, method: 'POST', headers, body })
}

/** Posts a body, valid or not, to `/v1/estimates`. */
export function postEstimate(body: object): Promise<Answer> {
  const headers = { 'Content-Type': 'application/json' }
  return call('/v1/estimates', { method: 'POST', headers, body: JSON.stringify(body) })
}

/** Estimates a search that must be valid. */
export async function estimateSearch(request: object): Promise<EstimateBody> {
  const answer = await postEstimate(request)
  if (answer.status !== 200) throw new Error(`estimate search answered ${answer.status}: ${answer.text}`)
  return JSON.parse(answer.text)
}

/** Creates a search that must be accepted. */
export async function createSearch(request: SearchRequestBody, key: string = ownKey): Promise<SearchBody> {
  const answer = await postSearch(JSON.stringify(request), { key })
  if (answer.status !== 202) throw new Error(`create search answered ${answer.status}: ${answer.text}`)
  return JSON.parse(answer.text)
}

/** Reads a job that must exist. */
export async function readSearch(jobId: string, key: string = ownKey): Promise<SearchBody> {
  const answer = await call(`/v1/searches/${jobId}`, { key })
  if (answer.status !== 200) throw new Error(`get search answered ${answer.status}: ${answer.text}`)
  return JSON.parse(answer.text)
}

/** Reads the manifest of a job that must exist. */
export async function readManifest(jobId: string): Promise<ManifestBody> {
  const answer = await call(`/v1/searches/${jobId}/manifest`)
  if (answer.status !== 200) throw new Error(`get manifest answered ${answer.status}: ${answer.text}`)
  return JSON.parse(answer.text)
}

/** Reads the manifest of a job that must have completed. */
export async function readCompletedManifest(jobId: string): Promise<CompletedManifestBody> {
  const manifest = await readManifest(jobId)
  if (manifest.status !== 'completed') throw new Error(`the manifest of job ${jobId} is ${manifest.status}`)
  return manifest
}

/** Polls a job until it ends, at increasing intervals. */
export async function awaitEnd(jobId: string, key?: string): Promise<CompletedSearchBody | FailedSearchBody> {
  const deadline = Date.now() + maxSearchMs
  for (let pauseMs = 50; Date.now() < deadline; pauseMs = Math.min(pauseMs * 1.5, 2000)) {
    const search = await readSearch(jobId, key)
    if (search.status === 'completed' || search.status === 'failed') return search
    await delay(pauseMs)
  }
  throw new Error(`job ${jobId} did not end within ${maxSearchMs} ms`)
}

/** Runs a search that must complete. */
export async function completeSearch(request: SearchRequestBody, key?: string): Promise<CompletedSearchBody> {
  const { job_id } = await createSearch(request, key)
  const search = await awaitEnd(job_id, key)
  if (search.status === 'failed') throw new Error(`job ${job_id} failed: ${search.error}`)
  return search
}

/** Runs a search that must fail. */
export async function failSearch(request: SearchRequestBody, key?: string): Promise<FailedSearchBody> {
  const { job_id } = await createSearch(request, key)
  const search = await awaitEnd(job_id, key)
  if (search.status === 'completed') throw new Error(`job ${job_id} completed but should have failed`)
  return search
}

/** A page of the organization's searches, by the query string. */
export async function listSearches(query = '', key: string = ownKey): Promise<SearchesBody> {
  const answer = await call(`/v1/searches${query}`, { key })
  if (answer.status !== 200) throw new Error(`list searches answered ${answer.status}: ${answer.text}`)
  return JSON.parse(answer.text)
}

/** Reads a page of the billing codes that a query string finds. */
export async function listBillingCodes(query: Readonly<Record<string, string>>): Promise<BillingCodesBody> {
  const answer = await call(`/v1/billing-codes?${new URLSearchParams(query)}`)
  if (answer.status !== 200) throw new Error(`list billing codes answered ${answer.status}: ${answer.text}`)
  return JSON.parse(answer.text)
}

/** Reads a page of the fee schedules. */
export async function listFeeSchedules(query = ''): Promise<FeeSchedulesBody> {
  const answer = await call(`/v1/fee-schedules${query}`)
  if (answer.status !== 200) throw new Error(`list fee schedules answered ${answer.status}: ${answer.text}`)
  return JSON.parse(answer.text)
}
