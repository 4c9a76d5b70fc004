import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describeFailure, internalFailure } from '../../../core/failure.ts'
import { executionName, type JobRun } from '../../../core/job/job.ts'
import { sweepSearches } from '../../../core/workflow/sweep-searches.ts'
import {
  openSearch,
  raceJobs,
  readError,
  readProcessing,
  storeProcessing,
  storeQueued,
} from '../../builders/open-search.ts'
import { jobIdOf } from '../../builders/sample-search.ts'

const hour = 3600

function openSweep() {
  const search = openSearch()
  const deps = { ...search.deps, unended: search.jobs, limits: { waitingHours: 48, runningHours: 12 } }
  const run = (job: JobRun) => search.workflow.executions.set(executionName(job), 'running')
  const end = (job: JobRun) => search.workflow.executions.set(executionName(job), 'ended')
  return { ...search, search, deps, run, end, sweep: () => sweepSearches(deps) }
}

describe('a sweep', () => {
  it('finds nothing if there are no jobs', async () => {
    expect(await openSweep().sweep()).toEqual({
      oldestWaiting: 0,
      oldestRunning: 0,
      oldestUnannounced: 0,
      restarted: 0,
    })
  })

  it('measures the longest wait for a first query and the longest time since one', async () => {
    const { search, sweep, clock } = openSweep()
    await storeProcessing(search, { jobId: jobIdOf('one') })
    clock.advance(10)
    await storeQueued(search, { jobId: jobIdOf('two'), createdAt: clock.now() })
    clock.advance(20)
    await storeQueued(search, { jobId: jobIdOf('three'), createdAt: clock.now() })
    clock.advance(5)
    expect(await sweep()).toMatchObject({ oldestWaiting: 25, oldestRunning: 35, restarted: 0 })
  })

  it.each([
    ['waits', storeQueued, { oldestWaiting: 30, oldestRunning: 0 }],
    ['runs', storeProcessing, { oldestWaiting: 0, oldestRunning: 30 }],
  ] as const)('measures only the matching time if the only job %s', async (_, store, measured) => {
    const { search, sweep, clock } = openSweep()
    await store(search)
    clock.advance(30)
    expect(await sweep()).toMatchObject({ ...measured, restarted: 0 })
  })

  it.each([
    ['queued', 60],
    ['processing', 180],
  ] as const)('leaves a %s job alone for %i seconds, then restarts it', async (status, seconds) => {
    const { search, sweep, clock, workflow, jobs } = openSweep()
    const job = status === 'queued' ? await storeQueued(search) : await storeProcessing(search)
    clock.advance(seconds - 0.001)
    expect(await sweep()).toMatchObject({ restarted: 0 })
    expect(workflow.starts).toEqual([])
    clock.advance(0.001)
    expect(await sweep()).toMatchObject({ restarted: 1 })
    expect(workflow.starts).toEqual([executionName(job)])
    expect(jobs.touchedAt(job)).toEqual(clock.now())
  })

  it('restarts a job once, then waits for its steps', async () => {
    const { search, sweep, clock, workflow } = openSweep()
    await storeQueued(search)
    clock.advance(60)
    await sweep()
    clock.advance(59)
    expect(await sweep()).toMatchObject({ restarted: 0 })
    expect(workflow.starts.length).toBe(1)
  })

  it('leaves a job unchanged if its start fails, logs why, and retries at the next sweep', async () => {
    const { search, sweep, clock, workflow, jobs, lines } = openSweep()
    const job = await storeQueued(search)
    workflow.cause = 'ThrottlingException'
    clock.advance(60)
    expect(await sweep()).toMatchObject({ restarted: 0 })
    const facts = { job_id: job.jobId, cause: 'ThrottlingException' }
    expect(lines).toEqual([{ event: 'workflow not started', facts }])
    expect(jobs.touchedAt(job)).toEqual(job.createdAt)
    workflow.cause = undefined
    expect(await sweep()).toMatchObject({ restarted: 1 })
  })
})

describe('a job whose execution name is already taken', () => {
  it('fails with its query stopped and a log line if that execution has ended', async () => {
    const { search, sweep, clock, lines, queries, end } = openSweep()
    const job = await storeProcessing(search)
    end(job)
    clock.advance(180)
    expect(await sweep()).toMatchObject({ restarted: 0 })
    expect(await readError(search, job)).toBe(describeFailure(internalFailure))
    expect(lines).toEqual([{ event: 'workflow ended without its job', facts: { job_id: job.jobId } }])
    expect(queries.stopped).toEqual(['query-1'])
  })

  it('stays as it is if that execution still runs', async () => {
    const { search, sweep, clock, workflow, run } = openSweep()
    const job = await storeProcessing(search)
    run(job)
    workflow.start = async () => ({ outcome: 'name-taken' })
    clock.advance(180)
    await sweep()
    expect((await readProcessing(search, job)).status).toBe('processing')
  })
})

describe('a job past its deadline', () => {
  it('fails to the second, counted from the start of its first query, which is stopped', async () => {
    const { search, sweep, clock, queries, run } = openSweep()
    const createdAt = clock.now()
    clock.advance(40 * hour)
    const job = await storeProcessing(search, { createdAt })
    run(job)
    clock.advance(12 * hour - 1)
    await sweep()
    expect((await readProcessing(search, job)).status).toBe('processing')
    clock.advance(1)
    await sweep()
    expect(await readError(search, job)).toMatch(/^timeout: .*Narrow it/)
    expect(queries.stopped).toEqual(['query-1'])
  })

  it('fails even if it was never picked up, or is still active', async () => {
    const { search, sweep, clock, jobs, queries } = openSweep()
    const job = await storeQueued(search)
    clock.advance(48 * hour)
    await jobs.touch(job, clock.now())
    await sweep()
    expect(await readError(search, job)).toMatch(/^timeout: .*waited too long for capacity/)
    expect(queries.stopped).toEqual([])
  })

  it('gets more time while it waits for capacity, picked up or not', async () => {
    const { search, sweep, clock, jobs } = openSweep()
    const job = await storeQueued(search)
    await jobs.begin(job, { contents: ['source-1'] }, clock.now())
    clock.advance(48 * hour - 1)
    await sweep()
    expect((await readProcessing(search, job)).status).toBe('processing')
    clock.advance(1)
    await sweep()
    expect(await readError(search, job)).toMatch(/^timeout: .*waited too long for capacity/)
  })

  it('gets no more time for another attempt', async () => {
    const { search, sweep, clock, jobs, queries } = openSweep()
    const job = await storeProcessing(search)
    clock.advance(11 * hour)
    await jobs.noteQuery(job, { queryId: 'query-2', attempt: 2 }, clock.now())
    clock.advance(hour)
    await sweep()
    expect(await readError(search, job)).toMatch(/^timeout: .*Narrow it/)
    expect(queries.stopped).toEqual(['query-2'])
  })

  it('fails before its query is stopped, so a failed stop changes nothing', async () => {
    const { search, sweep, clock, queries, lines } = openSweep()
    const job = await storeProcessing(search)
    queries.stop = () => Promise.reject(new Error('no stop'))
    clock.advance(12 * hour)
    await sweep()
    expect(await readError(search, job)).toMatch(/^timeout: /)
    expect(lines.map(({ event }) => event)).toEqual(['deadline passed', 'job not swept'])
  })

  it('stops a query that the index did not have yet', async () => {
    const { deps, search, clock, jobs, queries } = openSweep()
    const job = await storeQueued(search)
    const stale = await jobs.list(10)
    await jobs.begin(job, { contents: ['source-1'] }, clock.now())
    await jobs.noteQuery(job, { queryId: 'query-1', attempt: 1 }, clock.now())
    clock.advance(48 * hour)
    await sweepSearches({ ...deps, unended: { ...jobs, list: async () => stale } })
    expect(queries.stopped).toEqual(['query-1'])
  })

  it('keeps its end if the index still lists it', async () => {
    const { deps, search, clock, jobs } = openSweep()
    const job = await storeProcessing(search)
    const stale = await jobs.list(10)
    await jobs.fail({ ...job, failedAt: clock.now(), error: 'cancelled: by the client' }, clock.now())
    clock.advance(12 * hour)
    await sweepSearches({ ...deps, unended: { ...jobs, list: async () => stale } })
    expect(await readError(search, job)).toBe('cancelled: by the client')
  })
})

describe('many jobs', () => {
  it('get swept even if one of them fails', async () => {
    const { search, sweep, clock, workflow, lines } = openSweep()
    const words = ['one', 'two', 'three']
    const jobs = await Promise.all(words.map((word) => storeQueued(search, { jobId: jobIdOf(word) })))
    const { start } = workflow
    workflow.start = (job) => (job.jobId === jobIdOf('two') ? Promise.reject(new Error('broken')) : start(job))
    clock.advance(60)
    expect(await sweep()).toMatchObject({ restarted: 2 })
    expect(workflow.starts.length).toBe(jobs.length - 1)
    expect(lines).toEqual([{ event: 'job not swept', facts: { job_id: jobIdOf('two'), cause: 'Error: broken' } }])
  })

  it('get swept ten thousand at a time, least recently touched first', async () => {
    const { search, sweep, clock, workflow } = openSweep()
    for (let index = 0; index < 10_050; index++) await storeQueued(search, { jobId: jobIdOf(`job ${index}`) })
    clock.advance(60)
    expect(await sweep()).toMatchObject({ restarted: 10_000 })
    clock.advance(1)
    expect(await sweep()).toMatchObject({ restarted: 50 })
    expect(new Set(workflow.starts).size).toBe(10_050)
  })

  it('get looked after fifty at once', async () => {
    const { search, sweep, clock, workflow } = openSweep()
    for (let index = 0; index < 120; index++) await storeQueued(search, { jobId: jobIdOf(`job ${index}`) })
    const { start } = workflow
    let [open, most] = [0, 0]
    workflow.start = async (job) => {
      most = Math.max(most, ++open)
      await new Promise(setImmediate)
      open--
      return start(job)
    }
    clock.advance(60)
    expect(await sweep()).toMatchObject({ restarted: 120 })
    expect(most).toBe(50)
  })

  it('end in the minute of their deadline while they wait, however many they are and however recently touched', async () => {
    const { search, sweep, clock, jobs } = openSweep()
    for (let index = 0; index < 3000; index++) {
      const job = await storeQueued(search, { jobId: jobIdOf(`job ${index}`) })
      await jobs.begin(job, { contents: ['content-1'] }, clock.now())
      await jobs.touch(job, new Date(clock.now().getTime() + 48 * hour * 1000 - index))
    }
    clock.advance(48 * hour)
    await sweep()
    expect(search.ends.filter(({ word }) => word === 'timeout')).toHaveLength(3000)
  })
})

describe('two sweeps at once', () => {
  it('give the same outcome as one, in any order of their calls', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.boolean(), async (scheduler, isLate) => {
        const { search, deps, clock, workflow, jobs, end } = openSweep()
        const queued = await storeQueued(search, { jobId: jobIdOf('queued') })
        const processing = await storeProcessing(search, { jobId: jobIdOf('processing') })
        end(processing)
        clock.advance(isLate ? 48 * hour : 180)
        const racing = {
          ...deps,
          jobs: raceJobs(jobs, scheduler),
          unended: { ...jobs, list: scheduler.scheduleFunction(jobs.list) },
        }
        await scheduler.waitFor(Promise.all([sweepSearches(racing), sweepSearches(racing)]))
        expect(await readError(search, processing)).toMatch(isLate ? /^timeout: / : /^internal: /)
        const ended = isLate ? [processing, queued] : [processing]
        expect(search.ends.map(({ jobId }) => jobId).sort()).toEqual(ended.map(({ jobId }) => jobId).sort())
        const stored = await jobs.read(queued)
        expect(stored?.status).toBe(isLate ? 'failed' : 'queued')
        expect(workflow.executions.get(executionName(queued))).toBe(isLate ? undefined : 'running')
      }),
    )
  })
})
