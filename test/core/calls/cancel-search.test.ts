import { describe, expect, it } from 'vitest'
import { cancelSearch } from '../../../core/calls/cancel-search.ts'
import { Conflict, Forbidden, NotFound, Unauthorized } from '../../../core/errors.ts'
import type { JobRun } from '../../../core/job/job.ts'
import { type OpenSearch, openSearch, storeProcessing, storeQueued } from '../../builders/open-search.ts'
import { letIn, otherKey, ownKey, revokedKey, unknownKey } from '../../builders/own-job.ts'
import { jobIdOf, newJob, retentionDays, runOf } from '../../builders/sample-search.ts'

const day = 24 * 60 * 60

function openCancel() {
  const search = openSearch()
  const deps = { ...search.deps, ...letIn(search) }
  return { ...search, deps, cancel: (jobId: string, key = ownKey) => cancelSearch(deps, key, jobId) }
}

const fail = ({ jobs, clock }: OpenSearch, run: JobRun, error = 'internal: It broke.') =>
  jobs.fail({ ...run, failedAt: clock.now(), error }, clock.now())

const complete = ({ jobs, clock }: OpenSearch, run: JobRun) => {
  const { createdAt, requestHash } = newJob()
  const shards = [{ key: 'results/a', bytes: 1, rows: 1 }]
  const job = {
    ...run,
    createdAt,
    requestHash,
    status: 'completed',
    completedAt: clock.now(),
    attempt: 1,
    shards,
  } as const
  return jobs.complete(job, clock.now())
}

describe('cancelling', () => {
  it('fails a queued job', async () => {
    const open = openCancel()
    const job = await storeQueued(open)
    const error = 'cancelled: The search was cancelled on request.'
    expect(await open.cancel(job.jobId)).toEqual({ ...job, status: 'failed', failedAt: open.clock.now(), error })
    expect(await open.jobs.read(job)).toMatchObject({ status: 'failed', error })
    expect(open.queries.stopped).toEqual([])
  })

  it('fails a processing job, then stops its query', async () => {
    const open = openCancel()
    const job = await storeProcessing(open)
    let stateAtStop: string | undefined
    const stop = async (queryId: string) => {
      stateAtStop = (await open.jobs.read(job))?.status
      await open.queries.stop(queryId)
    }
    const cancelled = await cancelSearch({ ...open.deps, queries: { stop } }, ownKey, job.jobId)
    expect(cancelled).toMatchObject({ status: 'failed', error: expect.stringMatching(/^cancelled: \w.*\.$/) })
    expect([open.queries.stopped, stateAtStop]).toEqual([['query-1'], 'failed'])
    expect(open.lines).toEqual([])
  })

  it('keeps the job for the same retention as any ended job', async () => {
    const open = openCancel()
    const { jobId } = await storeQueued(open)
    await open.cancel(jobId)
    expect(open.jobs.expiries.get(jobId)).toEqual(new Date(open.clock.now().getTime() + retentionDays * day * 1000))
  })

  it('is idempotent, however late', async () => {
    const open = openCancel()
    const { jobId } = await storeProcessing(open)
    const first = await open.cancel(jobId)
    open.clock.advance(7 * day - 1)
    expect(await open.cancel(jobId)).toEqual(first)
  })

  it('stops a query that the previous call did not', async () => {
    const open = openCancel()
    const job = await storeProcessing(open)
    await fail(open, job, 'cancelled: The search was cancelled on request.')
    await open.cancel(job.jobId)
    expect(open.queries.stopped).toEqual(['query-1'])
  })

  it('fails the job even if its query cannot be stopped, and logs that', async () => {
    const open = openCancel()
    const { jobId } = await storeProcessing(open)
    const queries = { stop: () => Promise.reject(new Error('Athena is unavailable')) }
    const cancelled = await cancelSearch({ ...open.deps, queries }, ownKey, jobId)
    expect(cancelled).toMatchObject({ status: 'failed', error: expect.stringMatching(/^cancelled: /) })
    const facts = { job_id: jobId, query_id: 'query-1', cause: 'Error: Athena is unavailable' }
    expect(open.lines).toEqual([{ event: 'query not stopped', facts }])
  })
})

describe('cancelling a job that has already ended', () => {
  it.each([
    ['completed', complete],
    ['failed', fail],
  ] as const)('leaves it %s and is refused', async (status, end) => {
    const open = openCancel()
    const job = await storeProcessing(open)
    await end(open, job)
    const before = await open.jobs.read(job)
    await expect(open.cancel(job.jobId)).rejects.toThrow(
      new Conflict(`The search has already ${status}; there is nothing to cancel.`),
    )
    expect(await open.jobs.read(job)).toEqual(before)
    expect(open.queries.stopped).toEqual([])
  })

  it.each([
    ['completed', complete],
    ['failed', fail],
  ] as const)('between the read and the write leaves it %s too', async (status, end) => {
    const open = openCancel()
    const job = await storeProcessing(open)
    const lookup = {
      lookUp: async (...asked: Parameters<typeof open.deps.lookup.lookUp>) => {
        const found = await open.deps.lookup.lookUp(...asked)
        await end(open, job)
        return found
      },
    }
    await expect(cancelSearch({ ...open.deps, lookup }, ownKey, job.jobId)).rejects.toThrow(Conflict)
    expect(await open.jobs.read(job)).toMatchObject({ status })
  })
})

describe('nothing is found to cancel', () => {
  it.each([
    ['deleted', undefined],
    ['deleted and made again by another run', 'run2'],
  ])('if the job is %s while it is cancelled', async (_, run) => {
    const open = openCancel()
    const job = await storeQueued(open)
    const jobs = { ...open.jobs, read: async () => (run === undefined ? undefined : { ...job, run }) }
    await expect(cancelSearch({ ...open.deps, jobs }, ownKey, job.jobId)).rejects.toThrow(new NotFound())
  })

  it('for a malformed id, for which no job is read', async () => {
    const open = openCancel()
    const lookup = { lookUp: () => Promise.reject(new Error('a job was read')) }
    await expect(cancelSearch({ ...open.deps, lookup }, ownKey, '../etc')).rejects.toThrow(new NotFound())
  })

  it.each(['unknown', 'malformed', "another organization's", 'expired'])('for a job id that is %s', async (kind) => {
    const open = openCancel()
    const job = runOf(await storeQueued(open))
    if (kind === 'expired') {
      await open.cancel(job.jobId)
      open.clock.advance(7 * day)
    }
    const before = await open.jobs.read(job)
    const asked = kind === 'unknown' ? jobIdOf('unknown') : kind === 'malformed' ? '../etc' : job.jobId
    const answer = open.cancel(asked, kind === "another organization's" ? otherKey : ownKey)
    await expect(answer).rejects.toThrow(new NotFound())
    expect(await open.jobs.read(job)).toEqual(before)
  })

  it('for a wrong key, without revealing anything', async () => {
    const open = openCancel()
    const job = await storeQueued(open)
    for (const asked of [job.jobId, jobIdOf('unknown'), 'no id']) {
      await expect(open.cancel(asked, unknownKey)).rejects.toThrow(Unauthorized)
      await expect(open.cancel(asked, revokedKey)).rejects.toThrow(Forbidden)
    }
    expect(await open.jobs.read(job)).toEqual(job)
  })
})
