import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSearch } from '../../../core/calls/create-search.ts'
import { IdempotencyMismatch, InvalidRequest } from '../../../core/errors.ts'
import { deriveJobId } from '../../../core/job/idempotency-key.ts'
import { executionName } from '../../../core/job/job.ts'
import { retainUntil } from '../../../core/job/retention.ts'
import { resultLimits } from '../../../core/workflow/publish-results.ts'
import { startQuery } from '../../../core/workflow/start-query.ts'
import { raceJobs } from '../../builders/open-search.ts'
import { body, lookTooEarly, openCreate as open, otherKey, ownKey } from '../../builders/own-job.ts'
import { jobIdOf, runOf } from '../../builders/sample-search.ts'

const otherBody = { ...body, billing_codes: ['99214'] }

function openCreate() {
  const create = open()
  const post = (sent: unknown = body, idempotencyKey = 'order-42', key = ownKey) =>
    create.post(sent, idempotencyKey, key)
  return { ...create, post }
}

describe('a search with an idempotency key', () => {
  it('derives the job id from the key', async () => {
    const { post } = openCreate()
    const { job, isReplay } = await post()
    expect([job.jobId, isReplay]).toEqual([deriveJobId(ownKey.orgId, 'order-42'), false])
  })

  it('sent again is the same job, described as it was created', async () => {
    const { post, clock, jobs, workflow } = openCreate()
    const { job } = await post()
    clock.advance(3600)
    const reordered = { fee_schedules: body.fee_schedules, billing_codes: ['99213', ' 99213'], npis: body.npis }
    expect(await post(reordered)).toEqual({ job, isReplay: true })
    expect(await jobs.read(job)).toEqual(job)
    expect([...workflow.executions.keys()]).toEqual([executionName(job)])
  })

  it('sent again once its job runs or has ended is still described as it was created, and starts nothing', async () => {
    const { post, clock, jobs, workflow } = openCreate()
    const { job } = await post()
    await jobs.begin(job, { contents: ['source-1'] }, clock.now())
    expect(await post()).toEqual({ job, isReplay: true })
    await jobs.fail({ ...runOf(job), failedAt: clock.now(), error: 'internal: x' }, clock.now())
    expect(await post()).toEqual({ job, isReplay: true })
    expect(workflow.starts).toEqual([executionName(job)])
    expect(await jobs.read(job)).toMatchObject({ status: 'failed' })
  })

  it('sent again takes nothing from the limits, whether its job runs or has ended', async () => {
    const { post, clock, jobs, deps } = openCreate()
    const limited = { ...deps, limits: { searches: 1, perMinute: 1 } }
    const send = () => createSearch(limited, ownKey, () => body, 'order-42')
    const { job } = await post()
    const used = await deps.usages.read(ownKey.orgId)
    expect(await send()).toMatchObject({ isReplay: true })
    await jobs.fail({ ...runOf(job), failedAt: clock.now(), error: 'internal: x' }, clock.now())
    expect(await send()).toMatchObject({ isReplay: true })
    expect(await deps.usages.read(ownKey.orgId)).toEqual(used)
  })

  it('keeps the slot of a running job, and frees that of an ended one, if another request overtakes it', async () => {
    const { post, clock, jobs, deps } = openCreate()
    const slots = async () => [...(await deps.usages.read(ownKey.orgId)).slots.keys()]
    const blind = { ...deps, creationLookup: lookTooEarly(deps.creationLookup) }
    const { job } = await post()
    expect(await createSearch(blind, ownKey, () => body, 'order-42')).toMatchObject({ isReplay: true })
    expect(await slots()).toEqual([job.jobId])
    await jobs.fail({ ...runOf(job), failedAt: clock.now(), error: 'internal: x' }, clock.now())
    expect(await createSearch(blind, ownKey, () => body, 'order-42')).toMatchObject({ isReplay: true })
    expect(await slots()).toEqual([])
  })

  it('whose first request died before starting the workflow is started by the next', async () => {
    const { post, workflow, lines } = openCreate()
    workflow.cause = 'ServiceUnavailable'
    const { job } = await post()
    expect(workflow.executions.size).toBe(0)
    workflow.cause = undefined
    await post()
    expect(workflow.executions.get(executionName(job))).toBe('running')
    expect(lines).toHaveLength(1)
  })

  it('refuses a different body, and keeps the first request running', async () => {
    const { post, jobs, workflow, deps, queries } = openCreate()
    const { job } = await post()
    await expect(post(otherBody)).rejects.toThrow(IdempotencyMismatch)
    expect(await jobs.read(job)).toEqual(job)
    expect(workflow.starts).toEqual([executionName(job)])
    await startQuery({ ...deps, limits: resultLimits }, runOf(job))
    expect([...queries.statements.values()].join()).toContain("'99213'")
    expect([...queries.statements.values()].join()).not.toContain("'99214'")
  })

  it('creates a different job for another key, for another organization, and without a key', async () => {
    const { post, deps } = openCreate()
    const searches = [
      await post(),
      await post(body, 'order-43'),
      await post(body, 'order-42', otherKey),
      await createSearch(deps, ownKey, () => body),
      await createSearch(deps, ownKey, () => body),
    ]
    expect(new Set(searches.map(({ job }) => job.jobId)).size).toBe(searches.length)
    expect(searches.some(({ isReplay }) => isReplay)).toBe(false)
  })

  it('creates a new job with a new run once the job of its key is past its retention, to the millisecond', async () => {
    const { post, clock, jobs, workflow, deps } = openCreate()
    const { job } = await post()
    const failedAt = clock.now()
    await jobs.fail({ ...runOf(job), failedAt, error: 'internal: x' }, failedAt)
    const over = retainUntil(failedAt, deps.retentionDays)
    clock.advance((over.getTime() - failedAt.getTime() - 1) / 1000)
    expect(await post()).toEqual({ job, isReplay: true })
    clock.advance(0.001)
    const { job: next, isReplay } = await post(otherBody)
    expect([next.jobId, isReplay]).toEqual([job.jobId, false])
    expect(next.run).not.toBe(job.run)
    expect(await jobs.read(job)).toEqual(next)
    expect(workflow.executions.get(executionName(next))).toBe('running')
  })
})

describe('an invalid idempotency key', () => {
  it('reports the key together with the faults of the body, and stores nothing', async () => {
    const { post, workflow } = openCreate()
    await expect(post({ ...body, npis: [] }, '')).rejects.toMatchObject({
      details: [{ path: 'Idempotency-Key' }, { path: 'npis' }],
    })
    await expect(post([], ' ')).rejects.toMatchObject({ details: [{ path: 'Idempotency-Key' }, { path: '' }] })
    await expect(post(body, 'é')).rejects.toThrow(InvalidRequest)
    expect(workflow.starts).toEqual([])
  })
})

describe('a random job id that is already taken', () => {
  it("never returns another request's job", async () => {
    const { deps: own, jobs } = openCreate()
    const deps = { ...own, newJobId: () => jobIdOf('same') }
    const { job } = await createSearch(deps, ownKey, () => body)
    await expect(createSearch(deps, ownKey, () => body)).rejects.toThrow('is taken')
    expect(await jobs.read(job)).toEqual(job)
  })
})

const nameOf = (error: unknown) => (error instanceof Error ? error.name : 'no error')

describe('clients that race with one key', () => {
  it('get one job and one execution, and the same response for the same body', async () => {
    const clients = fc.array(fc.boolean(), { minLength: 2, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), clients, async (scheduler, isOther) => {
        const { deps: own, jobs, workflow } = openCreate()
        const start = scheduler.scheduleFunction(workflow.start)
        const deps = { ...own, jobs: raceJobs(jobs, scheduler), workflow: { start } }
        const posts = isOther.map((other) =>
          createSearch(deps, ownKey, () => (other ? otherBody : body), 'order-42').catch(nameOf),
        )
        const answers = await scheduler.waitFor(Promise.all(posts))
        const job = await jobs.read({ orgId: ownKey.orgId, jobId: deriveJobId(ownKey.orgId, 'order-42') })
        const winner = answers.findIndex((answer) => typeof answer === 'object' && !answer.isReplay)
        expect(winner).not.toBe(-1)
        const expected = isOther.map((other, index) =>
          other === isOther[winner] ? { job, isReplay: index !== winner } : 'IdempotencyMismatch',
        )
        expect(answers).toEqual(expected)
        expect(workflow.executions.size).toBe(1)
      }),
    )
  })
})
