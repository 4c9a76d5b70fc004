import * as v from 'valibot'
import type { Answer } from '../builders/proxy-event.ts'
import { findBodyFault, type RequestLine } from '../conformance/answer-fault.ts'
import { hold } from './property-broken.ts'
import type { Reply } from './reference-facts.ts'

/** Reads an answer after checking that it conforms to the contract. */

const searchBody = v.object({
  job_id: v.string(),
  created_at: v.string(),
  status: v.string(),
  download_urls: v.exactOptional(v.array(v.string())),
  /** Present in the answer of a manifest. */
  shards: v.exactOptional(v.array(v.object({ url: v.string() }))),
})

export interface ReadAnswer extends Reply {
  readonly urls: readonly string[]
  /** As it was sent, parsed. */
  readonly body: unknown
}

export function readAnswer(request: RequestLine, { status, headers, body, requestId }: Answer): ReadAnswer {
  const fault = findBodyFault(request, status, body, requestId)
  hold('P6', fault === undefined, `${request.method} was answered ${status} ${JSON.stringify(body)}: ${fault}`)
  hold('P6', headers['X-Request-Id'] === requestId, 'the answer lacks its request id')
  const isReplay = headers['Idempotent-Replayed'] === 'true'
  const parsed = v.safeParse(searchBody, body)
  if (!parsed.success) return { status, text: '', isReplay, urls: [], body }
  const { job_id, created_at, status: jobStatus, download_urls, shards = [] } = parsed.output
  const urls = download_urls ?? shards.map(({ url }) => url)
  // Signatures differ in each answer, and addresses in each life of a service: they are not compared.
  const text = JSON.stringify(body, (name, value: unknown) => {
    if (name === 'expires_at' || name === 'url') return undefined
    if (name === 'status_url') return new URL(String(value)).pathname
    return name === 'download_urls' ? urls.map(keyOf) : value
  })
  return { status, jobId: job_id, createdAt: created_at, jobStatus, text, isReplay, urls, body }
}

/** The path of the file that a URL leads to: its key, on this machine below the name of its bucket. */
export const keyOf = (url: string) => new URL(url).pathname.slice(1)

/** An answer as text for comparison with another: everything but the request id. */
export function comparable({ status, headers, text, requestId }: Answer): string {
  return JSON.stringify([status, Object.entries(headers), text]).replaceAll(requestId, '<request id>')
}
