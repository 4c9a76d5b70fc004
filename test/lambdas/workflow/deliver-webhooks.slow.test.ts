import { spawnSync } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import * as v from 'valibot'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { connectDynamo } from '../../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoWebhooks } from '../../../adapters/dynamodb/dynamo-webhooks.ts'
import { createWebhookCalls } from '../../../adapters/network/webhook-calls.ts'
import type { CallWebhook, WebhookAdmin } from '../../../core/events/ports.ts'
import type { Endpoint } from '../../../core/events/webhook.ts'
import { addSeconds } from '../../../core/time.ts'
import { deliverWebhooksHandler } from '../../../lambdas/deliver-webhooks/handler.ts'
import { retryWebhooksHandler } from '../../../lambdas/retry-webhooks/handler.ts'
import { at } from '../../../schema/at.ts'
import { type ReceivedCall, startWebhookReceiver, type WebhookReceiver } from '../../doubles/webhook-receiver.ts'
import { connectEndpoints } from '../../endpoints/connect.ts'
import { makeTables } from '../../endpoints/make-tables.ts'

connectEndpoints()
const start = new Date('2026-11-20T09:30:00.000Z')
const [minute, hour, day] = [60, 3600, 86_400] as const
const addressRules = { allowsPrivate: false, allowsOwn: true }
const timerEvent = { source: 'aws.events', 'detail-type': 'Scheduled Event', detail: {} }

let webhooks: WebhookAdmin
let receiver: WebhookReceiver
let now: Date
let lines: unknown[]
let logLines: object[]

// A separate table for each test, because the timer's runs handle every delivery in it.
beforeEach(async () => {
  const { Webhooks = '' } = await makeTables(randomUUID())
  webhooks = createDynamoWebhooks(connectDynamo(), Webhooks)
  receiver = await startWebhookReceiver()
  now = start
  lines = []
  logLines = []
})

afterEach(async () => {
  vi.useRealTimers()
  await receiver[Symbol.asyncDispose]()
})

/** Ports that a test replaces. */
interface Ports {
  readonly call?: CallWebhook
  readonly store?: WebhookAdmin
}

const compose = ({ call = createWebhookCalls(addressRules), store = webhooks }: Ports = {}) => ({
  webhooks: store,
  call,
  now: () => now,
  random: () => 0,
  log: (event: string, facts?: object) => void logLines.push({ event, ...facts }),
  stage: 'test',
  writeLine: (line: string) => void lines.push(JSON.parse(line)),
})

/** Invokes the function for events at the time of the test. */
const invoke = (event: unknown, ports?: Ports) => deliverWebhooksHandler(compose(ports))(event)

/** Invokes the function of the timer at the time of the test. */
const retry = (ports?: Ports) => retryWebhooksHandler(compose(ports))()

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`

async function addEndpoint(facts: Partial<Endpoint> = {}): Promise<Endpoint> {
  const [orgId, endpointId] = [randomUUID(), randomUUID()]
  const secrets = [{ secret: newSecret() }]
  const events = ['search.ended', 'fee_schedules.updated'] as const
  const endpoint = { orgId, endpointId, url: `${receiver.url}/hook`, events, createdAt: start, secrets, ...facts }
  expect(await webhooks.create(endpoint)).toBe('written')
  return endpoint
}

const searchEnded = ({ orgId }: Pick<Endpoint, 'orgId'>, jobId: string = randomUUID()) => ({
  version: '0',
  source: 'rate-search.test',
  'detail-type': 'Search Ended',
  time: '2026-11-20T09:29:59Z',
  detail: {
    id: `${jobId}-ca90742a479b411b`,
    version: 1,
    job_id: jobId,
    org_id: orgId,
    created_at: '2026-11-20T09:29:00.000+00:00',
    status: 'completed',
    completed_at: '2026-11-20T09:29:59.250+00:00',
  },
})

const loadAnnounced = (id: string = randomUUID()) => ({
  source: 'rate-search.test',
  'detail-type': 'Fee Schedules Updated',
  detail: { id, version: 1, load_id: 'load', ended_at: '2026-11-20T09:29:59.250+00:00', fee_schedules: [] },
})

const idsOf = (calls: readonly ReceivedCall[]) => calls.map(({ headers }) => headers['webhook-id'])

/** Verifies a call as receivers do, at the time of the test. */
function verify({ body, headers }: ReceivedCall, secret: string, at = now) {
  vi.useFakeTimers({ now: at, toFake: ['Date'] })
  try {
    return new Webhook(secret).verify(body, { ...headers })
  } finally {
    vi.useRealTimers()
  }
}

const secretOf = ({ secrets }: Endpoint) => at(secrets, 0).secret

/** Moves the clock forward, and runs the timer's function at each minute at which a delivery is due. */
async function letPass(seconds: number, ports?: Ports) {
  const until = addSeconds(now, seconds)
  for (;;) {
    const [due] = await webhooks.listDue(until, 1)
    if (due === undefined) break
    now = new Date(Math.max(now.getTime() + minute * 1000, due.dueAt.getTime()))
    await retry(ports)
  }
  now = until
}

it('calls no webhook for the timer of an earlier version, which may fire while a stage is upgraded', async () => {
  const endpoint = await addEndpoint()
  receiver.answer = (response) => void response.writeHead(500).end()
  await invoke(searchEnded(endpoint))
  now = addSeconds(now, hour)
  await invoke(timerEvent)
  expect(receiver.calls).toHaveLength(1)
})

describe('a webhook', () => {
  it('receives the event in a form that the published verifier accepts', async () => {
    const endpoint = await addEndpoint()
    const event = searchEnded(endpoint)
    await invoke(event)
    const [call, ...others] = receiver.calls
    expect(others).toEqual([])
    const { id, version: _, ...data } = event.detail
    const message = { type: 'search.ended', timestamp: '2026-11-20T09:29:59.250+00:00', data }
    expect(call && verify(call, secretOf(endpoint))).toEqual(message)
    expect(call?.headers).toMatchObject({ 'webhook-id': id, 'content-type': 'application/json' })
    expect(() => call && verify(call, newSecret())).toThrow('No matching signature')
    expect(logLines).toMatchObject([{ event: 'webhook called', attempt: 1, outcome: 'status 204' }])
  })

  const python = spawnSync('python3', ['-c', 'import standardwebhooks']).status === 0
  it.skipIf(!python)('receives the event in a form that the verifier for Python accepts', async () => {
    const endpoint = await addEndpoint()
    now = new Date()
    await invoke(searchEnded(endpoint))
    const [call] = receiver.calls
    const script = `import json, sys; from standardwebhooks import Webhook; c = json.load(sys.stdin); print(Webhook(c["secret"]).verify(c["body"], c["headers"])["type"])`
    const input = JSON.stringify({ ...call, secret: secretOf(endpoint) })
    expect(spawnSync('python3', ['-c', script], { input, encoding: 'utf8' }).stdout).toBe('search.ended\n')
  })

  it('receives the searches of its organization, and all loads', async () => {
    const [one, other] = [await addEndpoint(), await addEndpoint({ url: `${receiver.url}/other` })]
    await invoke(searchEnded(one))
    expect(receiver.calls.map(({ body }) => JSON.parse(body).data.org_id)).toEqual([one.orgId])
    await invoke(loadAnnounced())
    const [, ...loads] = receiver.calls
    expect(loads.map(({ body }) => JSON.parse(body).type)).toEqual(['fee_schedules.updated', 'fee_schedules.updated'])
    expect(new Set(idsOf(loads)).size).toBe(1)
    const isCalled = (endpoint: Endpoint) => loads.some((call) => isSignedBy(call, secretOf(endpoint)))
    expect([isCalled(one), isCalled(other)]).toEqual([true, true])
  })

  it('receives only the events that it was added for', async () => {
    const endpoint = await addEndpoint({ events: ['fee_schedules.updated'] })
    await invoke(searchEnded(endpoint))
    expect(receiver.calls).toEqual([])
  })

  it('receives an event once, even if the bus repeats it at the same time', async () => {
    const event = searchEnded(await addEndpoint())
    await Promise.all([invoke(event), invoke(event)])
    await invoke(event)
    await letPass(hour)
    expect(receiver.calls).toHaveLength(1)
  })

  it('receives signatures by both secrets during a rotation, and only by the new one afterwards', async () => {
    const endpoint = await addEndpoint()
    const [former, secret] = [secretOf(endpoint), newSecret()]
    const next = [{ secret }, { secret: former, endsAt: addSeconds(start, hour) }]
    expect(await webhooks.replaceSecrets(endpoint, next)).toBe('written')
    expect(await webhooks.replaceSecrets(endpoint, next)).toBe('superseded')
    await invoke(searchEnded(endpoint))
    now = addSeconds(start, hour)
    await invoke(searchEnded(endpoint))
    const [during, after] = receiver.calls.map((call) => [isSignedBy(call, former), isSignedBy(call, secret)])
    expect([during, after]).toEqual([
      [true, true],
      [false, true],
    ])
  })
})

function isSignedBy(call: ReceivedCall, secret: string): boolean {
  try {
    verify(call, secret, new Date(Number(call.headers['webhook-timestamp']) * 1000))
    return true
  } catch {
    return false
  }
}

describe('a call that fails', () => {
  const fail = (status: number) => {
    receiver.answer = (response) => void response.writeHead(status).end()
  }

  it('repeats up to eight times under one id in 32 hours, then waits for an operator to send it again', async () => {
    const endpoint = await addEndpoint()
    fail(500)
    const event = searchEnded(endpoint)
    await invoke(event)
    const times: number[] = []
    receiver.answer = (response) => {
      times.push((now.getTime() - start.getTime()) / 1000)
      response.writeHead(500).end()
    }
    await letPass(10 * day)
    const pauses = times.map((time, index) => time - (times[index - 1] ?? 0))
    expect(pauses).toEqual([60, 300, 1800, 7200, 18_000, 36_000, 50_400])
    expect(new Set(idsOf(receiver.calls))).toEqual(new Set([event.detail.id]))
    for (const call of receiver.calls) expect(isSignedBy(call, secretOf(endpoint))).toBe(true)
    expect(new Set(receiver.calls.map(({ headers }) => headers['webhook-signature'])).size).toBe(8)
    expect(lines).toEqual([expect.objectContaining({ WebhooksGivenUp: 1, Stage: 'test' })])
    const [failed] = await webhooks.listFailed(endpoint.orgId)
    expect(failed).toMatchObject({ eventId: event.detail.id, attempts: 8, lastFailure: 'status 500' })
    expect(await webhooks.listFailed(randomUUID())).toEqual([])

    receiver.answer = (response) => void response.writeHead(200).end()
    expect(failed && (await webhooks.resend(failed, now))).toBe('written')
    expect(failed && (await webhooks.resend(failed, now))).toBe('superseded')
    await letPass(hour)
    expect(idsOf(receiver.calls)).toEqual(Array(9).fill(event.detail.id))
    expect(await webhooks.listFailed()).toEqual([])
    expect(await webhooks.readEndpoint(endpoint)).not.toHaveProperty('failingSince')
  })

  it('reaches a receiver that was down for a day', async () => {
    const endpoint = await addEndpoint()
    const port = Number(new URL(receiver.url).port)
    await receiver[Symbol.asyncDispose]()
    const events = [searchEnded(endpoint), searchEnded(endpoint), loadAnnounced()]
    for (const event of events) await invoke(event)
    await letPass(day)
    expect((await webhooks.readEndpoint(endpoint))?.lastFailure).toBe('no answer (ECONNREFUSED)')
    receiver = await startWebhookReceiver(port)
    await letPass(day)
    expect(idsOf(receiver.calls).sort()).toEqual(events.map(({ detail }) => detail.id).sort())
    expect(await webhooks.readEndpoint(endpoint)).not.toHaveProperty('failingSince')
  })

  it('disables an endpoint that failed for five days, records the reason, and keeps its undelivered events', async () => {
    const endpoint = await addEndpoint()
    fail(503)
    for (let passed = 0; passed < 5; passed++) {
      await invoke(searchEnded(endpoint))
      await letPass(day)
    }
    expect((await webhooks.readEndpoint(endpoint))?.disabledAt).toBeUndefined()
    await letPass(2 * day)
    const disabled = await webhooks.readEndpoint(endpoint)
    expect(disabled).toMatchObject({ failingSince: start, disabledBecause: 'no call has succeeded for five days' })
    expect(await webhooks.listFailed(endpoint.orgId)).toHaveLength(5)
    const { length } = receiver.calls
    for (const event of [searchEnded(endpoint), loadAnnounced()]) await invoke(event)
    expect(receiver.calls).toHaveLength(length)

    receiver.answer = (response) => void response.writeHead(204).end()
    expect(disabled && (await webhooks.enable(disabled))).toBe('written')
    for (const delivery of await webhooks.listFailed()) await webhooks.resend(delivery, now)
    await letPass(hour)
    await invoke(loadAnnounced())
    expect(receiver.calls).toHaveLength(length + 6)
  })

  it('disables an endpoint at once that answers 410, and keeps its undelivered events', async () => {
    const endpoint = await addEndpoint()
    fail(500)
    await invoke(searchEnded(endpoint))
    fail(410)
    await invoke(searchEnded(endpoint))
    expect((await webhooks.readEndpoint(endpoint))?.disabledBecause).toBe('it answered 410 Gone')
    await letPass(hour)
    expect(receiver.calls).toHaveLength(2)
    const failures = (await webhooks.listFailed()).map(({ lastFailure }) => lastFailure)
    expect(failures.sort()).toEqual(['status 410', 'the endpoint is disabled'])
  })

  it('delays no other endpoint, and calls a failing one once a run, then not for five minutes', async () => {
    const [broken, sound] = [await addEndpoint({ url: `${receiver.url}/broken` }), await addEndpoint()]
    receiver.answer = (response, { url }) => void response.writeHead(url === '/broken' ? 500 : 204).end()
    const isBroken = ({ body }: ReceivedCall) => JSON.parse(body).data.org_id === broken.orgId
    for (let index = 0; index < 20; index++) await invoke(searchEnded(broken))
    const lostEvent = searchEnded(sound)
    await invoke(lostEvent, { call: async () => ({ fault: 'lost' }) })
    now = addSeconds(now, 2 * minute)
    const countBefore = receiver.calls.length
    await retry()
    const calls = receiver.calls.slice(countBefore)
    expect(calls.filter(isBroken)).toHaveLength(1)
    expect(idsOf(calls)).toContain(lostEvent.detail.id)
    const deliveries = await webhooks.listDue(addSeconds(now, day), 100)
    expect(deliveries).toHaveLength(20)
    const dueTimes = new Set(deliveries.map(({ dueAt }) => dueAt.getTime()))
    expect(dueTimes).toEqual(new Set([addSeconds(now, 5 * minute).getTime()]))
  })

  it('delays no other endpoint if hundreds of calls are due', async () => {
    const [broken, sound] = [await addEndpoint(), await addEndpoint()]
    const recordDelivery = (endpoint: Endpoint, eventId: string) => {
      const { orgId, endpointId } = endpoint
      const type = 'search.ended'
      return webhooks.record({ orgId, endpointId, eventId, type, body: '{}', createdAt: start, attempts: 1 }, start)
    }
    await Promise.all(Array.from({ length: 600 }, (_, index) => recordDelivery(broken, `event-${index}`)))
    now = addSeconds(start, minute)
    await invoke(searchEnded(sound), { call: async () => ({ fault: 'lost' }) })
    now = addSeconds(now, minute)
    const calledIds: (string | undefined)[] = []
    const call: CallWebhook = async (_, headers) => {
      calledIds.push(headers['webhook-id'])
      return { status: 500 }
    }
    await retry({ call })
    expect(calledIds).toHaveLength(2)
  })

  it('disables an endpoint that failed for five days and has a longer backlog than calls a run', async () => {
    const endpoint = await addEndpoint()
    fail(500)
    for (let index = 0; index < 3; index++) await invoke(searchEnded(endpoint))
    now = addSeconds(start, 5 * day)
    await retry()
    const disabled = await webhooks.readEndpoint(endpoint)
    expect(disabled?.disabledBecause).toBe('no call has succeeded for five days')
    expect((await webhooks.listFailed(endpoint.orgId)).map(({ attempts }) => attempts)).toEqual([2])
  })

  it('disables no endpoint whose first failure is of today, even if one failed weeks ago', async () => {
    const endpoint = await addEndpoint()
    fail(500)
    await invoke(searchEnded(endpoint))
    await letPass(3 * day)
    now = addSeconds(start, 30 * day)
    await invoke(searchEnded(endpoint))
    await letPass(minute * 10)
    expect(await webhooks.readEndpoint(endpoint)).not.toHaveProperty('disabledAt')
  })

  it('ends once its endpoint is removed', async () => {
    const endpoint = await addEndpoint()
    fail(500)
    await invoke(searchEnded(endpoint))
    await webhooks.remove(endpoint)
    await invoke(searchEnded(endpoint))
    await letPass(2 * day)
    expect([receiver.calls.length, await webhooks.listFailed()]).toEqual([1, []])
  })
})

describe('a function that dies while it delivers an event', () => {
  const makeDyingStore = (port: 'record' | 'close' | 'noteFailure', isAfter: boolean): WebhookAdmin => ({
    ...webhooks,
    [port]: async (...args: never[]) => {
      const write: (...each: never[]) => Promise<unknown> = webhooks[port]
      if (isAfter) await write(...args)
      throw new Error('killed')
    },
  })

  it.each([
    ['before it records a call', 'record', false, 1],
    ['after it has recorded a call', 'record', true, 1],
    ['after its call, before it records the success', 'close', false, 2],
    ['after it has recorded the success', 'close', true, 1],
  ] as const)('delivers the event under one id if it dies %s', async (_, port, isAfter, calls) => {
    const event = searchEnded(await addEndpoint())
    await expect(invoke(event, { store: makeDyingStore(port, isAfter) })).rejects.toThrow('killed')
    // Lambda and EventBridge repeat a failed invocation.
    await invoke(event)
    await letPass(hour)
    expect(idsOf(receiver.calls)).toEqual(Array(calls).fill(event.detail.id))
  })

  it('leaves its event to exactly one other run a minute later if it hangs', async () => {
    const event = searchEnded(await addEndpoint())
    const never = Promise.withResolvers<never>()
    void invoke(event, { call: () => never.promise })
    await vi.waitFor(async () => expect(await webhooks.listDue(addSeconds(start, hour), 9)).toHaveLength(1))
    now = addSeconds(start, 30)
    await retry()
    expect(receiver.calls).toEqual([])
    now = addSeconds(start, minute)
    await Promise.all([retry(), retry()])
    expect(idsOf(receiver.calls)).toEqual([event.detail.id])
  })
})

describe('an event of another service', () => {
  it('fails the function, so that operators notice it', async () => {
    await expect(invoke({ source: 'x', 'detail-type': 'y', detail: {} })).rejects.toThrow(v.ValiError)
  })
})
