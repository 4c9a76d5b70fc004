import { randomUUID } from 'node:crypto'
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createDynamoLoadRecords } from '../../adapters/dynamodb/catalogue/dynamo-load-records.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoJobs } from '../../adapters/dynamodb/jobs/dynamo-jobs.ts'
import type { JobRun } from '../../core/job/job.ts'
import { fileListsBelow } from '../../schema/columns/search-tables.ts'
import type { FunctionName } from '../../schema/function-names.ts'
import type { NextStep } from '../../schema/workflow-step.ts'
import { expiresAt, newJob } from '../builders/new-job.ts'
import { storeKey } from '../builders/new-key.ts'
import { type Answer, type Request, send } from '../builders/proxy-event.ts'
import { request } from '../builders/sample-search.ts'
import { type HttpStub, refuse, startHttpStub } from '../doubles/http-stub.ts'
import { connectEndpoints } from '../endpoints/connect.ts'
import { makeTables } from '../endpoints/make-tables.ts'
import { openEntryPoints } from './enter.ts'
import { access, jobs, offerSource } from './search-api.ts'

const { lines, enter } = openEntryPoints()
const { queryResults } = connectEndpoints()

/** A plan in the test run's warehouse. */
const plan = { payer: 'Acme Health', plan: 'Gold PPO' }
const post = (feeSchedule = plan) => ({
  method: 'POST',
  body: JSON.stringify({ npis: [1000000000, 1000000002], billing_codes: ['99213'], fee_schedules: [feeSchedule] }),
  headers: { 'Content-Type': 'application/json' },
})

let bus: HttpStub

beforeAll(async () => {
  bus = await startHttpStub(() => ({ status: 200, body: JSON.stringify({ FailedEntryCount: 0, Entries: [{}] }) }))
  await offerSource('source-1', plan)
})

afterAll(() => bus[Symbol.asyncDispose]())

/** Returns the calls of the bus about a job or load. */
const announcementsOf = (id: string) => bus.calls.filter((call) => call.body.includes(id))

/** Variables that a test adds to those of the stage. */
type Variables = Readonly<Record<string, string>>

/** Adds the address of the bus, for functions that announce something. */
const withBus = (variables?: Variables) => ({ AWS_ENDPOINT_URL_EVENTBRIDGE: bus.url, ...variables })

const calls = {
  'create-search': (variables?: Variables) =>
    enter('create-search', () => import('../../lambdas/create-search/index.ts'), variables),
  'get-search': () => enter('get-search', () => import('../../lambdas/get-search/index.ts')),
  'get-rows': () => enter('get-rows', () => import('../../lambdas/get-rows/index.ts')),
  'get-manifest': () => enter('get-manifest', () => import('../../lambdas/get-manifest/index.ts')),
  'list-searches': () => enter('list-searches', () => import('../../lambdas/list-searches/index.ts')),
  'cancel-search': () => enter('cancel-search', () => import('../../lambdas/cancel-search/index.ts'), withBus()),
  'delete-search': () => enter('delete-search', () => import('../../lambdas/delete-search/index.ts'), withBus()),
  'estimate-search': (variables?: Variables) =>
    enter('estimate-search', () => import('../../lambdas/estimate-search/index.ts'), variables),
  'list-fee-schedules': () => enter('list-fee-schedules', () => import('../../lambdas/list-fee-schedules/index.ts')),
  'list-billing-codes': () => enter('list-billing-codes', () => import('../../lambdas/list-billing-codes/index.ts')),
  'list-specialties': () => enter('list-specialties', () => import('../../lambdas/list-specialties/index.ts')),
  'list-providers': () =>
    enter('list-providers', () => import('../../lambdas/list-providers/index.ts'), {
      PROVIDERS_LOCATION: 's3://rate-search-warehouse/',
    }),
  'not-found': () => enter('not-found', () => import('../../lambdas/not-found/index.ts')),
}

const steps = {
  'start-query': (variables?: Variables) =>
    enter(
      'start-query',
      () => import('../../lambdas/start-query/index.ts'),
      withBus({ QUERY_WAIT_MS: '0', FILE_LISTS_LOCATION: fileListsBelow(queryResults), ...variables }),
    ),
  'await-query': () =>
    enter('await-query', () => import('../../lambdas/await-query/index.ts'), withBus({ QUERY_TURN_MS: '50000' })),
  'publish-results': () => enter('publish-results', () => import('../../lambdas/publish-results/index.ts'), withBus()),
}

const logLine = (operation: FunctionName, event: string, facts: object) =>
  expect.objectContaining({ time: expect.stringMatching(/^2\d{3}-\d\d-\d\dT/), operation, event, ...facts })

/** Sends a call to its function, and checks that the function logs it under its name. */
async function call(operation: keyof typeof calls, token: string, request: Request): Promise<Answer> {
  const answer = await send(await calls[operation](), { ...request, token })
  expect(lines).toContainEqual(logLine(operation, 'answered', { request_id: answer.requestId, status: answer.status }))
  expect(answer.headers).toHaveProperty('Cache-Control', 'no-store')
  if (answer.text !== '') expect(answer.headers).toHaveProperty('Content-Type', 'application/json')
  return answer
}

/** Runs a step of a job's workflow, and checks that its function logs it under its name. */
async function take(operation: keyof typeof steps, job: JobRun, step?: NextStep): Promise<NextStep> {
  const next = await (await steps[operation]())({ ...job, ...(step && { step }) })
  expect(lines).toContainEqual(logLine(operation, 'step taken', { job_id: job.jobId, next: next.next }))
  return next
}

/** Creates a search, and reads its job. */
async function createSearch(feeSchedule = plan) {
  const { token, orgId } = await storeKey(access)
  const answer = await call('create-search', token, post(feeSchedule))
  const { job_id: jobId } = v.parse(v.object({ job_id: v.string() }), answer.body)
  const job = await jobs.read({ orgId, jobId })
  if (job?.status !== 'queued') throw new Error(`the job is ${job?.status}`)
  return { token, answer, job: { orgId, jobId, run: job.run } }
}

describe('functions with the variables of their stage', () => {
  it('take a search from its request to its deletion', async () => {
    const { token, answer, job } = await createSearch()
    const url = `https://rates.example/v1/searches/${job.jobId}`
    expect([answer.status, answer.body]).toEqual([202, expect.objectContaining({ status: 'queued', status_url: url })])
    expect(job.run).toMatch(/^[0-9a-f]{16}$/)

    const awaitStep = await take('start-query', job)
    const publishStep = await take('await-query', job, awaitStep)
    expect(await take('publish-results', job, publishStep)).toEqual({ next: 'end' })
    expect(lines).toContainEqual(expect.objectContaining({ job_id: job.jobId, SearchesEnded: 1, Word: 'completed' }))
    expect(announcementsOf(job.jobId)).toHaveLength(1)

    const jobPath = { pathParameters: { job_id: job.jobId } }
    const search = await call('get-search', token, jobPath)
    const completed = expect.objectContaining({ status: 'completed', status_url: url })
    expect([search.status, search.body]).toEqual([200, completed])
    const { download_urls } = v.parse(v.object({ download_urls: v.array(v.string()) }), search.body)
    for (const downloadUrl of download_urls) expect((await fetch(downloadUrl)).status).toBe(200)
    const manifest = await call('get-manifest', token, jobPath)
    expect(manifest).toMatchObject({ status: 200, body: { job_id: job.jobId, rows: 4 } })
    const rows = await call('get-rows', token, { ...jobPath, query: { limit: '3' } })
    expect(rows).toMatchObject({ status: 200, body: { rows_total: 4, truncated: true, ordered: false } })
    const list = await call('list-searches', token, {})
    expect(list).toMatchObject({ status: 200, body: { searches: [{ job_id: job.jobId, status: 'completed' }] } })

    expect((await call('delete-search', token, { method: 'DELETE', ...jobPath })).status).toBe(204)
    expect((await call('get-search', token, jobPath)).status).toBe(404)
  })

  it('follow a traced search by one id, from its creation through its query to the published result', async () => {
    const root = '1-6566f3a0-0a1b2c3d4e5f60718293a4b5'
    // Lambda sets the header anew for each invocation; only the root stays the same.
    const trace = (segment: string) => vi.stubEnv('_X_AMZN_TRACE_ID', `Root=${root};Parent=${segment};Sampled=1`)
    vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'traced')
    await using workflow = await startHttpStub(() => ({ status: 200, body: '{"executionArn":"x","startDate":1}' }))
    trace('00000000000000a1')
    const { token, orgId } = await storeKey(access)
    const create = await calls['create-search']({ AWS_ENDPOINT_URL_SFN: workflow.url })
    const { body } = await send(create, { ...post(), token })
    const { job_id: jobId } = v.parse(v.object({ job_id: v.string() }), body)
    expect(workflow.calls.map(({ headers }) => headers['x-amzn-trace-id'])).toEqual([
      expect.stringContaining(`Root=${root}`),
    ])
    const job = { orgId, jobId, run: (await jobs.read({ orgId, jobId }))?.run ?? '' }
    trace('00000000000000a2')
    const awaitStep = await take('start-query', job)
    trace('00000000000000a3')
    const publishStep = await take('await-query', job, awaitStep)
    trace('00000000000000a4')
    await take('publish-results', job, publishStep)

    const line = v.object({ trace_id: v.string(), operation: v.string(), event: v.string() })
    const traced = lines.flatMap((each) => (v.is(line, each) ? [each] : [])).filter(({ trace_id }) => trace_id === root)
    expect([...new Set(traced.map(({ operation }) => operation))]).toEqual([
      'create-search',
      'start-query',
      'await-query',
      'publish-results',
    ])
  })

  it('limit the searches of an organization', async () => {
    const { token } = await storeKey(access)
    const create = await calls['create-search']({ MAX_SEARCHES: '1', SEARCHES_PER_MINUTE: '9' })
    expect((await send(create, { ...post(), token })).status).toBe(202)
    const answer = await send(create, { ...post(), token })
    expect(answer).toMatchObject({ status: 429, headers: { 'RateLimit-Policy': expect.stringContaining('q=9;w=60') } })
  })

  it('query the database of their stage in its workgroup', async () => {
    const { job } = await createSearch()
    await using athena = await startHttpStub(() => ({ status: 200, body: '{"QueryExecutionId":"query-1"}' }))
    const startQuery = await steps['start-query']({ AWS_ENDPOINT_URL_ATHENA: athena.url })
    expect(await startQuery(job)).toMatchObject({ next: 'await', queryId: 'query-1' })
    const { WorkGroup, QueryExecutionContext } = JSON.parse(athena.calls[0]?.body ?? '')
    const { WORKGROUP, DATABASE } = process.env
    expect([WorkGroup, QueryExecutionContext.Database]).toEqual([WORKGROUP, DATABASE])
    expect(WORKGROUP).toMatch(/./)
  })

  it('ask Athena once to start a query, and wait if it refuses', async () => {
    const { job } = await createSearch()
    await using athena = await startHttpStub(() => refuse(400, 'TooManyRequestsException'))
    const startQuery = await steps['start-query']({ AWS_ENDPOINT_URL_ATHENA: athena.url })
    const step = await startQuery(job)
    expect(step).toMatchObject({ next: 'retry', attempt: 1, waitSeconds: expect.any(Number) })
    expect(athena.calls).toHaveLength(1)
  })

  it.each([
    ['loads', 'all', ['end'], expect.any(Number)],
    ['relation', 'payer,plan,npi', ['refresh', 'retry'], null],
  ])('take fee schedules from the setting %s', async (FEE_SCHEDULES, RATES_COLUMNS, next, files) => {
    const { token, job } = await createSearch({ ...plan, plan: 'No such plan' })
    const startQuery = await steps['start-query']({ FEE_SCHEDULES })
    expect(next).toContain((await startQuery(job)).next)
    const estimate = await calls['estimate-search']({ RATES_COLUMNS })
    expect((await send(estimate, { ...post(plan), token })).body).toMatchObject({ files })
  })

  it('cancel a search', async () => {
    const { token, job } = await createSearch()
    const answer = await call('cancel-search', token, { method: 'POST', pathParameters: { job_id: job.jobId } })
    const url = `https://rates.example/v1/searches/${job.jobId}`
    expect(answer).toMatchObject({ status: 200, body: { status: 'failed', status_url: url } })
    expect(lines).toContainEqual(expect.objectContaining({ job_id: job.jobId, Word: 'cancelled' }))
    expect(announcementsOf(job.jobId)).toHaveLength(1)
  })

  it('estimate a search, and find its fee schedule', async () => {
    const { token } = await storeKey(access)
    expect(await call('estimate-search', token, post())).toMatchObject({ status: 200 })
    const answer = await call('list-fee-schedules', token, { query: { payer: plan.payer } })
    expect(answer).toMatchObject({
      status: 200,
      body: { fee_schedules: expect.arrayContaining([expect.objectContaining(plan)]) },
    })
  })

  it('announce a load once', async () => {
    // Separate tables, because the function announces every load of its stage.
    const { FeeSchedules = '', Contents = '' } = await makeTables(randomUUID())
    const records = createDynamoLoadRecords(connectDynamo(), Contents)
    const loadId = randomUUID()
    await records.begin({ loadId, from: 'toc.json', startedAt: new Date() })
    await records.noteSwitching(loadId, new Date())
    await records.end(loadId, { state: 'completed', endedAt: new Date() })
    const load = () => import('../../lambdas/announce-loads/index.ts')
    const variables = withBus({ CATALOGUE_TABLE: FeeSchedules, CONTENTS_TABLE: Contents })
    const announceLoads = await enter('announce-loads', load, variables)
    for (const _ of ['first', 'again']) await announceLoads()
    expect(announcementsOf(loadId)).toHaveLength(1)
    expect(announcementsOf(loadId)[0]?.body).toContain('Fee Schedules Updated')
    expect(lines).toEqual([logLine('announce-loads', 'loads announced', { events: 1 })])
  })

  it('sweep overdue searches, and measure each sweep', async () => {
    // A separate table, because a sweep handles every job in its table.
    const { Jobs = '' } = await makeTables(randomUUID())
    const sweptJobs = createDynamoJobs(connectDynamo(), Jobs)
    const overdue = newJob()
    await sweptJobs.create(overdue, request, expiresAt)
    const load = () => import('../../lambdas/sweep-searches/index.ts')
    const variables = withBus({ JOBS_TABLE: Jobs, WAITING_HOURS: '1', RUNNING_HOURS: '2' })
    const sweep = await enter('sweep-searches', load, variables)
    await sweep()
    expect(await sweptJobs.read(overdue)).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/^timeout: /),
    })
    expect(announcementsOf(overdue.jobId)).toHaveLength(1)
    expect(lines).toContainEqual(expect.objectContaining({ Sweeps: 1, Stage: 'local' }))
  })

  it('answer 404 to an unknown route', async () => {
    expect((await call('not-found', 'token', { path: '/v2' })).status).toBe(404)
  })

  it.each([
    [
      'caught',
      (job: JobRun) => ({ ...job, error: { Error: 'TypeError', Cause: 'a fault' } }),
      ['TypeError', 'a fault'],
    ],
    ['caught without a cause', (job: JobRun) => ({ ...job, error: { Error: 'TypeError' } }), ['TypeError', '']],
    ['reported', (job: JobRun) => ({ status: 'ABORTED', input: JSON.stringify(job) }), ['execution ABORTED', '']],
  ])('fail the job of a workflow whose error was %s', async (_, makeEvent, [error, cause]) => {
    const { job } = await createSearch()
    const load = () => import('../../lambdas/record-failure/index.ts')
    const recordFailure = await enter('record-failure', load, withBus())
    await recordFailure(makeEvent(job))
    expect(await jobs.read(job)).toMatchObject({ status: 'failed' })
    expect(lines).toContainEqual(logLine('record-failure', 'workflow broke', { job_id: job.jobId, error, cause }))
    expect(announcementsOf(job.jobId)).toHaveLength(1)
  })
})
