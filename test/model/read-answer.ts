import * as v from 'valibot'
import type { Answer } from '../builders/proxy-event.ts'
import { findBodyFault } from '../conformance/answer-fault.ts'
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
}

export function readAnswer(method: string, { status, headers, body, requestId }: Answer): ReadAnswer {
  const fault = findBodyFault({ method }, status, body, requestId)
  hold('P6', fault === undefined, `${method} was answered ${status} ${JSON.stringify(body)}: ${fault}`)
  hold('P6', headers['X-Request-Id'] === requestId, 'the answer lacks its request id')
  const isReplay = headers['Idempotent-Replayed'] === 'true'
  const parsed = v.safeParse(searchBody, body)
  if (!parsed.success) return { status, text: '', isReplay, urls: [] }
  const { job_id, created_at, status: jobStatus, download_urls, shards = [] } = parsed.output
  const urls = download_urls ?? shards.map(({ url }) => url)
  // Signatures differ in each answer, so they are not part of the comparison.
  const text = JSON.stringify(body, (name, value: unknown) => {
    if (name === 'expires_at' || name === 'url') return undefined
    return name === 'download_urls' ? urls.map(withoutQuery) : value
  })
  return { status, jobId: job_id, createdAt: created_at, jobStatus, text, isReplay, urls }
}

const withoutQuery = (url: string) => url.replace(/\?.*/s, '')

/** The key of the file that a URL leads to. */
export const keyOf = (url: string) => withoutQuery(url).replace('https://storage.example/', '')

/** An answer as text for comparison with another: everything but the request id. */
export function comparable({ status, headers, text, requestId }: Answer): string {
  return JSON.stringify([status, Object.entries(headers), text]).replaceAll(requestId, '<request id>')
}
