import { beforeAll, describe, expect, it } from 'vitest'
import { createAthenaQueries } from '../../../adapters/athena/athena-queries.ts'
import { makeEmptyShard } from '../../../adapters/s3/empty-shard.ts'
import { createS3ResultFiles } from '../../../adapters/s3/s3-result-files.ts'
import { attemptPrefix } from '../../../core/job/attempt.ts'
import type { CompletedJob, Job, JobRun } from '../../../core/job/job.ts'
import type { QueryState } from '../../../core/search/ports.ts'
import { hashRequest, type SearchRequest } from '../../../core/search/search-request.ts'
import { type ResultLimits, resultLimits } from '../../../core/workflow/publish-results.ts'
import { awaitQueryHandler } from '../../../lambdas/await-query/handler.ts'
import { publishResultsHandler } from '../../../lambdas/publish-results/handler.ts'
import { startQueryHandler } from '../../../lambdas/start-query/handler.ts'
import { localRatesLocation } from '../../../schema/columns/rates-views.ts'
import type { NextStep } from '../../../schema/workflow-step.ts'
import { expiresAt, newJob } from '../../builders/new-job.ts'
import { catalogue, contents, endpoints, jobs, offerSource, retentionDays, settling } from '../search-api.ts'
import { listRows } from './read-shards.ts'

/** A plan with 6,000 rows: 2,000 prices for each of three NPIs. */
const request: SearchRequest = {
  npis: [1000000000, 1000000001, 1000000002],
  billingCodes: ['99213'],
  feeSchedules: [{ payer: 'Copious Health', plan: 'All of it' }],
}
const rows = 6000

const queries = createAthenaQueries({ workGroup: 'rate-search', database: 'rate_search' })

beforeAll(async () => {
  for (const pair of request.feeSchedules) await offerSource('source-2', pair)
})

async function storeSearch(): Promise<JobRun> {
  const job = newJob({ requestHash: hashRequest(request), createdAt: new Date() })
  await jobs.create(job, request, expiresAt)
  const { orgId, jobId, run } = job
  return { orgId, jobId, run }
}

/** Runs each next step to the end; returns what the steps returned, in the order of the attempts. */
async function runSearch(
  limits: Partial<ResultLimits>,
  input: JobRun,
  meddle: (queryId: string, state: QueryState) => QueryState = (_, state) => state,
) {
  const common = {
    ...settling,
    jobs,
    catalogue,
    contents,
    queries: { ...queries, look: async (queryId: string) => meddle(queryId, await queries.look(queryId)) },
    resultFiles: createS3ResultFiles(endpoints.resultsBucket),
    makeEmptyShard,
    limits: { ...resultLimits, ...limits },
    retentionDays,
    now: () => new Date(),
    sleep: () => Promise.resolve(),
    log: () => {},
    countEnd: () => {},
    queryWaitMs: 0,
    ratesLocation: localRatesLocation,
    random: () => 0.5,
  }
  const handlers = {
    retry: startQueryHandler(common),
    refresh: startQueryHandler(common),
    await: awaitQueryHandler(common),
    publish: publishResultsHandler(common),
  }
  const retries: NextStep[] = []
  let step = await handlers.retry(input)
  while (step.next !== 'end') {
    step = await handlers[step.next]({ ...input, step })
    if (step.next === 'retry') retries.push(step)
  }
  return { retries, job: await jobs.read(input) }
}

function completed(job: Job | undefined): CompletedJob {
  if (job?.status !== 'completed') throw new Error(`the job is ${job?.status}`)
  return job
}

const sizes = (job: Job | undefined) => completed(job).shards.map(({ bytes }) => bytes)
const total = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0)

describe('a result with an oversized file', () => {
  let whole: CompletedJob
  let wholeRows: readonly string[]

  beforeAll(async () => {
    whole = completed((await runSearch({}, await storeSearch())).job)
    wholeRows = await listRows(whole.shards)
  })

  it('is written again in smaller files, with every row once', async () => {
    const shardBytes = Math.max(...sizes(whole)) - 1
    const { retries, job } = await runSearch({ shardBytes }, await storeSearch())
    const spread = Math.ceil(total(sizes(whole)) / (shardBytes / 2))
    expect(retries).toEqual([{ next: 'retry', attempt: 2, spread, waitSeconds: 0 }])
    const { shards, attempt } = completed(job)
    expect(attempt).toBe(2)
    expect(shards.length).toBeGreaterThan(whole.shards.length)
    expect(Math.max(...sizes(job))).toBeLessThanOrEqual(shardBytes)
    expect(total(shards.map((shard) => shard.rows))).toBe(rows)
    expect(wholeRows).toHaveLength(rows)
    expect(await listRows(shards)).toEqual(wholeRows)
  })

  it('is served only from the last attempt', async () => {
    const input = await storeSearch()
    const { job } = await runSearch({ shardBytes: Math.max(...sizes(whole)) - 1 }, input)
    const strangers = completed(job).shards.filter(({ key }) => !key.startsWith(attemptPrefix(input, 2)))
    expect(strangers).toEqual([])
  })

  it('doubles its spread until the files fit, and fails at the maximum', async () => {
    // Smaller than a footer, so no spread is enough.
    const { retries, job } = await runSearch({ shardBytes: 5000 }, await storeSearch())
    const spreads = retries.map((step) => ('spread' in step ? step.spread : undefined))
    expect(spreads.length).toBeGreaterThan(1)
    expect(spreads.at(-1)).toBe(100)
    expect(spreads.slice(1)).toEqual(spreads.slice(0, -1).map((spread = 0) => Math.min(spread * 2, 100)))
    expect(job).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(
        /^result_too_large: The result has a file of \d+ bytes; the limit is \d+\. Split the search by npis: it names 3\.$/,
      ),
    })
  })

  it('survives one failure of Athena at each of its statements', async () => {
    const failed = new Set<number>()
    const ids: string[] = []
    const { retries, job } = await runSearch(
      { shardBytes: Math.max(...sizes(whole)) - 1 },
      await storeSearch(),
      (queryId, state) => {
        if (!ids.includes(queryId)) ids.push(queryId)
        const attempt = ids.indexOf(queryId) + 1
        if (attempt % 2 === 0 || state.state !== 'succeeded') return state
        failed.add(attempt)
        return { state: 'failed', fault: 'transient', reason: 'a fault of the test' }
      },
    )
    expect(failed).toEqual(new Set([1, 3]))
    expect(retries).toEqual([
      { next: 'retry', attempt: 2, failures: 1, waitSeconds: 5 },
      { next: 'retry', attempt: 3, spread: expect.any(Number), waitSeconds: 0 },
      { next: 'retry', attempt: 4, spread: expect.any(Number), failures: 1, waitSeconds: 5 },
    ])
    expect(completed(job).attempt).toBe(4)
    expect(await listRows(completed(job).shards)).toEqual(wholeRows)
  })

  it('repeats the same steps when its workflow is restarted, with the queries it already has', async () => {
    const input = await storeSearch()
    const limits = { shardBytes: Math.max(...sizes(whole)) - 1 }
    const seen: string[][] = [[], []]
    const watch = (life: number) => (queryId: string, state: QueryState) => {
      if (!seen[life]?.includes(queryId)) seen[life]?.push(queryId)
      return state
    }
    const [first, second] = await Promise.all([runSearch(limits, input, watch(0)), runSearch(limits, input, watch(1))])
    expect(second.job).toEqual(first.job)
    expect(seen[0]).toHaveLength(2)
    expect(seen[0]).toEqual(expect.arrayContaining(seen[1] ?? []))
  })
})

describe('a result that is too large', () => {
  it.each([
    ['in bytes', { resultBytes: 10_000 }, /^result_too_large: The result has \d+ bytes; the limit is 10000\. Split/],
    ['in files', { shards: 2 }, /^result_too_large: The result has more than 2 files\. Split the search by npis: /],
  ])('%s fails its job and says which filter to narrow', async (_, limits, error) => {
    const { retries, job } = await runSearch(limits, await storeSearch())
    expect(retries).toEqual([])
    expect(job).toMatchObject({ status: 'failed', error: expect.stringMatching(error) })
  })
})
