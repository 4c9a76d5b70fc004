import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { SearchBody } from '../../contract/search-api.ts'
import type { ObservedService } from '../../local/endpoint.ts'
import { at } from '../../schema/at.ts'
import { type ContractClient, connectClient, hasEnded, openAnswerLog } from '../harness/contract-client.ts'
import { findWrongEnd, type KnownSearch, knownSearches } from '../harness/known-searches.ts'
import { type SampleService, startSampleService } from '../harness/sample-service.ts'
import { ageJobs } from '../harness/stored-jobs.ts'
import { type BreakableEndpoint, startBreakableEndpoint } from './breakable-endpoint.ts'

/** Longest time of a POST or GET during an outage: well below its function's time-out of ten seconds. */
const maxAnswerMs = 5000

const folder = mkdtempSync(join(tmpdir(), 'outages-'))
const fronts = new Map<ObservedService, BreakableEndpoint>()
const answers = openAnswerLog()
const known: KnownSearch = at(knownSearches, 0)
let sample: SampleService
let client: ContractClient

beforeAll(async () => {
  sample = await startSampleService(folder, {
    observe: async (name, url) => {
      const front = await startBreakableEndpoint(url)
      fronts.set(name, front)
      return front
    },
  })
  const { api_key: apiKey } = await sample.newOrganization()
  client = connectClient({ baseUrl: sample.service.baseUrl, apiKey }, answers)
  // Starts every function of the API, so that the tests measure calls and not cold starts.
  await completeSearch()
}, 120_000)

afterEach(() => {
  expect([...answers.violations, ...answers.lost]).toEqual([])
  answers.failures.length = 0
})

afterAll(async () => {
  await sample.close()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})

async function post(): Promise<string> {
  const search = await client.createSearch(known.body)
  if (search === undefined) throw new Error(`the search was not accepted: ${answers.failures.join()}`)
  return search.job_id
}

/** Sweeps as if minutes had passed. */
async function sweep(): Promise<void> {
  await ageJobs(sample.jobs)
  await sample.sweep()
}

/** Polls a job until it ends, with a sweep at every tenth poll. */
async function awaitEnd(jobId: string): Promise<SearchBody> {
  for (let turn = 1; turn < 100; turn++) {
    const search = await client.getSearch(jobId)
    if (search && hasEnded(search)) return search
    if (turn % 10 === 0) await sweep()
    await sleep(200)
  }
  throw new Error(`job ${jobId} did not end`)
}

/** Runs a search, which must complete with the right rows, and returns its job id. */
async function completeSearch(): Promise<string> {
  const jobId = await post()
  expect(await findWrongEnd(known, await awaitEnd(jobId))).toBeUndefined()
  return jobId
}

/** Makes calls, each of which must be answered soon. */
async function answerSoon<Result>(...calls: readonly (() => Promise<Result>)[]): Promise<Result[]> {
  const results: Result[] = []
  for (const call of calls) {
    const began = performance.now()
    results.push(await call())
    expect(performance.now() - began).toBeLessThan(maxAnswerMs)
  }
  return results
}

/** Stops an endpoint while `use` runs. */
async function without<Result>(name: ObservedService, use: () => Promise<Result>): Promise<Result> {
  const front = fronts.get(name)
  if (front === undefined) throw new TypeError(`${name} has no proxy`)
  await front.stop()
  try {
    return await use()
  } finally {
    await front.heal()
  }
}

describe('an outage of', () => {
  it('DynamoDB makes creating and polling soon answer a well-formed 500', async () => {
    const jobId = await completeSearch()
    await without('dynamodb', () =>
      answerSoon(
        () => client.createSearch(known.body),
        () => client.getSearch(jobId),
      ),
    )
    expect(answers.failures).toEqual(['POST ', `GET /${jobId}`])
    await completeSearch()
  }, 90_000)

  it('Step Functions lets creating answer 202, and the sweeper starts the job', async () => {
    const [jobId = ''] = await without('states', () => answerSoon(post))
    expect(await client.getSearch(jobId)).toMatchObject({ status: 'queued' })
    await sweep()
    expect(await findWrongEnd(known, await awaitEnd(jobId))).toBeUndefined()
    expect(answers.failures).toEqual([])
  }, 90_000)

  it('STS lets a completed job answer 200 with URLs or a well-formed 500, and creating 202', async () => {
    const completed = await completeSearch()
    const [search, created] = await without('sts', async () => {
      const [answer] = await answerSoon(() => client.getSearch(completed))
      return [answer, await post()] as const
    })
    if (search === undefined) expect(answers.failures).toEqual([`GET /${completed}`])
    else expect(search).toMatchObject({ status: 'completed' })
    await awaitEnd(created)
    await completeSearch()
  }, 90_000)

  it('S3 lets URLs of completed jobs be signed, and a running search end', async () => {
    const completed = await completeSearch()
    const [search, created] = await without('s3', async () => {
      const results = [await client.getSearch(completed), await post()] as const
      await sleep(1500)
      return results
    })
    expect(search).toMatchObject({ status: 'completed' })
    await awaitEnd(created)
    await completeSearch()
  }, 90_000)

  it.each(['athena', 'dynamodb', 'states'] as const)(
    '%s in the middle of searches lets every search end',
    async (name) => {
      const created = [await post(), await post(), await post()]
      await sleep(200)
      await without(name, () => sleep(1500))
      for (const jobId of created) await awaitEnd(jobId)
      await completeSearch()
    },
    120_000,
  )
})

describe('the service whose storage refuses writes', () => {
  it('ends a search, answers polls, and completes new searches once writes are accepted again', async () => {
    const before = await completeSearch()
    // A file in place of the folder: unlike permissions or quotas, this stops root too.
    const place = join(folder, 's3')
    renameSync(place, `${place}.away`)
    writeFileSync(place, '')
    const end = await awaitEnd(await post())
    expect(end).toMatchObject({ status: 'failed', error: expect.stringMatching(/^internal: /) })
    expect(await client.getSearch(before)).toMatchObject({ status: 'completed' })
    rmSync(place)
    renameSync(`${place}.away`, place)
    expect(await findWrongEnd(known, await awaitEnd(before))).toBeUndefined()
    await completeSearch()
  }, 120_000)
})
