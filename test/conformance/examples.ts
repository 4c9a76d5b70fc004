import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Example } from '../../contract/openapi/examples.ts'
import type { Json } from '../../contract/openapi/openapi-document.ts'
import { gold, largeSearch, smallSearch } from './samples.ts'

/** Records the examples of the API's document from a running service. */

interface Sent {
  readonly method?: string
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Sends one request below the base URL, by default with the first organization's key. */
export type Send = (path: string, sent?: Sent) => Promise<{ readonly status: number; readonly text: string }>

/** The values that differ between services and runs, and their replacements in the document. */
const shown: Readonly<Record<string, Json>> = {
  job_id: '2a39443a-064f-4d78-b562-c11683209ccf',
  status_url: 'http://127.0.0.1:3000/v1/searches/2a39443a-064f-4d78-b562-c11683209ccf',
  created_at: '2026-11-20T19:45:08.974+00:00',
  completed_at: '2026-11-20T19:45:09.431+00:00',
  failed_at: '2026-11-20T19:45:09.431+00:00',
  processing_at: '2026-11-20T19:45:09.102+00:00',
  expires_at: '2026-11-20T20:45:11.000+00:00',
  loaded_at: '2026-11-18T04:12:44.000+00:00',
  results_until: '2026-11-27T19:45:09.431+00:00',
  changed_on: ['2026-11-18'],
  bytes: 21_734,
  bytes_scanned: 10_485_760,
  value: 'DUoRhQ==',
  url: 'http://127.0.0.1:41873/rate-search-results/results/3xHu2rJuNZ3s/2a39443a-064f-4d78-b562-c11683209ccf/ca90742a479b411b/attempt-1/20261120_194509_00000_33a92_a2a6a8da?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Expires=3600&X-Amz-SignedHeaders=host',
  next_cursor: 'WyIyMDI2LTExLTIwVDE5OjQ1OjA4Ljk3NFoiLCIyYTM5NDQzYSJd.ky9eDN3a',
  request_id: '192ad721-8d44-4730-aa9e-f15ac7dc236e',
  download_urls: [
    'http://127.0.0.1:41873/rate-search-results/results/3xHu2rJuNZ3s/2a39443a-064f-4d78-b562-c11683209ccf/ca90742a479b411b/attempt-1/20261120_194509_00000_33a92_a2a6a8da?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Expires=3600&X-Amz-SignedHeaders=host',
  ],
}

const search = { ...smallSearch, fee_schedules: [gold] }
const misnamed = { ...search, fee_schedules: [{ ...gold, plan: 'Harbor PPO Golden' }] }
const faulty = { npis: [1], fee_schedules: [{ payer: 'Blue Harbor Health' }] }
const json = { 'Content-Type': 'application/json' }

/** Maximum number of attempts to cancel a search before it ends. */
const cancelAttempts = 20

/**
 * Runs the exchanges of the document against a service that has the sample data.
 *
 * @param keys a revoked key, and one that may only read; the answer to an absent one is not among the examples
 */
export async function recordExamples(
  send: Send,
  keys: { readonly revoked?: string | undefined; readonly reading?: string | undefined } = {},
): Promise<readonly Example[]> {
  const examples: Example[] = []
  const record = (
    [operation, name, summary]: readonly [string, string, string],
    { status, text }: { readonly status: number; readonly text: string },
    request?: object,
  ) => {
    examples.push({
      operation,
      name,
      summary,
      ...(request && { request: JSON.parse(JSON.stringify(request)) }),
      status,
      ...(text !== '' && { body: settle(JSON.parse(text)) }),
    })
  }
  const post = (body: object | string, headers: Sent['headers'] = {}) =>
    send('/v1/searches', {
      method: 'POST',
      headers: { ...json, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })

  const created = await post(search)
  record(['create-search', 'queued', 'Two providers, three codes, one plan'], created, search)
  const summary = { ...search, summary: { weight: 'tins', by: ['network'] } }
  record(['create-search', 'summary', 'Statistics in place of rows'], await post(summary), summary)
  const sample = { ...search, columns: ['plan', 'billing_code', 'tin_value', 'negotiated_rate'], limit: 10 }
  record(['create-search', 'some-rows', 'Any ten rows, with four columns'], await post(sample), sample)
  const completed = `/v1/searches/${readJobId(created.text)}`
  const codesOnly = { billing_codes: ['0450'], fee_schedules: [gold] }
  record(['create-search', 'all-providers', 'One code, all providers of a plan'], await post(codesOnly), codesOnly)
  record(['create-search', 'two-faults', 'A request with faults'], await post(faulty), faulty)
  record(
    ['create-search', 'too-large', 'A body of more than 1 MiB'],
    await post(JSON.stringify(search).padEnd(2 ** 20 + 1)),
  )
  record(
    ['create-search', 'not-json', 'A body that is declared as plain text'],
    await post(search, { 'Content-Type': 'text/plain' }),
  )
  const idempotencyKey = { 'Idempotency-Key': randomUUID() }
  await post(search, idempotencyKey)
  record(
    ['create-search', 'other-search', 'A key that was sent with another search'],
    await post(misnamed, idempotencyKey),
    misnamed,
  )

  const failed = `/v1/searches/${readJobId((await post(misnamed)).text)}`
  record(['get-search', 'completed', 'A completed search'], await awaitEnd(send, completed))
  record(['get-search', 'failed', 'A failed search'], await awaitEnd(send, failed))
  record(['get-search', 'unknown', 'A search that does not exist'], await send(`/v1/searches/${randomUUID()}`))

  record(['get-manifest', 'completed', 'The manifest of the completed search'], await send(`${completed}/manifest`))
  record(['get-manifest', 'failed', 'The manifest of the failed search'], await send(`${failed}/manifest`))

  const rows = `${completed}/rows?limit=2&columns=plan,billing_code,npi,negotiated_rate`
  record(['get-rows', 'two-rows', 'Two rows with four columns'], await send(rows))
  record(['get-rows', 'failed', 'A search that failed'], await send(`${failed}/rows`))

  record(['list-searches', 'newest-first', 'The failed searches, newest first'], await listFailed(send, failed))
  record(['cancel-search', 'cancelled', 'A cancelled search'], await cancelOne(send, post))
  record(['cancel-search', 'ended', 'A search that has ended'], await send(`${completed}/cancel`, { method: 'POST' }))
  record(['delete-search', 'deleted', 'A deleted search'], await send(completed, { method: 'DELETE' }))

  const estimate = (body: object) =>
    send('/v1/estimates', { method: 'POST', headers: json, body: JSON.stringify(body) })
  record(['estimate-search', 'sound', 'What the first search would read'], await estimate(search), search)
  record(['estimate-search', 'misnamed', 'A plan that does not exist'], await estimate(misnamed), misnamed)

  const page = `/v1/fee-schedules?limit=1&payer=${encodeURIComponent(gold.payer)}`
  record(['list-fee-schedules', 'first-page', 'One plan of a payer, and where to go on'], await send(page))
  record(['list-fee-schedules', 'no-key', 'A request without a key'], await send(page, { key: null }))
  record(
    ['list-fee-schedules', 'other-method', 'A method that the path does not have'],
    await send(page, { method: 'PUT' }),
  )
  const codes = '/v1/billing-codes?limit=3&q='
  record(['list-billing-codes', 'words', 'Codes by words of their names'], await send(`${codes}return%20visit`))
  record(['list-billing-codes', 'beginning', 'Codes by their beginning'], await send(`${codes}9921`))
  record(['list-billing-codes', 'too-short', 'Nothing to look up'], await send(`${codes}x`))
  record(
    ['list-specialties', 'words', 'Specialties by words of their names'],
    await send('/v1/specialties?q=radiology'),
  )
  const providers = '/v1/providers?limit=2&'
  record(['list-providers', 'npi', 'Who an NPI is'], await send(`${providers}npi=1000100010`))
  record(['list-providers', 'words', 'Words of a name in a state'], await send(`${providers}q=jankowski&state=OR`))
  record(['list-providers', 'too-wide', 'Words without a place'], await send(`${providers}q=jankowski`))
  const { revoked, reading } = keys
  if (revoked !== undefined)
    record(['list-fee-schedules', 'revoked-key', 'A key that is revoked'], await send(page, { key: revoked }))
  if (reading !== undefined)
    record(
      ['delete-search', 'reading-key', 'A key that may only read'],
      await send(failed, { method: 'DELETE', key: reading }),
    )
  return examples
}

function readJobId(text: string): string {
  const { job_id }: { job_id?: unknown } = JSON.parse(text)
  if (typeof job_id !== 'string') throw new Error(`an answer without a job_id: ${text}`)
  return job_id
}

/** Lists failed searches from this one on: others of the organization may have failed since. */
async function listFailed(send: Send, path: string) {
  for (let cursor = ''; ; ) {
    const answer = await send(`/v1/searches?status=failed&limit=1${cursor}`)
    const { searches, next_cursor }: SearchPage = JSON.parse(answer.text)
    if (searches.some(({ job_id }) => path.endsWith(job_id))) return answer
    if (next_cursor === null) throw new Error(`${path} is not listed: ${answer.text}`)
    cursor = `&cursor=${encodeURIComponent(next_cursor)}`
  }
}

interface SearchPage {
  readonly searches: readonly { readonly job_id: string }[]
  readonly next_cursor: string | null
}

async function awaitEnd(send: Send, path: string) {
  const deadline = Date.now() + 90_000
  for (;;) {
    const answer = await send(path)
    if (/"status":"(completed|failed)"/.test(answer.text)) return answer
    if (Date.now() > deadline) throw new Error(`${path} did not end: ${answer.text}`)
    await delay(200)
  }
}

async function cancelOne(send: Send, post: (body: object) => ReturnType<Send>) {
  for (let attempt = 0; attempt < cancelAttempts; attempt++) {
    const { text } = await post(largeSearch)
    const answer = await send(`/v1/searches/${readJobId(text)}/cancel`, { method: 'POST' })
    if (answer.status === 200) return answer
  }
  throw new Error(`${cancelAttempts} searches completed before they were cancelled`)
}

/** Replaces the values of an answer that differ between runs with those of the document. */
function settle(value: Json): Json {
  if (Array.isArray(value)) return value.map(settle)
  // The name of a file has the id of its search.
  if (typeof value === 'string') return value.replace(/^[0-9a-f-]{36}(?=-\d{4}\.parquet$)/, String(shown['job_id']))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      // Both are the same in every service.
      field === null || field === 0 ? field : (shown[name] ?? settle(field)),
    ]),
  )
}
