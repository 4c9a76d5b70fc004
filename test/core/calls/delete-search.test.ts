import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cancelSearch } from '../../../core/calls/cancel-search.ts'
import { deleteSearch } from '../../../core/calls/delete-search.ts'
import { Conflict, NotFound } from '../../../core/errors.ts'
import { attemptPrefix } from '../../../core/job/attempt.ts'
import type { JobRun } from '../../../core/job/job.ts'
import type { OpenSearch } from '../../builders/open-search.ts'
import { complete, openSearch, race, raceJobs, storeProcessing, storeQueued } from '../../builders/open-search.ts'
import { letIn, ownKey } from '../../builders/own-job.ts'
import { newJob, request, runOf } from '../../builders/sample-search.ts'

function openDelete() {
  const search = openSearch()
  const deps = { ...search.deps, ...letIn(search) }
  return { ...search, deps, remove: (jobId: string) => deleteSearch(deps, ownKey, jobId) }
}

/** Completes a processing job with files of two attempts; returns their keys. */
async function completeSecond(open: OpenSearch, run: JobRun): Promise<readonly string[]> {
  const keys = [1, 2].flatMap((attempt) => ['a', 'b'].map((name) => `${attemptPrefix(run, attempt)}${name}`))
  for (const key of keys) await open.resultFiles.write(key, new Uint8Array(4))
  await complete(open, run, { attempt: 2 })
  return keys
}

const storeCompleted = async (open: OpenSearch, run = 'run1') => {
  const job = await storeProcessing(open, { run })
  return { job, keys: await completeSecond(open, job) }
}

describe('deleting', () => {
  it('removes a completed job and only the files of its own attempts', async () => {
    const open = openDelete()
    const { job } = await storeCompleted(open)
    const neighbour = attemptPrefix({ ...job, run: 'run10' }, 1)
    await open.resultFiles.write(neighbour, new Uint8Array(4))
    await open.remove(job.jobId)
    expect(await open.jobs.read(job)).toBeUndefined()
    expect([...open.resultFiles.written.keys()]).toEqual([neighbour])
  })

  it('removes a failed or cancelled job', async () => {
    const open = openDelete()
    const job = await storeProcessing(open)
    await cancelSearch(open.deps, ownKey, job.jobId)
    await open.remove(job.jobId)
    expect(await open.jobs.read(job)).toBeUndefined()
  })

  it('keeps the request, which other jobs may share', async () => {
    const open = openDelete()
    const { job } = await storeCompleted(open)
    await open.remove(job.jobId)
    expect(await open.jobs.readRequest(job.orgId, newJob().requestHash)).toEqual(request)
  })

  it('announces an end that was not announced yet, and only then removes the job', async () => {
    const open = openDelete()
    const { job } = await storeCompleted(open)
    const { announcements } = open.deps
    announcements.fault = new Error('EventBridge is unavailable')
    await expect(open.remove(job.jobId)).rejects.toThrow('EventBridge is unavailable')
    expect(await open.jobs.read(job)).toMatchObject({ status: 'completed' })
    announcements.fault = undefined
    await open.remove(job.jobId)
    expect(announcements.made).toMatchObject([{ job_id: job.jobId, status: 'completed' }])
    expect(await open.jobs.read(job)).toBeUndefined()
  })

  it('does not announce an end again', async () => {
    const open = openDelete()
    const job = await storeProcessing(open)
    await cancelSearch(open.deps, ownKey, job.jobId)
    await open.remove(job.jobId)
    expect(open.deps.announcements.made).toHaveLength(1)
  })

  it('removes the job before its files, so that nobody gets a URL of a file about to be deleted', async () => {
    const open = openDelete()
    const { job, keys } = await storeCompleted(open)
    const resultFiles = { removeBelow: () => Promise.reject(new Error('S3 is unavailable')) }
    await expect(deleteSearch({ ...open.deps, resultFiles }, ownKey, job.jobId)).rejects.toThrow('S3 is unavailable')
    expect(await open.jobs.read(job)).toBeUndefined()
    expect([...open.resultFiles.written.keys()]).toEqual(keys)
  })

  it.each([
    ['queued', storeQueued],
    ['processing', storeProcessing],
  ] as const)('refuses a %s job and says what to do first', async (status, store) => {
    const open = openDelete()
    const job = runOf(await store(open))
    await expect(open.remove(job.jobId)).rejects.toThrow(Conflict)
    await expect(open.remove(job.jobId)).rejects.toThrow('cancel it first')
    expect(await open.jobs.read(job)).toMatchObject({ status })
  })
})

describe('nothing is found to delete', () => {
  it('if another run of the id takes the place of the one that was read, and its files stay', async () => {
    const open = openDelete()
    const { job, keys } = await storeCompleted(open)
    const lookup = {
      lookUp: async (...asked: Parameters<typeof open.deps.lookup.lookUp>) => {
        const found = await open.deps.lookup.lookUp(...asked)
        return {
          ...found,
          job: {
            ...newJob(),
            ...job,
            status: 'failed',
            failedAt: open.clock.now(),
            error: 'x: y',
            run: 'run0',
          } as const,
        }
      },
    }
    await expect(deleteSearch({ ...open.deps, lookup }, ownKey, job.jobId)).rejects.toThrow(new NotFound())
    expect(await open.jobs.read(job)).toMatchObject({ status: 'completed' })
    expect([...open.resultFiles.written.keys()]).toEqual(keys)
  })
})

describe('an id reused by another run', () => {
  it('keeps its job and files, in any order of deletions of the previous run', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const open = openDelete()
        const { job } = await storeCompleted(open)
        const deps = {
          ...open.deps,
          jobs: raceJobs(open.jobs, scheduler),
          lookup: { lookUp: race(scheduler, open.deps.lookup.lookUp) },
          resultFiles: { removeBelow: race(scheduler, open.resultFiles.removeBelow) },
        }
        const next = { ...job, run: 'run2' }
        let keys: readonly string[] = []
        const comeBack = async () => {
          while ((await open.jobs.read(job)) !== undefined) await scheduler.schedule(Promise.resolve())
          await storeProcessing(open, { run: next.run })
          keys = await completeSecond(open, next)
        }
        const remove = () => deleteSearch(deps, ownKey, job.jobId)
        const [first, second] = await scheduler.waitFor(Promise.allSettled([remove(), remove(), comeBack()]))
        const late = [first, second].filter((each) => each.status === 'rejected')
        for (const { reason } of late) expect(['NotFound', 'Conflict']).toContain(reason.name)
        // A caller that reads the id only after its reuse may delete the new job, and then all of it.
        const left = await open.jobs.read(next)
        expect([...open.resultFiles.written.keys()]).toEqual(left === undefined ? [] : keys)
        if (left !== undefined) expect(left).toMatchObject({ run: 'run2', status: 'completed' })
      }),
      { numRuns: 300 },
    )
  })
})
