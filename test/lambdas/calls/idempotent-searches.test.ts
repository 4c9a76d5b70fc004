import { DescribeExecutionCommand, ExecutionDoesNotExist, SFNClient } from '@aws-sdk/client-sfn'
import { DeleteCommand } from '@aws-sdk/lib-dynamodb'
import { describe, expect, it } from 'vitest'
import { connectDynamo } from '../../../adapters/dynamodb/dynamo-client.ts'
import { jobKeyItem } from '../../../adapters/dynamodb/jobs/job-items.ts'
import type { SearchRequestBody } from '../../../contract/search-api.ts'
import { executionName, type Job, type JobKey } from '../../../core/job/job.ts'
import { retainUntil } from '../../../core/job/retention.ts'
import { addSeconds } from '../../../core/time.ts'
import { storeKey } from '../../builders/new-key.ts'
import { access, endpoints, jobs, openSearchApi, refusal, retentionDays } from '../search-api.ts'

const search: SearchRequestBody = {
  npis: [1003000126],
  billing_codes: ['99213'],
  fee_schedules: [{ payer: 'Acme Health', plan: 'Gold PPO' }],
}
const body = JSON.stringify(search)
const otherBody = JSON.stringify({ ...search, billing_codes: ['99214'] })
const headers = { 'Idempotency-Key': 'order-42' }

const jobIdOf = ({ text }: { readonly text: string }): string => JSON.parse(text).job_id

/** Reads the stored job, which must exist. */
async function readJob(key: JobKey): Promise<Job> {
  const job = await jobs.read(key)
  if (job === undefined) throw new Error(`there is no job ${key.jobId}`)
  return job
}

/** Whether the job's workflow was ever started. */
async function wasStarted(job: Job): Promise<boolean> {
  const executionArn = `${endpoints.stateMachineArn.replace(':stateMachine:', ':execution:')}:${executionName(job)}`
  return new SFNClient({}).send(new DescribeExecutionCommand({ executionArn })).then(
    () => true,
    (error: unknown) => {
      if (error instanceof ExecutionDoesNotExist) return false
      throw error
    },
  )
}

describe('a search with an idempotency key', () => {
  it('sent again gets the same response marked as a replay, even an hour later', async () => {
    const api = openSearchApi()
    const { token } = await storeKey(access)
    const first = await api.createSearch({ token, body, headers })
    expect(first.status).toBe(202)
    expect(first.headers).not.toHaveProperty('Idempotent-Replayed')
    api.clock.now = addSeconds(api.clock.now, 3600)
    const again = await api.createSearch({ token, body: ` ${body}`, headers: { 'idempotency-key': 'order-42' } })
    expect([again.status, again.text]).toEqual([202, first.text])
    expect(again.headers).toEqual({
      ...first.headers,
      'X-Request-Id': again.requestId,
      'Idempotent-Replayed': 'true',
    })
  })

  it('with a different body gets 422 and changes nothing', async () => {
    const api = openSearchApi()
    const { token, orgId } = await storeKey(access)
    const jobId = jobIdOf(await api.createSearch({ token, body, headers }))
    const job = await readJob({ orgId, jobId })
    const answer = await api.createSearch({ token, body: otherBody, headers })
    expect([answer.status, answer.body]).toEqual([422, refusal('idempotency_mismatch', answer.requestId)])
    expect(answer.headers).not.toHaveProperty('Idempotent-Replayed')
    expect(await readJob({ orgId, jobId })).toEqual(job)
    expect(await jobs.readRequest(orgId, job.requestHash)).toMatchObject({ billingCodes: ['99213'] })
  })

  it('sent again starts the workflow if the first request could not', async () => {
    const broken = openSearchApi({ stateMachineArn: `${endpoints.stateMachineArn}NotThere` })
    const { token, orgId } = await storeKey(access)
    const jobId = jobIdOf(await broken.createSearch({ token, body, headers }))
    const job = await readJob({ orgId, jobId })
    expect(await wasStarted(job)).toBe(false)
    expect(jobIdOf(await openSearchApi().createSearch({ token, body, headers }))).toBe(jobId)
    expect(await wasStarted(job)).toBe(true)
  })

  it('sent by twenty clients at once is one job, and not a replay for one of them', async () => {
    const api = openSearchApi()
    const { token, orgId } = await storeKey(access)
    const answers = await Promise.all(Array.from({ length: 20 }, () => api.createSearch({ token, body, headers })))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202))
    expect(answers.filter((answer) => answer.headers['Idempotent-Replayed'] === undefined)).toHaveLength(1)
    const [jobId = ''] = answers.map(jobIdOf)
    expect(await wasStarted(await readJob({ orgId, jobId }))).toBe(true)
  })
})

describe('an idempotency key can be reused', () => {
  /** Sends another search with the key of a removed job. It must become a job with a new run, and run. */
  async function expectNewJob(api: ReturnType<typeof openSearchApi>, token: string, gone: Job): Promise<void> {
    const answer = await api.createSearch({ token, body: otherBody, headers })
    expect([answer.status, jobIdOf(answer)]).toEqual([202, gone.jobId])
    expect(answer.headers).not.toHaveProperty('Idempotent-Replayed')
    const created = await readJob(gone)
    expect(created.run).not.toBe(gone.run)
    expect([created.status, await wasStarted(created)]).toEqual(['queued', true])
  }

  it('once its job is past its retention and its status is 404, but not before', async () => {
    const api = openSearchApi()
    const { token, orgId } = await storeKey(access)
    const job = await readJob({ orgId, jobId: jobIdOf(await api.createSearch({ token, body, headers })) })
    const expiresAt = retainUntil(job.createdAt, retentionDays)
    await jobs.fail({ ...job, failedAt: job.createdAt, error: 'internal: x' }, expiresAt)
    api.clock.now = addSeconds(expiresAt, -0.001)
    expect((await api.createSearch({ token, body, headers })).headers).toHaveProperty('Idempotent-Replayed')
    expect((await api.getSearch(job.jobId, { token })).status).toBe(200)
    api.clock.now = expiresAt
    expect((await api.getSearch(job.jobId, { token })).status).toBe(404)
    await expectNewJob(api, token, job)
  })

  it('once its job is removed', async () => {
    const api = openSearchApi()
    const { token, orgId } = await storeKey(access)
    const job = await readJob({ orgId, jobId: jobIdOf(await api.createSearch({ token, body, headers })) })
    await connectDynamo().send(new DeleteCommand({ TableName: endpoints.tables.jobs, Key: jobKeyItem(job) }))
    await expectNewJob(api, token, job)
  })
})

describe('an invalid idempotency key', () => {
  it.each(['', ' ', 'two words', 'clé', 'k'.repeat(256)])('gets 400 for "%s" with the header named', async (key) => {
    const { token } = await storeKey(access)
    const sent = { token, body: JSON.stringify({ ...search, npis: [] }), headers: { 'Idempotency-Key': key } }
    const answer = await openSearchApi().createSearch(sent)
    expect([answer.status, answer.body]).toEqual([400, refusal('invalid_request', answer.requestId)])
    const details = ['Idempotency-Key', 'npis'].map((path) => ({ path, message: expect.any(String) }))
    expect(answer.body).toMatchObject({ error: { details } })
  })
})
