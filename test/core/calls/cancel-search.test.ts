import { describe, expect, it } from 'vitest'
import { cancelSearch } from '../../../core/calls/cancel-search.ts'
import { Conflict, NotFound } from '../../../core/errors.ts'
import { complete, fail, openSearch, storeProcessing, storeQueued } from '../../builders/open-search.ts'
import { letIn, ownKey } from '../../builders/own-job.ts'
import { retentionDays } from '../../builders/sample-search.ts'

const day = 24 * 60 * 60

function openCancel() {
  const search = openSearch()
  const deps = { ...search.deps, ...letIn(search) }
  return { ...search, deps, cancel: (jobId: string) => cancelSearch(deps, ownKey, jobId) }
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

  it('answers a repeated call in the same way, however late', async () => {
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
})
