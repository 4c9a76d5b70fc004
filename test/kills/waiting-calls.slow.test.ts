import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DeleteCommand } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { readStageFile } from '../../lib/stage/stage-files.ts'
import { at } from '../../schema/at.ts'
import { waitSlotOwner } from '../../schema/tables.ts'
import { connectClient, openAnswerLog } from '../harness/contract-client.ts'
import { knownSearches } from '../harness/known-searches.ts'
import { type SampleService, startSampleService } from '../harness/sample-service.ts'
import { ageJobs, listItems } from '../harness/stored-jobs.ts'
import { standBefore } from '../local/call-proxy.ts'

const waits = readStageFile('stages/local.json').waitingCalls

/** Time in which a call answers that does not wait, in milliseconds. */
const atOnceMs = 3000

/** An answer to a call that waits. */
interface Waited {
  readonly status: number
  readonly search: string | undefined
  readonly ms: number
}

/** A service, of which calls to DynamoDB can hang and executions can be refused. */
interface BreakableService {
  readonly sample: SampleService
  readonly apiKey: string
  readonly outage: { dynamodb: boolean; states: boolean }
  /** Ids of the invocations of get-search. */
  readonly readings: string[]
}

const folders: string[] = []

async function startBreakableService(): Promise<BreakableService> {
  const folder = mkdtempSync(join(tmpdir(), 'waiting-calls-'))
  folders.push(folder)
  const outage = { dynamodb: false, states: false }
  const readings: string[] = []
  const sample = await startSampleService(folder, {
    observe: (name, url) =>
      standBefore(url, async (call, pass) => {
        if (name === 'dynamodb' && outage.dynamodb) return call.closed.then(() => undefined)
        return name === 'states' && outage.states ? undefined : pass()
      }),
    onInvocation: ({ functionName, requestId }) => {
      if (functionName === 'GetSearch') readings.push(requestId)
    },
  })
  const { api_key: apiKey } = await sample.newOrganization()
  return { sample, apiKey, outage, readings }
}

/** Creates a search that stays queued until the sweeper finds it. */
async function createQueued({ sample, apiKey, outage }: BreakableService): Promise<string> {
  const client = connectClient({ baseUrl: sample.service.baseUrl, apiKey }, openAnswerLog())
  outage.states = true
  const search = await client.createSearch(at(knownSearches, 0).body)
  outage.states = false
  if (search === undefined) throw new Error('the search was not accepted')
  return search.job_id
}

const bodySchema = v.object({ status: v.optional(v.string()) })

async function wait(
  { sample, apiKey }: BreakableService,
  jobId: string,
  seconds: number,
  signal?: AbortSignal,
): Promise<Waited> {
  const began = performance.now()
  const response = await fetch(`${sample.service.baseUrl}/v1/searches/${jobId}?wait=${seconds}`, {
    headers: { Authorization: `Bearer ${apiKey}` },
    ...(signal && { signal }),
  })
  const { status: search } = v.parse(bodySchema, await response.json())
  return { status: response.status, search, ms: performance.now() - began }
}

/** Returns the times until which slots are held, in milliseconds from now. */
async function readHeldMs({ sample }: BreakableService): Promise<readonly number[]> {
  // A call holds a slot of the stage and one of its organization, whose name is in the second.
  const slots = (await listItems(sample.jobs, waitSlotOwner)).filter(({ item }) => !/#.*#/.test(String(item)))
  return slots.map(({ held_until: until }) => Number(until) - Date.now()).filter((ms) => ms > 0)
}

let service: BreakableService

beforeAll(async () => {
  service = await startBreakableService()
  // Starts the environments, so that the tests measure waits and not cold starts.
  const jobId = await createQueued(service)
  await Promise.all(Array.from({ length: waits + 2 }, () => wait(service, jobId, 1)))
}, 120_000)

afterEach(async () => {
  service.readings.length = 0
  const { client, table } = service.sample.jobs
  for (const { org_id, item } of await listItems(service.sample.jobs, waitSlotOwner))
    await client.send(new DeleteCommand({ TableName: table, Key: { org_id, item } }))
})

afterAll(async () => {
  await service.sample.close()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})

describe('calls that wait', () => {
  it('answer soon after the search has ended, and leave no slot', async () => {
    const jobId = await createQueued(service)
    const calls = Array.from({ length: waits }, () => wait(service, jobId, 20))
    await expect.poll(() => readHeldMs(service).then(({ length }) => length)).toBeGreaterThan(0)
    await ageJobs(service.sample.jobs)
    await service.sample.sweep()
    const answers = await Promise.all(calls)
    expect(answers.filter(({ search }) => search === 'completed').length).toBeGreaterThan(0)
    for (const { status, search, ms } of answers) {
      expect(status).toBe(200)
      if (search !== 'completed') expect(ms).toBeLessThan(atOnceMs)
    }
    expect(await readHeldMs(service)).toEqual([])
  }, 60_000)

  it('hold no more slots than the stage has; the others answer at once', async () => {
    const jobId = await createQueued(service)
    const answers = await Promise.all(Array.from({ length: waits + 3 }, () => wait(service, jobId, 6)))
    const waited = answers.filter(({ ms }) => ms > 5900)
    const early = answers.filter(({ ms }) => ms < atOnceMs)
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(waited.length).toBeGreaterThan(0)
    expect(waited.length).toBeLessThanOrEqual(waits)
    expect(waited.length + early.length).toBe(answers.length)
    expect(await readHeldMs(service)).toEqual([])
  }, 60_000)

  it('hold their slots for half a minute at most if their environments are killed', async () => {
    const jobId = await createQueued(service)
    const calls = Array.from({ length: waits }, () => wait(service, jobId, 20))
    await expect.poll(() => readHeldMs(service).then(({ length }) => length)).toBeGreaterThan(0)
    await sleep(500)
    const held = (await readHeldMs(service)).length
    for (const requestId of service.readings) service.sample.service.endInvocation(requestId, 'crash')
    const answers = await Promise.all(calls)
    expect(answers.filter(({ status }) => status === 502)).toHaveLength(held)
    const heldMs = await readHeldMs(service)
    expect(heldMs).toHaveLength(held)
    expect(Math.max(...heldMs)).toBeLessThanOrEqual(30_000)
    // Other calls are answered meanwhile.
    expect(await wait(service, jobId, 0)).toMatchObject({ status: 200, search: 'queued' })
  }, 60_000)

  it('free their slots if their clients are gone', async () => {
    const jobId = await createQueued(service)
    const clients = new AbortController()
    const call = wait(service, jobId, 4, clients.signal).catch((error: unknown) => error)
    await expect.poll(() => readHeldMs(service).then(({ length }) => length)).toBe(1)
    clients.abort()
    expect(await call).toBeInstanceOf(Error)
    await expect.poll(() => readHeldMs(service), { timeout: 10_000 }).toEqual([])
  }, 60_000)

  it('answer before API Gateway gives up if DynamoDB stops to answer at the end of their time', async () => {
    const jobId = await createQueued(service)
    const call = wait(service, jobId, 20)
    await expect.poll(() => readHeldMs(service).then(({ length }) => length)).toBe(1)
    await sleep(17_500)
    service.outage.dynamodb = true
    const answer = await call.finally(() => {
      service.outage.dynamodb = false
    })
    expect(answer).toMatchObject({ status: 200, search: 'queued' })
    expect(answer.ms).toBeLessThan(27_000)
  }, 60_000)

  it('keep no service from its stop', async () => {
    const stopped = await startBreakableService()
    const jobId = await createQueued(stopped)
    const call = wait(stopped, jobId, 20).catch((error: unknown) => error)
    await expect.poll(() => readHeldMs(stopped).then(({ length }) => length)).toBe(1)
    const began = performance.now()
    await stopped.sample.close()
    await call
    expect(performance.now() - began).toBeLessThan(5000)
  }, 120_000)
})
