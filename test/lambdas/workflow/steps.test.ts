import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { createAthenaQueries } from '../../../adapters/athena/athena-queries.ts'
import { makeEmptyShard } from '../../../adapters/s3/empty-shard.ts'
import { createS3ResultFiles } from '../../../adapters/s3/s3-result-files.ts'
import type { CompletedJob, Job } from '../../../core/job/job.ts'
import type { CountEnd } from '../../../core/job/ports.ts'
import type { SearchRequest } from '../../../core/search/search-request.ts'
import { hashRequest } from '../../../core/search/search-request.ts'
import { resultLimits } from '../../../core/workflow/publish-results.ts'
import { awaitQueryHandler } from '../../../lambdas/await-query/handler.ts'
import { publishResultsHandler } from '../../../lambdas/publish-results/handler.ts'
import { recordFailureHandler } from '../../../lambdas/record-failure/handler.ts'
import { startQueryHandler } from '../../../lambdas/start-query/handler.ts'
import { localRatesLocation } from '../../../schema/columns/rates-views.ts'
import type { NextStep } from '../../../schema/workflow-step.ts'
import { expiresAt, newJob } from '../../builders/new-job.ts'
import type { LogLine } from '../search-api.ts'
import { catalogue, contents, endpoints, jobs, offerSource, retentionDays, settling } from '../search-api.ts'
import { readRows } from './read-shards.ts'

const log: LogLine[] = []
const ends: Parameters<CountEnd>[0][] = []
const resultFiles = createS3ResultFiles(endpoints.resultsBucket)
const common = {
  ...settling,
  jobs,
  catalogue,
  contents,
  queries: createAthenaQueries({ workGroup: 'rate-search', database: 'rate_search' }),
  resultFiles,
  makeEmptyShard,
  limits: resultLimits,
  retentionDays,
  now: () => new Date(),
  sleep: (milliseconds: number) => sleep(milliseconds),
  countEnd: (end: Parameters<CountEnd>[0]) => void ends.push(end),
  queryWaitMs: 0,
  ratesLocation: localRatesLocation,
  random: () => 0.5,
  log: (event: string, facts: LogLine['facts']) => void log.push({ event, facts }),
}
const startQuery = startQueryHandler(common)
const awaitQuery = awaitQueryHandler(common)
const publishResults = publishResultsHandler(common)
const recordFailure = recordFailureHandler(common)

/** The plan in the test run's warehouse. */
const feeSchedules = [{ payer: 'Acme Health', plan: 'Gold PPO' }]

beforeAll(async () => {
  for (const pair of feeSchedules) await offerSource('source-1', pair)
})

async function storeSearch(request: SearchRequest) {
  const job = newJob({ requestHash: hashRequest(request), createdAt: new Date() })
  await jobs.create(job, request, expiresAt)
  const { orgId, jobId, run } = job
  return { orgId, jobId, run }
}

/** Runs the three steps of a successful search. */
async function runSearch(request: SearchRequest): Promise<Job | undefined> {
  const input = await storeSearch(request)
  const started = await startQuery(input)
  expect(started).toMatchObject({ next: 'await', attempt: 1 })
  const awaited = await awaitQuery({ ...input, step: started })
  expect(awaited).toMatchObject({ next: 'publish', attempt: 1 })
  expect(await publishResults({ ...input, step: awaited })).toEqual({ next: 'end' })
  return jobs.read(input)
}

/** Runs the two steps of a search whose query ends during the first. */
async function runShortSearch(request: SearchRequest): Promise<Job | undefined> {
  const input = await storeSearch(request)
  const started = await startQueryHandler({ ...common, queryWaitMs: 60_000 })(input)
  expect(started).toMatchObject({ next: 'publish', attempt: 1 })
  expect(await publishResults({ ...input, step: started })).toEqual({ next: 'end' })
  return jobs.read(input)
}

const shardsOf = (job: Job | undefined) => (job?.status === 'completed' ? job.shards : [])

describe('the steps of a search', () => {
  it('take it from queued to completed, with the requested rows', async () => {
    const job = await runSearch({ npis: [1000000000, 1000000002], billingCodes: ['99213'], feeSchedules })
    const rows = await readRows(shardsOf(job))
    expect(rows).toHaveLength(4)
    expect(new Set(rows.map(({ npi }) => npi))).toEqual(new Set([1000000000n, 1000000002n]))
    expect(shardsOf(job).reduce((sum, shard) => sum + shard.rows, 0)).toBe(4)
  })

  it('are two if the query ends while the first waits for it', async () => {
    const job = await runShortSearch({ npis: [1000000000, 1000000002], billingCodes: ['99213'], feeSchedules })
    expect(await readRows(shardsOf(job))).toHaveLength(4)
  })

  it('write one shard without rows if nothing matches', async () => {
    const job = await runSearch({ npis: [1999999999], feeSchedules })
    expect(job).toMatchObject({ status: 'completed', shards: [{ rows: 0 }] })
    expect(await readRows(shardsOf(job))).toEqual([])
  })

  it('are each idempotent', async () => {
    const input = await storeSearch({ npis: [1000000000], feeSchedules })
    const [started, again] = await Promise.all([startQuery(input), startQuery(input)])
    expect(again).toEqual(started)
    const awaited = await awaitQuery({ ...input, step: started })
    expect(await awaitQuery({ ...input, step: started })).toEqual(awaited)
    await publishResults({ ...input, step: awaited })
    const completed = await jobs.read(input)
    expect(await publishResults({ ...input, step: awaited })).toEqual({ next: 'end' })
    expect(await startQuery(input)).toEqual({ next: 'end' })
    expect(await jobs.read(input)).toEqual(completed)
    expect(ends.filter(({ jobId }) => jobId === input.jobId)).toEqual([{ jobId: input.jobId, word: 'completed' }])
  })

  it('fail a search of an unknown plan, and suggest the nearest', async () => {
    const input = await storeSearch({ npis: [1000000000], feeSchedules: [{ payer: 'Acme Health', plan: 'Gold PPG' }] })
    expect(await startQuery(input)).toEqual({ next: 'end' })
    const error = expect.stringMatching(/^unsupported_fee_schedule: .*"Gold PPG" \(did you mean "Gold PPO"/)
    expect(await jobs.read(input)).toMatchObject({ status: 'failed', error })
  })

  it('end at once for a job that does not exist', async () => {
    const input = { orgId: 'nobody', jobId: randomUUID(), run: 'run' }
    expect(await startQuery(input)).toEqual({ next: 'end' })
  })

  it('publish nothing outside the attempt', async () => {
    const input = await storeSearch({ npis: [1000000000], feeSchedules })
    await startQuery(input)
    const key = `results/${randomUUID()}/manifest.csv`
    await resultFiles.write(key, Buffer.from(resultFiles.addressOf('results/another/file')))
    const manifest = resultFiles.addressOf(key)
    const step: NextStep = { next: 'publish', queryId: 'query', attempt: 1, manifest }
    await expect(publishResults({ ...input, step })).rejects.toThrow('outside its attempt')
    expect(await jobs.read(input)).toMatchObject({ status: 'processing' })
  })
})

describe('a step', () => {
  const job = { orgId: 'org', jobId: randomUUID(), run: 'run' }

  it('accepts only the preceding step that it expects', async () => {
    await expect(awaitQuery(job)).rejects.toThrow('this step follows "await", not "undefined"')
    await expect(publishResults({ ...job, step: { next: 'end' } })).rejects.toThrow('not "end"')
  })

  it.each([
    ['without a job', {}],
    ['with a number as organization', { ...job, orgId: 7 }],
    ['with a spread of 0', { ...job, step: { next: 'retry', attempt: 1, waitSeconds: 0, spread: 0 } }],
    ['with an unknown next step', { ...job, step: { next: 'dance' } }],
    ['of null', null],
    ['of a string', 'job'],
  ])('refuses an input %s', async (_, input) => {
    await expect(startQuery(input)).rejects.toMatchObject({ name: 'ValiError' })
  })

  it('logs its job and what comes next', async () => {
    await startQuery(job)
    expect(log).toContainEqual({ event: 'step taken', facts: { org_id: 'org', job_id: job.jobId, next: 'end' } })
  })
})

/** The detail of an execution's status change as EventBridge delivers it. */
const describeEnd = (input: string) => ({
  executionArn: 'arn:aws:states:us-east-1:000000000000:execution:machine:name',
  stateMachineArn: 'arn:aws:states:us-east-1:000000000000:stateMachine:machine',
  name: 'name',
  status: 'TIMED_OUT',
  startDate: 1_551_225_146_847,
  stopDate: 1_551_225_151_881,
  input,
  output: null,
  error: 'States.Timeout',
  cause: 'the secret cause',
  inputDetails: { included: true },
  outputDetails: null,
})

describe('a broken workflow', () => {
  const error = { Error: 'TypeError', Cause: '{"errorMessage":"the secret cause"}' }

  it.each([
    ['caught by the workflow', (job: object) => ({ ...job, error }), { error: 'TypeError', cause: error.Cause }],
    ['caught without a cause', (job: object) => ({ ...job, error: { Error: 'X' } }), { error: 'X', cause: '' }],
    [
      'reported by EventBridge',
      (job: object) => describeEnd(JSON.stringify(job)),
      { error: 'execution TIMED_OUT', cause: '' },
    ],
  ])('%s fails its job with a fixed sentence, and logs why', async (_, makeEvent, facts) => {
    const input = await storeSearch({ npis: [1000000000], feeSchedules })
    await recordFailure(makeEvent(input))
    expect(log).toContainEqual({ event: 'workflow broke', facts: { job_id: input.jobId, ...facts } })
    const failed = await jobs.read(input)
    expect(failed).toMatchObject({ status: 'failed', error: expect.stringMatching(/^internal: The search could not/) })
    expect(JSON.stringify(failed)).not.toContain('secret')
  })

  it('does not change an ended job', async () => {
    const completed = await runSearch({ npis: [1000000001], feeSchedules })
    const { orgId, jobId, run }: Pick<CompletedJob, 'orgId' | 'jobId' | 'run'> = completed ?? newJob()
    await recordFailure({ orgId, jobId, run, error })
    expect(await jobs.read({ orgId, jobId })).toEqual(completed)
  })
})
