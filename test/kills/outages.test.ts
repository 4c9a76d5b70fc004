import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAthenaQueries } from '../../adapters/athena-queries.ts'
import { connectDynamo } from '../../adapters/dynamo-client.ts'
import { createDynamoJobs } from '../../adapters/dynamo-jobs.ts'
import { createDynamoUnendedJobs } from '../../adapters/dynamo-unended-jobs.ts'
import { createSfnWorkflow } from '../../adapters/sfn-workflow.ts'
import { startLocalService } from '../../bin/local-service.ts'
import { seedOnce, tableName } from '../../bin/seed.ts'
import type { SearchBody } from '../../contract/search-api.ts'
import { addSeconds } from '../../core/timestamp.ts'
import { sweepSearchesHandler } from '../../lambdas/sweep-searches/handler.ts'
import type { LocalService, ObservedService } from '../../local/service.ts'
import { readStackTemplate } from '../../local/stack-template.ts'
import type { BreakableEndpoint } from './breakable-endpoint.ts'
import { startBreakableEndpoint } from './breakable-endpoint.ts'
import { findWrongEnd, knownSearches } from './known-searches.ts'

/** How long a POST or GET may take while something behind it is down: long before its function's ten seconds are over. */
const longestAnswerMs = 5000

const folder = mkdtempSync(join(tmpdir(), 'outages-'))
const fronts = new Map<ObservedService, BreakableEndpoint>()
let service: LocalService
let apiKey: string
let sweep: (secondsFromNow: number) => Promise<void>

beforeAll(async () => {
  service = await startLocalService(folder, 0, {
    observe: async (name, url) => {
      const front = await startBreakableEndpoint(url)
      fronts.set(name, front)
      return front
    },
  })
  const [organization] = await seedOnce(service, folder)
  apiKey = organization?.api_key ?? ''
  const template = readStackTemplate(join(folder, 'cdk.out'), 'SearchService')
  const [machine] = template.ofType('AWS::StepFunctions::StateMachine')
  const table = tableName(service, 'Jobs')
  sweep = (secondsFromNow) => {
    const now = () => addSeconds(new Date(), secondsFromNow)
    return sweepSearchesHandler({
      jobs: createDynamoJobs(connectDynamo(), table),
      unended: createDynamoUnendedJobs(connectDynamo(), table),
      workflow: createSfnWorkflow(template.text({ Ref: machine?.id ?? '' })),
      queries: createAthenaQueries({ workGroup: 'rate-search', database: 'rate_search' }),
      limits: { waitingHours: 2, runningHours: 2 },
      retentionDays: 7,
      now,
      log: () => {},
      writeLine: () => {},
    })()
  }
  // Every function of the API has an environment by then: what is measured is the call, not its cold start.
  await completeSearch()
}, 120_000)

afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})

interface Answer {
  readonly status: number
  readonly body: SearchBody
  readonly tookMs: number
}

async function call(path: string, body?: object): Promise<Answer> {
  const began = performance.now()
  const response = await fetch(service.baseUrl + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const answer: SearchBody = JSON.parse(await response.text())
  return { status: response.status, body: answer, tookMs: performance.now() - began }
}

const [known] = knownSearches
const post = () => call('/v1/searches', known?.body ?? {})
const get = (jobId: string) => call(`/v1/searches/${jobId}`)

const failure = {
  error: { type: 'internal_error', message: expect.any(String), request_id: expect.stringMatching(/./) },
}

/** Waits for a job's end; the sweeper looks after it as if three minutes had gone by at each look. */
async function awaitEnd(jobId: string): Promise<SearchBody> {
  for (let turn = 1; turn < 100; turn++) {
    const { status, body } = await get(jobId)
    if (status === 200 && (body.status === 'completed' || body.status === 'failed')) return body
    if (turn % 10 === 0) await sweep(180)
    await sleep(200)
  }
  throw new Error(`job ${jobId} did not end`)
}

/** Runs a search that must complete with its rows. */
async function completeSearch(): Promise<SearchBody> {
  const { status, body } = await post()
  expect(status).toBe(202)
  const end = await awaitEnd(body.job_id)
  expect(known && (await findWrongEnd(known, end))).toBeUndefined()
  return end
}

/** Stops an endpoint for as long as `use` takes. */
async function without<Result>(name: ObservedService, use: () => Promise<Result>): Promise<Result> {
  const front = fronts.get(name)
  if (front === undefined) throw new TypeError(`nothing stands before ${name}`)
  await front.stop()
  try {
    return await use()
  } finally {
    await front.heal()
  }
}

describe('while an endpoint is stopped', () => {
  it('DynamoDB: a create and a poll are 500 in the envelope, soon', async () => {
    const { job_id: jobId } = await completeSearch()
    const answers = await without('dynamodb', async () => [await post(), await get(jobId)])
    for (const { status, body, tookMs } of answers) {
      expect(status).toBe(500)
      expect(body).toEqual(failure)
      expect(tookMs).toBeLessThan(longestAnswerMs)
    }
    await completeSearch()
  }, 90_000)

  it('Step Functions: a create is 202 all the same, and the sweeper starts its job', async () => {
    const { status, body, tookMs } = await without('states', post)
    expect(status).toBe(202)
    expect(tookMs).toBeLessThan(longestAnswerMs)
    expect((await get(body.job_id)).body.status).toBe('queued')
    await sweep(61)
    const end = await awaitEnd(body.job_id)
    expect(known && (await findWrongEnd(known, end))).toBeUndefined()
  }, 90_000)

  it('STS: a completed job is 200 with URLs, or 500 in the envelope; one that waits is 200', async () => {
    const { job_id: jobId } = await completeSearch()
    const [completed, created] = await without('sts', async () => [await get(jobId), await post()] as const)
    if (completed.status === 200) expect(completed.body.status).toBe('completed')
    else expect(completed).toMatchObject({ status: 500, body: failure })
    expect(completed.tookMs).toBeLessThan(longestAnswerMs)
    expect(created.status).toBe(202)
    await awaitEnd(created.body.job_id)
    await completeSearch()
  }, 90_000)

  it('S3: URLs of completed jobs are signed without it, and a search under way ends', async () => {
    const { job_id: jobId } = await completeSearch()
    const [completed, created] = await without('s3', async () => {
      const answers = [await get(jobId), await post()] as const
      await sleep(1500)
      return answers
    })
    expect(completed).toMatchObject({ status: 200, body: { status: 'completed' } })
    expect(created.status).toBe(202)
    await awaitEnd(created.body.job_id)
    await completeSearch()
  }, 90_000)

  it.each(['athena', 'dynamodb', 'states'] as const)(
    '%s, in the middle of searches: every one ends',
    async (name) => {
      const created = [await post(), await post(), await post()]
      await sleep(200)
      await without(name, () => sleep(1500))
      for (const { status, body } of created) {
        expect(status).toBe(202)
        await awaitEnd(body.job_id)
      }
      await completeSearch()
    },
    120_000,
  )
})

describe('while the storage takes no files', () => {
  it('a search ends, polls are answered, and new searches complete once it does again', async () => {
    const { job_id: before } = await completeSearch()
    // A file in the place of the folder: no permission or quota stops root, but this does.
    const place = join(folder, 's3')
    renameSync(place, `${place}.away`)
    writeFileSync(place, '')
    const created = await post()
    expect(created.status).toBe(202)
    const end = await awaitEnd(created.body.job_id)
    expect(end).toMatchObject({ status: 'failed', error: expect.stringMatching(/^internal: /) })
    expect(await get(before)).toMatchObject({ status: 200, body: { status: 'completed' } })
    rmSync(place)
    renameSync(`${place}.away`, place)
    const healed = await get(before)
    expect(known && (await findWrongEnd(known, healed.body))).toBeUndefined()
    await completeSearch()
  }, 120_000)
})
