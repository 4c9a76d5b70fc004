import { describe, expect, it } from 'vitest'
import { startQuery } from '../../../core/workflow/start-query.ts'
import type { OpenSearch } from '../../builders/open-search.ts'
import { openSearch, readError, readProcessing, storeProcessing, storeQueued } from '../../builders/open-search.ts'
import { runOf } from '../../builders/sample-search.ts'

const succeeded = { state: 'succeeded', manifest: 's3://m' } as const

/**
 * Waits up to five seconds for its query, which ends during the given wait. Nothing has the manifest of the query, so
 * its result is left to publish-results.
 */
function openWaiting(search: OpenSearch, endsInWait?: number) {
  const sleep = async (milliseconds: number) => {
    await search.clock.sleep(milliseconds)
    if (search.clock.slept.length === endsInWait) search.queries.states.set('query-1', succeeded)
  }
  return { ...search.deps, sleep, queryWaitMs: 5000 }
}

describe('a start that waits for its query', () => {
  it('continues with publishing if its query ends while it waits', async () => {
    const search = openSearch()
    const job = await storeQueued(search)
    const step = await startQuery(openWaiting(search, 3), runOf(job))
    expect(step).toEqual({ next: 'publish', queryId: 'query-1', attempt: 1, manifest: 's3://m' })
    expect(search.clock.slept).toEqual([250, 250, 375])
    expect((await readProcessing(search, job)).query).toEqual({ queryId: 'query-1', attempt: 1 })
  })

  it('notices a query that ends at the last moment of the wait', async () => {
    const search = openSearch()
    const job = await storeQueued(search)
    expect(await startQuery(openWaiting(search, 7), runOf(job))).toMatchObject({ next: 'publish' })
    expect(search.clock.slept.reduce((sum, wait) => sum + wait, 0)).toBe(5000)
  })

  it('hands a longer query over after five seconds, with the current polling interval', async () => {
    const search = openSearch()
    const job = await storeQueued(search)
    const step = await startQuery(openWaiting(search), runOf(job))
    expect(step).toMatchObject({ next: 'await', queryId: 'query-1', attempt: 1, waitMs: 2853 })
    expect(search.clock.slept.reduce((sum, wait) => sum + wait, 0)).toBe(5000)
    expect(search.queries.looks).toHaveLength(7)
  })

  it('hands its query over at once, without polling, if its wait is 0', async () => {
    const search = openSearch()
    const job = await storeQueued(search)
    const step = await startQuery({ ...search.deps, queryWaitMs: 0 }, runOf(job))
    expect(step).toMatchObject({ next: 'await', queryId: 'query-1', attempt: 1, waitMs: 250 })
    expect([search.clock.slept, search.queries.looks]).toEqual([[], []])
  })

  it('asks for another attempt if its query fails with a transient fault', async () => {
    const search = openSearch()
    const job = await storeQueued(search)
    search.queries.states.set('query-1', { state: 'failed', fault: 'transient', reason: 'x' })
    const step = await startQuery(openWaiting(search), runOf(job))
    expect(step).toEqual({ next: 'retry', attempt: 2, failures: 1, waitSeconds: 5 })
  })

  it('fails the job if its query fails permanently', async () => {
    const search = openSearch()
    const job = await storeQueued(search)
    search.queries.states.set('query-1', { state: 'failed', fault: 'permanent', reason: 'x' })
    expect(await startQuery(openWaiting(search), runOf(job))).toEqual({ next: 'end' })
    expect(await readError(search, job)).toMatch(/^internal: /)
  })

  it('passes on all fields of an attempt', async () => {
    const search = openSearch()
    const job = await storeProcessing(search)
    search.queries.states.set('query-1', succeeded)
    const step = { next: 'retry', attempt: 3, failures: 1, spread: 7, waitSeconds: 0 } as const
    const { waitSeconds, ...attempt } = step
    expect(await startQuery(openWaiting(search), { ...job, step })).toEqual({
      ...attempt,
      next: 'publish',
      queryId: 'query-1',
      manifest: 's3://m',
    })
  })

  it('finds the same query when run again after an interrupted wait', async () => {
    const search = openSearch()
    const job = await storeQueued(search)
    const cutOff = { ...openWaiting(search), sleep: () => Promise.reject(new Error('cut off')) }
    await expect(startQuery(cutOff, runOf(job))).rejects.toThrow('cut off')
    const step = await startQuery(openWaiting(search, 2), runOf(job))
    expect(step).toMatchObject({ next: 'publish', queryId: 'query-1' })
    expect(search.queries.statements.size).toBe(1)
  })

  it('ignores a job that is cancelled in the meantime, and its query', async () => {
    const search = openSearch()
    const job = await storeQueued(search)
    const sleep = async () => {
      const failedAt = search.clock.now()
      await search.jobs.fail({ ...runOf(job), failedAt, error: 'cancelled: by the client' }, failedAt)
      search.queries.states.set('query-1', { state: 'failed', fault: 'permanent', reason: 'Query cancelled by user' })
    }
    expect(await startQuery({ ...search.deps, sleep, queryWaitMs: 5000 }, runOf(job))).toEqual({ next: 'end' })
    expect(await readError(search, job)).toBe('cancelled: by the client')
    expect(search.ends).toEqual([])
  })
})
