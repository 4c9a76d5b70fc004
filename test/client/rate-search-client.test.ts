import { describe, expect, it } from 'vitest'
import { routes as clientRoutes } from '../../client/api.ts'
import { ApiError, ConnectionFailed, SearchFailed } from '../../client/errors.ts'
import { RateSearchClient } from '../../client/rate-search-client.ts'
import type { ClientOptions, Retry } from '../../client/transport.ts'
import { routes } from '../../contract/routes.ts'

const jobId = '2a39443a-064f-4d78-b562-c11683209ccf'
const request = { npis: [1000100002], fee_schedules: [{ payer: 'P', plan: 'Q' }] }
const queued = { job_id: jobId, created_at: 't', status_url: 'u', status: 'queued' }
const completed = { ...queued, status: 'completed', completed_at: 't', download_urls: ['http://s/1'], expires_at: 't' }
const failed = { ...queued, status: 'failed', error: 'too_broad: name fewer plans' }

const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json', ...headers } })
const refusal = (type: string, status: number, headers = {}) =>
  json({ error: { type, message: `${type} it is`, request_id: 'r-1' } }, status, headers)
const cut = () => {
  throw new TypeError('fetch failed', { cause: new Error('read ECONNRESET') })
}

/** A client whose calls are answered in turn. */
function connect(answers: readonly (() => Response)[], options: Partial<ClientOptions> = {}) {
  const calls: { method: string | undefined; url: string; headers: Headers; body: unknown }[] = []
  const waits: number[] = []
  const client = new RateSearchClient({
    url: 'https://rates.example/prod/',
    key: 'rates_key',
    fetch: async (url, init) => {
      const body = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined
      calls.push({ method: init?.method, url: String(url), headers: new Headers(init?.headers), body })
      return (answers[calls.length - 1] ?? cut)()
    },
    sleep: async (milliseconds) => void waits.push(milliseconds),
    random: () => 1,
    ...options,
  })
  return { client, calls, waits }
}

const collect = async <Item>(items: AsyncIterable<Item>) => {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}

describe('a client', () => {
  it('offers a method for each call that takes a key, at the route of the contract', async () => {
    const page = () => json({ fee_schedules: [], searches: [], billing_codes: [], specialties: [], next_cursor: null })
    const { client, calls } = connect([
      () => json(queued, 202),
      () => json(completed),
      () => json(failed),
      () => new Response(null, { status: 204 }),
      page,
      page,
      page,
      page,
      () => json({}),
      () => json({}),
      () => json({}),
      () => json({}),
    ])
    await client.create(request)
    await client.get(jobId)
    await client.cancel(jobId)
    await client.delete(jobId)
    await collect(client.feeSchedules())
    await collect(client.list())
    await collect(client.billingCodes({ q: 'knee mri' }))
    await collect(client.specialties())
    await client.providers({ npi: '1000100010' })
    await client.estimate(request)
    await client.manifest(jobId)
    await client.rows(jobId)
    const called = calls.map(({ method, url }) => `${method} ${new URL(url).pathname.replace('/prod', '')}`)
    const routed = routes.filter(({ method, auth }) => String(method) !== 'HEAD' && String(auth) === 'key')
    expect(called.sort()).toEqual(routed.map((it) => `${it.method} ${it.path.replace('{job_id}', jobId)}`).sort())
    expect(Object.keys(clientRoutes).sort()).toEqual([...new Set(routed.map(({ operation }) => operation))].sort())
  })

  it('sends the key with each call, and a body as JSON', async () => {
    const { client, calls } = connect([() => json(queued, 202)])
    expect(await client.create(request)).toEqual(queued)
    const [call] = calls
    expect(call?.headers.get('authorization')).toBe('Bearer rates_key')
    expect(call?.headers.get('content-type')).toBe('application/json')
    expect(call?.body).toEqual(request)
  })

  it('retries a search with the same idempotency key if its answer was lost', async () => {
    const { client, calls, waits } = connect([cut, cut, () => json(queued, 202)])
    await client.create(request)
    const keys = calls.map(({ headers }) => headers.get('idempotency-key'))
    expect(keys).toEqual([keys[0], keys[0], keys[0]])
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/)
    expect(waits).toEqual([500, 1000])
  })

  it('sends the idempotency key that it was given', async () => {
    const { client, calls } = connect([() => json(queued, 202)])
    await client.create(request, { idempotencyKey: 'order-42' })
    expect(calls[0]?.headers.get('idempotency-key')).toBe('order-42')
  })

  it('waits for as long as Retry-After says', async () => {
    const { client, waits } = connect([() => refusal('rate_limited', 429, { 'Retry-After': '7' }), () => json(queued)])
    await client.get(jobId)
    expect(waits).toEqual([7000])
  })

  it('leaves a Retry-After of over a minute to the caller', async () => {
    const { client, waits } = connect([() => refusal('rate_limited', 429, { 'Retry-After': '61' })])
    await expect(client.get(jobId)).rejects.toMatchObject({ type: 'rate_limited', retryAfterSeconds: 61 })
    expect(waits).toEqual([])
  })

  it('gives up after its retries, and says why', async () => {
    const { client, calls } = connect([], { retries: 2 })
    const error = new ConnectionFailed('no answer from https://rates.example/prod: read ECONNRESET')
    await expect(client.get(jobId)).rejects.toEqual(error)
    expect(calls).toHaveLength(3)
  })

  it.each([
    ['invalid_request', 400],
    ['unauthorized', 401],
    ['not_found', 404],
    ['conflict', 409],
    ['idempotency_mismatch', 422],
  ])('rejects with an ApiError of the type %s, without another try', async (type, status) => {
    const { client, calls } = connect([() => refusal(type, status)])
    const error = await client.get(jobId).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ type, status, message: `${type} it is`, requestId: 'r-1' })
    expect(calls).toHaveLength(1)
  })

  it('reports that something other than the service answered', async () => {
    const { client } = connect([() => new Response('<html>', { status: 200 })])
    await expect(client.get(jobId)).rejects.toMatchObject({ type: 'unexpected_answer', status: 200 })
  })

  it('refuses to be made without a key', () => {
    expect(() => new RateSearchClient(JSON.parse('{ "url": "https://rates.example" }'))).toThrow('the API key must be')
  })

  it('reads no answer beyond 16 MiB, and does not ask for it again', async () => {
    const pieces: number[] = []
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        pieces.push(1 << 20)
        controller.enqueue(new Uint8Array(1 << 20).fill(0x20))
      },
    })
    const { client, calls } = connect([
      () => new Response(endless, { headers: { 'Content-Type': 'application/json' } }),
    ])
    await expect(client.get(jobId)).rejects.toThrow(ApiError)
    expect([calls.length, pieces.length]).toEqual([1, expect.toSatisfy((count) => count >= 16 && count <= 20)])
  })

  it('says that /v1 does not belong to the address', async () => {
    const options = { url: 'https://rates.example/v1/' }
    const { client } = connect([() => refusal('not_found', 404)], options)
    await expect(client.get(jobId)).rejects.toThrow('Leave "/v1" out of the address https://rates.example/v1.')
  })

  it('retries if an answer is cut off', async () => {
    const headers = { 'Content-Type': 'application/json' }
    const { client } = connect([() => new Response('{"job_id": "2a', { headers }), () => json(completed)])
    expect(await client.get(jobId)).toEqual(completed)
  })

  it('treats a 404 as success if the previous try may have deleted the search', async () => {
    const { client } = connect([cut, () => refusal('not_found', 404)])
    await expect(client.delete(jobId)).resolves.toBeUndefined()
    const { client: other } = connect([() => refusal('not_found', 404)])
    await expect(other.delete(jobId)).rejects.toThrow('not_found it is')
  })

  it('follows a search until it has ended, and waits for as long as it is told', async () => {
    const { client, waits } = connect([
      () => json(queued, 200, { 'Retry-After': '2' }),
      () => json({ ...queued, status: 'processing' }),
      () => json(completed),
    ])
    const statuses = (await collect(client.follow(jobId))).map(({ status }) => status)
    expect(statuses).toEqual(['queued', 'processing', 'completed'])
    expect(waits).toEqual([2000, 15_000])
  })

  it('rejects with the reason of a search that failed while it was waited for', async () => {
    const { client } = connect([() => json(failed)])
    const error = await client.waitFor(jobId).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(SearchFailed)
    expect(error).toMatchObject({ reason: 'too_broad', jobId, message: failed.error })
  })

  describe('that searches', () => {
    /** A client whose clock advances by each sleep, and by each call as long as it takes. */
    function openClock(answers: readonly (readonly [seconds: number, answer: () => Response])[]) {
      let time = 0
      const timed = answers.map(([seconds, answer]) => () => {
        time += seconds * 1000
        return answer()
      })
      const sleeps: number[] = []
      const sleep = async (milliseconds: number) => {
        sleeps.push(milliseconds)
        time += milliseconds
      }
      return { ...connect(timed, { now: () => time, sleep }), sleeps }
    }
    const created = [1, () => json(queued, 202)] as const
    const early = () => json(queued, 200, { 'Retry-After': '2' })
    const waitsOf = (calls: readonly { readonly url: string }[]) =>
      calls.slice(1).map(({ url }) => new URL(url).searchParams.get('wait'))

    it('lets the service wait, for no longer than is left', async () => {
      const { client, calls, sleeps } = openClock([created, [2, () => json(completed)]])
      expect(await client.search(request, { wait: 10 })).toEqual(completed)
      expect([waitsOf(calls), sleeps]).toEqual([['9'], []])
    })

    it('asks again after a pause if the service does not wait', async () => {
      const { client, calls, sleeps } = openClock([created, [0, early], [0, early], [1, () => json(completed)]])
      expect(await client.search(request)).toEqual(completed)
      expect([waitsOf(calls), sleeps]).toEqual([
        ['19', '17', '15'],
        [2000, 2000],
      ])
    })

    it('returns a search that still runs once the time is over, and asks at once after a whole wait', async () => {
      const { client, calls, sleeps } = openClock([created, [20, () => json(queued)], [9, () => json(queued)]])
      expect(await client.search(request, { wait: 30 })).toEqual(queued)
      expect([waitsOf(calls), sleeps]).toEqual([['20', '9'], []])
    })

    it('never sleeps beyond its time, and looks once more at its end', async () => {
      const late = () => json(queued, 200, { 'Retry-After': '15' })
      const { client, calls, sleeps } = openClock([created, [0, late], [0, () => json(completed)]])
      expect(await client.search(request, { wait: 5 })).toEqual(completed)
      expect([waitsOf(calls), sleeps]).toEqual([['4', null], [4000]])
    })

    it('rejects with SearchFailed if the search fails', async () => {
      const { client } = openClock([created, [1, () => json(failed)]])
      await expect(client.search(request)).rejects.toMatchObject({ reason: 'too_broad' })
    })

    it('only creates the search if it shall not wait', async () => {
      const { client, calls } = openClock([created])
      expect(await client.search(request, { wait: 0, idempotencyKey: 'order-42' })).toEqual(queued)
      expect(calls[0]?.headers.get('idempotency-key')).toBe('order-42')
    })
  })

  it('waits for a search and returns its manifest, whose rows need no check of its status', async () => {
    const manifest = { job_id: jobId, status: 'completed', rows: 4, shards: [] }
    const { client, calls } = connect([() => json(queued), () => json(completed), () => json(manifest)])
    const rows: number = (await client.completedManifest(jobId, { pollSeconds: 1 })).rows
    expect(rows).toBe(4)
    expect(calls.map(({ url }) => url.split('/').at(-1))).toEqual([jobId, jobId, 'manifest'])
  })

  it('rejects with SearchFailed instead of a manifest without a result', async () => {
    const { client, calls } = connect([() => json(failed)])
    const error = await client.completedManifest(jobId).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(SearchFailed)
    expect(error).toMatchObject({ reason: 'too_broad' })
    expect(calls).toHaveLength(1)
  })

  it('announces each retry and its reason before it waits', async () => {
    const retries: Retry[] = []
    const { client, waits } = connect(
      [cut, () => refusal('rate_limited', 429, { 'Retry-After': '7' }), () => json(queued)],
      { retries: 3, onRetry: (retry) => retries.push(retry) },
    )
    await client.get(jobId)
    expect(retries).toEqual([
      { error: expect.any(ConnectionFailed), retry: 1, retries: 3, seconds: 0.5 },
      { error: expect.any(ApiError), retry: 2, retries: 3, seconds: 7 },
    ])
    expect(waits).toEqual([500, 7000])
  })

  it('announces no retry after the last try', async () => {
    const retries: number[] = []
    const { client } = connect([], { retries: 2, onRetry: ({ retry }) => retries.push(retry) })
    await expect(client.get(jobId)).rejects.toThrow(ConnectionFailed)
    expect(retries).toEqual([1, 2])
  })

  it('reads all pages of fee schedules', async () => {
    const entry = { payer: 'A & B', plan: 'Q' }
    const { client, calls } = connect([
      () => json({ fee_schedules: [entry], next_cursor: 'n=1' }),
      () => json({ fee_schedules: [entry], next_cursor: null }),
    ])
    expect(await collect(client.feeSchedules({ payer: 'A & B', pageSize: 1 }))).toEqual([entry, entry])
    expect(calls.map(({ url }) => new URL(url).search)).toEqual([
      '?payer=A%20%26%20B&limit=1',
      '?payer=A%20%26%20B&limit=1&cursor=n%3D1',
    ])
  })

  it('reads all pages of searches, also if one is empty', async () => {
    const { client, calls } = connect([
      () => json({ searches: [], next_cursor: 'next' }),
      () => json({ searches: [failed], next_cursor: null }),
    ])
    expect(await collect(client.list({ status: 'failed' }))).toEqual([failed])
    expect(calls.map(({ url }) => new URL(url).search)).toEqual([
      '?status=failed&limit=100',
      '?status=failed&limit=100&cursor=next',
    ])
  })

  it('stops when its signal aborts, with the reason of the signal', async () => {
    const stop = new AbortController()
    const { client } = connect([cut], { sleep: async () => stop.abort(new Error('enough')) })
    await expect(client.get(jobId, { signal: stop.signal })).rejects.toThrow('enough')
  })

  it.each([
    [{ url: 'rates.example' }, /must begin with https/],
    [{ url: 'ftp://rates.example' }, /must begin with https/],
    [{ key: 'a key' }, /visible ASCII characters/],
    [{ key: '' }, /visible ASCII characters/],
  ])('cannot be created with %j', (options, message) => {
    expect(() => connect([], options)).toThrow(message)
  })
})
