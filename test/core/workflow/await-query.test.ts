import { describe, expect, it } from 'vitest'
import { describeFailure, internalFailure } from '../../../core/failure.ts'
import type { JobRun } from '../../../core/job/job.ts'
import { retainUntil } from '../../../core/job/retention.ts'
import { adviseNarrowing } from '../../../core/search/filter-words.ts'
import type { QueryFault, QueryState } from '../../../core/search/ports.ts'
import { awaitQuery } from '../../../core/workflow/await-query.ts'
import type { AwaitStep } from '../../../schema/workflow-step.ts'
import { type OpenSearch, openSearch, readError, readProcessing, storeProcessing } from '../../builders/open-search.ts'
import { createdAt, request } from '../../builders/sample-search.ts'

const inputOf = (job: JobRun, facts: Partial<AwaitStep> = {}) => ({
  ...job,
  step: { next: 'await', queryId: 'query-1', attempt: 1, waitMs: 250, ...facts } as const,
})
/** Stores a processing job whose query runs as `query-1`. */
async function storeWatched(search: OpenSearch) {
  await search.queries.start({ statement: 'SELECT 1', token: 'token' })
  return storeProcessing(search)
}

const failed = (fault: QueryFault): QueryState => ({
  state: 'failed',
  fault,
  reason: 'SOME_ENGINE_ERROR: at /internal/path',
})

describe('a turn of watching a query', () => {
  it('ends within a minute while the query runs, and hands its polling interval to the next turn', async () => {
    const search = openSearch()
    const job = await storeWatched(search)
    const step = await awaitQuery(search.deps, inputOf(job))
    expect(step).toEqual({ next: 'await', queryId: 'query-1', attempt: 1, waitMs: 5000 })
    const slept = search.clock.slept.reduce((sum, wait) => sum + wait, 0)
    expect(slept).toBeGreaterThan(45_000)
    expect(slept).toBeLessThanOrEqual(50_000)
    expect(search.clock.slept.length).toBeLessThan(20)
    expect(search.clock.slept.slice(0, 3)).toEqual([250, 375, 563])
    expect(Math.max(...search.clock.slept)).toBe(5000)
  })

  it('looks once if the workflow waits between looks, so that no function runs meanwhile', async () => {
    const search = openSearch()
    const job = await storeWatched(search)
    const step = await awaitQuery({ ...search.deps, queryTurnMs: 0 }, inputOf(job))
    expect([step, search.clock.slept]).toEqual([{ next: 'await', queryId: 'query-1', attempt: 1, waitMs: 250 }, []])
    search.queries.states.set('query-1', { state: 'succeeded', manifest: 's3://m' })
    expect(await awaitQuery({ ...search.deps, queryTurnMs: 0 }, inputOf(job))).toMatchObject({ next: 'publish' })
  })

  it('includes the time that polls take', async () => {
    const search = openSearch()
    const job = await storeWatched(search)
    const { look } = search.queries
    search.queries.look = async (queryId) => {
      search.clock.advance(20)
      return look(queryId)
    }
    expect(await awaitQuery(search.deps, inputOf(job))).toMatchObject({ next: 'await', waitMs: 563 })
    expect(search.clock.now().getTime() - createdAt.getTime()).toBeLessThan(65_000)
    expect(search.queries.looks.length).toBe(3)
  })

  it('touches the job once', async () => {
    const search = openSearch()
    const job = await storeWatched(search)
    search.clock.advance(7)
    const began = search.clock.now()
    await awaitQuery(search.deps, inputOf(job))
    expect(search.jobs.touchedAt(job)).toEqual(began)
  })

  it('polls before it waits, so an ended query costs no time', async () => {
    const search = openSearch()
    const job = await storeWatched(search)
    search.queries.states.set('query-1', { state: 'succeeded', manifest: 's3://m' })
    expect(await awaitQuery(search.deps, inputOf(job))).toEqual({
      next: 'publish',
      queryId: 'query-1',
      attempt: 1,
      manifest: 's3://m',
    })
    expect(search.clock.slept).toEqual([])
  })

  it('notices a query that ends while it waits', async () => {
    const search = openSearch()
    const job = await storeWatched(search)
    const sleep = async (milliseconds: number) => {
      await search.clock.sleep(milliseconds)
      if (search.clock.slept.length === 2)
        search.queries.states.set('query-1', { state: 'succeeded', manifest: 's3://m' })
    }
    expect(await awaitQuery({ ...search.deps, sleep }, inputOf(job))).toMatchObject({ next: 'publish' })
    expect(search.clock.slept).toEqual([250, 375])
  })

  it('passes on no manifest if the query wrote none', async () => {
    const search = openSearch()
    const job = await storeWatched(search)
    search.queries.states.set('query-1', { state: 'succeeded', manifest: undefined })
    expect(await awaitQuery(search.deps, inputOf(job))).toStrictEqual({
      next: 'publish',
      queryId: 'query-1',
      attempt: 1,
    })
  })
})

describe('a query that reads nothing', () => {
  const succeeded = { state: 'succeeded', manifest: undefined, bytesScanned: 0 } as const

  it('fails the job if loads have counted rows in what it should have read', async () => {
    const search = openSearch()
    const job = await storeWatched(search)
    search.queries.states.set('query-1', succeeded)
    expect(await awaitQuery(search.deps, inputOf(job, { attempt: 1, hasRows: true }))).toEqual({ next: 'end' })
    expect(await readError(search, job)).toBe(
      'nothing_read: The search read none of the files of these rates, so the result would lack rows. Tell the operator of the service, quoting the job id.',
    )
    expect(search.lines).toMatchObject([{ event: 'query failed', facts: { fault: 'nothing-read' } }])
  })

  it.each([
    ['there are no rows to read', { attempt: 1 }, succeeded],
    ['Athena does not say how much it read', { attempt: 1, hasRows: true }, { ...succeeded, bytesScanned: undefined }],
    ['it read a footer', { attempt: 1, hasRows: true }, { ...succeeded, bytesScanned: 1 }],
  ] as const)('counts as a success if %s', async (_, attempt, state) => {
    const search = openSearch()
    const job = await storeWatched(search)
    const { bytesScanned, ...query } = state
    search.queries.states.set('query-1', bytesScanned === undefined ? query : { ...query, bytesScanned })
    const step = await awaitQuery(search.deps, inputOf(job, attempt))
    expect(step).toMatchObject({ next: 'publish', queryId: 'query-1' })
    expect(step).not.toHaveProperty('hasRows')
  })
})

describe('a query that fails', () => {
  it('starts again after a transient fault, and the job continues', async () => {
    const search = openSearch()
    const job = await storeWatched(search)
    search.queries.states.set('query-1', failed('transient'))
    expect(await awaitQuery(search.deps, inputOf(job))).toEqual({
      next: 'retry',
      attempt: 2,
      failures: 1,
      waitSeconds: 5,
    })
    expect((await readProcessing(search, job)).status).toBe('processing')
  })

  it('counts separately from attempts for other reasons', async () => {
    const search = openSearch()
    const job = await storeWatched(search)
    search.queries.states.set('query-1', failed('transient'))
    expect(await awaitQuery(search.deps, inputOf(job, { attempt: 3, spread: 7 }))).toEqual({
      next: 'retry',
      attempt: 4,
      failures: 1,
      spread: 7,
      waitSeconds: 5,
    })
  })

  it('because of leftovers does not count as a failure: every time, the next attempt starts at once', async () => {
    const search = openSearch()
    const job = await storeWatched(search)
    search.queries.states.set('query-1', failed('leftovers'))
    for (const attempt of [{ attempt: 1 }, { attempt: 2, failures: 1 }, { attempt: 5, spread: 3 }]) {
      const next = { next: 'retry', ...attempt, attempt: attempt.attempt + 1, waitSeconds: 0 }
      expect(await awaitQuery(search.deps, inputOf(job, attempt))).toEqual(next)
    }
    expect((await readProcessing(search, job)).status).toBe('processing')
  })

  it.each([
    ['of throttling', 'throttled'],
    ['files of other fee schedules were removed', 'files-removed'],
  ] as const)('because %s is retried until the deadline, with increasing delays', async (_, fault) => {
    const search = openSearch()
    const job = await storeWatched(search)
    search.queries.states.set('query-1', failed(fault))
    const waits: number[] = []
    for (let attempt = 1; attempt <= 8; attempt++) {
      const next = await awaitQuery(search.deps, inputOf(job, { attempt, failures: 1, spread: 3 }))
      expect(next).toMatchObject({ next: 'retry', attempt: attempt + 1, failures: 1, spread: 3 })
      if (next.next === 'retry') waits.push(next.waitSeconds)
    }
    expect(waits).toEqual([5, 10, 20, 40, 60, 60, 60, 60])
    expect((await readProcessing(search, job)).status).toBe('processing')
  })

  it('starts once more in the other order of joins if it ran out of memory, and keeps its spread', async () => {
    const search = openSearch()
    const job = await storeWatched(search)
    search.queries.states.set('query-1', failed('exhausted'))
    for (const attempt of [{ attempt: 1 }, { attempt: 2, failures: 1 }, { attempt: 5, spread: 3 }]) {
      const next = { next: 'retry', ...attempt, attempt: attempt.attempt + 1, joinOrder: 'other', waitSeconds: 5 }
      expect(await awaitQuery(search.deps, inputOf(job, attempt))).toEqual(next)
    }
    expect((await readProcessing(search, job)).status).toBe('processing')
  })

  it('keeps the other order of joins if it is retried for another reason', async () => {
    const search = openSearch()
    const job = await storeWatched(search)
    for (const fault of ['transient', 'throttled', 'leftovers'] as const) {
      search.queries.states.set('query-1', failed(fault))
      const next = await awaitQuery(search.deps, inputOf(job, { attempt: 2, joinOrder: 'other' }))
      expect(next).toMatchObject({ next: 'retry', attempt: 3, joinOrder: 'other' })
    }
  })

  it.each([
    [
      'with a transient fault a second time',
      'transient',
      { attempt: 2, failures: 1 },
      describeFailure(internalFailure),
    ],
    ['with a permanent fault', 'permanent', { attempt: 1 }, describeFailure(internalFailure)],
    [
      'because it reads too much',
      'data-limit',
      { attempt: 1 },
      `too_broad: The search reads more data than one search may. ${adviseNarrowing(request)}`,
    ],
    [
      'because it needs too much memory in either order of joins',
      'exhausted',
      { attempt: 2, joinOrder: 'other' },
      `too_broad: The search needs more memory than one search gets. ${adviseNarrowing(request)}`,
    ],
    [
      "at Athena's time limit",
      'timed-out',
      { attempt: 1 },
      'timeout: The search took longer than the service allows. Narrow it, or submit it again later.',
    ],
  ] as const)('%s fails the job', async (_, fault, attempt, error) => {
    const search = openSearch()
    const job = await storeWatched(search)
    search.queries.states.set('query-1', failed(fault))
    expect(await awaitQuery(search.deps, inputOf(job, attempt))).toEqual({ next: 'end' })
    expect(await readError(search, job)).toBe(error)
    expect(search.jobs.expiries.get(job.jobId)).toEqual(retainUntil(search.clock.now(), 7))
  })

  it.each(['file-missing', 'files-removed'] as const)(
    'because a file that it lists is not there fails the job at once (%s)',
    async (fault) => {
      const search = openSearch()
      const job = await storeWatched(search)
      search.queries.states.set('query-1', failed(fault))
      expect(await awaitQuery(search.deps, inputOf(job, { attempt: 1, isListed: true }))).toEqual({ next: 'end' })
      expect(await readError(search, job)).toBe(
        'file_missing: A file of these rates is missing, so the result would lack rows. Tell the operator of the service, quoting the job id.',
      )
    },
  )

  it('shows its reason in the log but not in the job', async () => {
    const search = openSearch()
    const job = await storeWatched(search)
    search.queries.states.set('query-1', failed('permanent'))
    await awaitQuery(search.deps, inputOf(job))
    expect(search.lines).toEqual([
      {
        event: 'query failed',
        facts: {
          org_id: job.orgId,
          job_id: job.jobId,
          query_id: 'query-1',
          attempt: 1,
          fault: 'permanent',
          cause: 'SOME_ENGINE_ERROR: at /internal/path',
        },
      },
    ])
    expect(await readError(search, job)).not.toContain('ENGINE')
  })
})

describe('a job that has ended in the meantime', () => {
  it('does not fail once more for a query that ran out of memory', async () => {
    const search = openSearch()
    const job = await storeWatched(search)
    const { look } = search.queries
    search.queries.look = async (queryId) => {
      await search.jobs.fail({ ...job, failedAt: createdAt, error: 'cancelled: by the client' }, createdAt)
      await search.jobs.noteAnnounced(job)
      await search.jobs.remove(job)
      return look(queryId)
    }
    search.queries.states.set('query-1', failed('exhausted'))
    expect(await awaitQuery(search.deps, inputOf(job, { attempt: 2, joinOrder: 'other' }))).toEqual({ next: 'end' })
    expect(search.ends).toEqual([])
  })

  it('stops its query and does not change', async () => {
    const search = openSearch()
    const job = await storeWatched(search)
    await search.jobs.fail({ ...job, failedAt: createdAt, error: 'cancelled: by the client' }, createdAt)
    search.queries.states.set('query-1', { state: 'succeeded', manifest: 's3://m' })
    expect(await awaitQuery(search.deps, inputOf(job))).toEqual({ next: 'end' })
    expect(search.queries.stopped).toEqual(['query-1'])
    expect(search.queries.looks).toEqual([])
    expect(await readError(search, job)).toBe('cancelled: by the client')
  })

  it('keeps its first error if its query fails later', async () => {
    const search = openSearch()
    const job = await storeWatched(search)
    const { look } = search.queries
    search.queries.look = async (queryId) => {
      await search.jobs.fail({ ...job, failedAt: createdAt, error: 'cancelled: by the client' }, createdAt)
      return look(queryId)
    }
    search.queries.states.set('query-1', failed('permanent'))
    expect(await awaitQuery(search.deps, inputOf(job))).toEqual({ next: 'end' })
    expect(await readError(search, job)).toBe('cancelled: by the client')
  })

  it('includes a job of another run', async () => {
    const search = openSearch()
    const job = await storeWatched(search)
    expect(await awaitQuery(search.deps, inputOf({ ...job, run: 'run2' }))).toEqual({ next: 'end' })
    expect(search.queries.stopped).toEqual(['query-1'])
    expect((await readProcessing(search, job)).status).toBe('processing')
  })
})
