import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cancelSearch } from '../../core/calls/cancel-search.ts'
import { Conflict } from '../../core/errors.ts'
import { isTerminal } from '../../core/job/job.ts'
import type { Jobs } from '../../core/job/ports.ts'
import type { ForcedRefreshes } from '../../core/own-relation/ports.ts'
import type { Queries, QueryState } from '../../core/search/ports.ts'
import { sweepSearches } from '../../core/workflow/sweep-searches.ts'
import { type OpenSearch, openSearch, storeQueued } from '../builders/open-search.ts'
import { letIn, ownKey } from '../builders/own-job.ts'
import { runWorkflow } from '../builders/run-workflow.ts'
import { newEntry, runOf } from '../builders/sample-search.ts'
import { createMemoryForcedRefreshes } from '../doubles/memory-forced-refreshes.ts'

interface Mischief {
  /** The call to jobs or queries that fails, before or after its effect. */
  readonly broken: { readonly call: number; readonly isDone: boolean }
  /** The call before which the client cancels the search; undefined if it never does. */
  readonly cancelled: number | undefined
  readonly cancel: () => Promise<void>
}

/** Injects a failure and a cancellation between the calls to jobs and queries. */
function sabotage(
  { jobs, queries, usages, announcements }: OpenSearch,
  refreshes: ForcedRefreshes,
  { broken, cancelled, cancel }: Mischief,
) {
  let calls = 0
  const breaking =
    <Arguments extends readonly unknown[], Result>(call: (...given: Arguments) => Promise<Result>) =>
    async (...given: Arguments): Promise<Result> => {
      calls += 1
      if (calls === cancelled) await cancel()
      const isBroken = calls === broken.call
      if (isBroken && !broken.isDone) throw new Error('broken before')
      const result = await call(...given)
      if (isBroken) throw new Error('broken after')
      return result
    }
  return {
    refreshes: { read: breaking(refreshes.read), write: breaking(refreshes.write) },
    jobs: {
      create: jobs.create,
      read: breaking(jobs.read),
      readRequest: breaking(jobs.readRequest),
      begin: breaking(jobs.begin),
      noteQuery: breaking(jobs.noteQuery),
      noteAttempt: breaking(jobs.noteAttempt),
      touch: breaking(jobs.touch),
      complete: breaking(jobs.complete),
      fail: breaking(jobs.fail),
      noteAnnounced: breaking(jobs.noteAnnounced),
      remove: breaking(jobs.remove),
    } satisfies Jobs,
    usages: { ...usages, free: breaking(usages.free) },
    announcements: { announce: breaking(announcements.announce) },
    queries: {
      start: breaking(queries.start),
      look: breaking(queries.look),
      stop: breaking(queries.stop),
    } satisfies Queries,
  }
}

const outcomes: readonly QueryState[] = [
  { state: 'running' },
  { state: 'succeeded', manifest: 'm' },
  { state: 'succeeded', manifest: undefined },
  { state: 'failed', fault: 'transient', reason: 'x' },
  { state: 'failed', fault: 'leftovers', reason: 'x' },
  { state: 'failed', fault: 'throttled', reason: 'x' },
  { state: 'failed', fault: 'files-removed', reason: 'x' },
  { state: 'failed', fault: 'permanent', reason: 'x' },
]

describe('every accepted search', () => {
  it('ends for any failing call, any outcome of its queries and any time of cancellation', async () => {
    const anyCase = fc.record({
      broken: fc.record({ call: fc.nat(40), isDone: fc.boolean() }),
      cancelled: fc.option(fc.nat(40), { nil: undefined }),
      first: fc.constantFrom(...outcomes),
      second: fc.constantFrom(...outcomes),
      isKnown: fc.boolean(),
      isOwn: fc.boolean(),
      isStarted: fc.boolean(),
      queryWaitMs: fc.constantFrom(0, 5000),
    })
    await fc.assert(
      fc.asyncProperty(anyCase, async ({ broken, cancelled, first, second, isKnown, isOwn, isStarted, ...waits }) => {
        const search = openSearch(isKnown ? [newEntry()] : [])
        const job = runOf(await storeQueued(search))
        search.queries.states.set('query-1', first)
        search.queries.states.set('query-2', second)
        const answers: string[] = []
        const cancel = async () => {
          const cancelling = cancelSearch({ ...search.deps, ...letIn(search) }, ownKey, job.jobId)
          await cancelling.then(
            () => answers.push('cancelled'),
            (error) => (error instanceof Conflict ? undefined : Promise.reject(error)),
          )
        }
        const mischief = { broken, cancelled, cancel }
        const { refreshes, ...breaking } = sabotage(search, createMemoryForcedRefreshes(), mischief)
        const deps = { ...search.deps, ...waits, ...breaking, ...(isOwn && { refreshes }) }
        if (isStarted) await runWorkflow(search, deps, job)
        for (let sweeps = 0; sweeps < 15; sweeps++) {
          search.clock.advance(3600)
          const known = search.workflow.executions.size
          await sweepSearches({ ...deps, unended: search.jobs, limits: { waitingHours: 6, runningHours: 6 } })
          if (search.workflow.executions.size > known) await runWorkflow(search, deps, job)
        }
        const ended = await search.jobs.read(job)
        expect(ended !== undefined && isTerminal(ended.status)).toBe(true)
        expect(await search.jobs.list(1)).toEqual([])
        expect(search.deps.announcements.made).toContainEqual(
          expect.objectContaining({ job_id: job.jobId, status: ended?.status }),
        )
        // Counted once by the winning write, unless the call failed right after that write.
        expect(search.ends.length).toBeLessThanOrEqual(1)
        if (!broken.isDone) expect(search.ends.length).toBe(1)
        const word = ended?.status === 'failed' ? ended.error.split(':')[0] : ended?.status
        for (const end of search.ends) expect(end).toEqual({ jobId: job.jobId, word })
        const isCancelled = ended?.status === 'failed' && ended.error.startsWith('cancelled: ')
        expect(isCancelled).toBe(answers.length === 1)
      }),
      { numRuns: 1000 },
    )
  })
})
