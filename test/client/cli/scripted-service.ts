import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { makeParquet } from '../set-up-downloads.ts'

type Facts = Record<string, unknown>

/** A service whose answers a test can change. */
export interface ScriptedService extends AsyncDisposable {
  readonly url: string
  /** Idempotency keys of the searches that were created, with replays. */
  readonly created: string[]
  /** Calls, in order, such as `POST /v1/searches`. */
  readonly asked: string[]
  /** Forgets all searches, as a service does in time. */
  forget(): void
  /** Fields of every manifest, in place of the usual ones. */
  manifest: Facts
  /** Fields of every search, in place of the usual ones. */
  search: Facts
  /** The answer to an estimate; a status without one. */
  estimate: Facts | number
  /** Statuses of the next answers, in place of them. */
  readonly failures: number[]
  /** In place of all answers. */
  answer: { readonly status: number; readonly body: string } | undefined
}

const plan = { payer: 'Blue Harbor Health', plan: 'Harbor PPO Gold' }
const file = makeParquet(1000)

export async function openScriptedService(): Promise<ScriptedService> {
  const jobs = new Map<string, string>()
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '', url)
    const send = (status: number, body: unknown) => {
      response.writeHead(status, { 'Content-Type': 'application/json', ...(status === 429 && { 'Retry-After': '30' }) })
      response.end(typeof body === 'string' ? body : JSON.stringify(body))
    }
    if (pathname === '/file') {
      response.writeHead(200, { ETag: '"a"', 'Content-Length': file.length })
      response.end(file)
      return
    }
    service.asked.push(`${request.method} ${pathname}`)
    const body = await text(request)
    const failure = service.failures.shift()
    if (failure !== undefined) {
      send(failure, '')
      return
    }
    if (service.answer !== undefined) {
      send(service.answer.status, service.answer.body)
      return
    }
    if (pathname === '/v1/estimates') {
      if (typeof service.estimate === 'number') send(service.estimate, {})
      else
        send(200, {
          fee_schedules: [{ ...plan, exists: true, nearest: [] }],
          files: 1,
          bytes: 5000,
          warnings: [],
          ...service.estimate,
        })
      return
    }
    if (request.method === 'POST') {
      const key = String(request.headers['idempotency-key'])
      service.created.push(key)
      if (!jobs.has(key)) jobs.set(key, `00000000-0000-4000-8000-${String(jobs.size + 1).padStart(12, '0')}`)
      send(202, { job_id: jobs.get(key), status: 'queued', request: body })
      return
    }
    const [, , , id = '', part] = pathname.split('/')
    const known = [...jobs.values()].includes(id)
    const common = { job_id: id, status: 'completed', created_at: '2026-11-16T06:00:00.000+00:00' }
    if (!known) send(404, { error: { type: 'not_found', message: 'Not found.', request_id: 'r' } })
    else if (part === undefined) send(200, { ...common, download_urls: [], ...service.search })
    else {
      const shards = [{ name: `${id}-0001.parquet`, rows: 4, bytes: file.length, checksum: null, url: `${url}/file` }]
      const fee_schedules = [
        { ...plan, loaded_at: null, last_updated_on: '2026-11-01', partial: false, superseded: false },
      ]
      const counted = { rows: 4, bytes: file.length, without_rows: {}, request: {}, attempts: [] }
      send(200, { ...common, ...counted, shards, fee_schedules, ...service.search, ...service.manifest })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const service: ScriptedService = {
    url,
    created: [],
    asked: [],
    forget: () => jobs.clear(),
    manifest: {},
    search: {},
    estimate: {},
    failures: [],
    answer: undefined,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return service
}

/** A fee schedule in a manifest. */
export const feeScheduleWith = (facts: Facts) => ({
  ...plan,
  loaded_at: null,
  last_updated_on: '2026-11-01',
  partial: false,
  superseded: false,
  ...facts,
})
