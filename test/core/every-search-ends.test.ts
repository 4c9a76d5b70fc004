import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { attemptPrefix } from '../../core/attempt.ts'
import type { AwaitQuery } from '../../core/await-query.ts'
import { awaitQuery } from '../../core/await-query.ts'
import type { JobRun } from '../../core/job.ts'
import { executionName, isTerminal } from '../../core/job.ts'
import type { ForcedRefreshes, Jobs, Queries, QueryState } from '../../core/ports.ts'
import { publishResults, resultLimits } from '../../core/publish-results.ts'
import { recordFailure } from '../../core/record-failure.ts'
import type { StartQuery } from '../../core/start-query.ts'
import { startQuery } from '../../core/start-query.ts'
import { sweepSearches } from '../../core/sweep-searches.ts'
import type { NextStep } from '../../core/workflow-step.ts'
import { createMemoryForcedRefreshes } from './memory-forced-refreshes.ts'
import type { OpenSearch } from './open-search.ts'
import { newFooter, openSearch, storeQueued } from './open-search.ts'
import { newEntry, runOf } from './sample-search.ts'

/** Breaks one of the calls to jobs and queries, before it is carried out or after. */
function sabotage(
  { jobs, queries }: OpenSearch,
  refreshes: ForcedRefreshes,
  broken: { readonly call: number; readonly isDone: boolean },
) {
  let calls = 0
  const breaking =
    <Arguments extends readonly unknown[], Result>(call: (...given: Arguments) => Promise<Result>) =>
    async (...given: Arguments): Promise<Result> => {
      calls += 1
      const isBroken = calls === broken.call
      if (isBroken && !broken.isDone) throw new Error('broken before')
      const result = await call(...given)
      if (isBroken) throw new Error('broken after')
      return result
    }
  return {
    refreshes: { claim: breaking(refreshes.claim) },
    jobs: {
      create: jobs.create,
      read: breaking(jobs.read),
      readRequest: breaking(jobs.readRequest),
      begin: breaking(jobs.begin),
      noteQuery: breaking(jobs.noteQuery),
      touch: breaking(jobs.touch),
      complete: breaking(jobs.complete),
      fail: breaking(jobs.fail),
    } satisfies Jobs,
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
  { state: 'failed', fault: 'permanent', reason: 'x' },
]

/** What the state machine does: one step after the other; where one breaks, the failure is recorded. */
async function runWorkflow(search: OpenSearch, deps: StartQuery & AwaitQuery, job: JobRun): Promise<void> {
  const takeStep = async (step: NextStep | undefined): Promise<NextStep> => {
    if (step?.next === 'await') return awaitQuery(deps, { ...job, step })
    if (step?.next !== 'publish') return startQuery(deps, { ...job, ...(step && { step }) })
    const key = `${attemptPrefix(job, step.attempt)}file`
    const isLarge = step.spread === undefined && step.attempt === 1
    search.resultFiles.footers.set(key, newFooter(key, isLarge ? 2_000_000_000 : 1000))
    search.resultFiles.manifests.set('m', [key])
    const makeEmptyShard = () => new Uint8Array(4)
    const { resultFiles } = search
    return publishResults({ ...deps, resultFiles, makeEmptyShard, limits: resultLimits }, { ...job, step })
  }
  try {
    let step: NextStep | undefined
    // An execution that has not ended by the deadline of its job goes on; the sweeper's write is what it then meets.
    for (let turn = 0; turn < 30 && step?.next !== 'end'; turn++) {
      step = await takeStep(step)
      if (step.next === 'retry') search.clock.advance(step.waitSeconds)
    }
  } catch (error) {
    await recordFailure(deps, job, { name: 'Error', cause: String(error) }).catch(() => undefined)
  }
  search.workflow.executions.set(executionName(job), 'ended')
}

describe('every accepted search ends', () => {
  it('whatever one call fails, and whatever its queries come to', async () => {
    const anyBreakage = fc.record({ call: fc.nat(40), isDone: fc.boolean() })
    const anyOutcome = fc.constantFrom(...outcomes)
    await fc.assert(
      fc.asyncProperty(
        anyBreakage,
        anyOutcome,
        anyOutcome,
        fc.boolean(),
        fc.boolean(),
        fc.boolean(),
        async (broken, first, second, isKnown, isOwn, isStarted) => {
          const search = openSearch(isKnown ? [newEntry()] : [])
          const job = runOf(await storeQueued(search))
          search.queries.states.set('query-1', first)
          search.queries.states.set('query-2', second)
          const { refreshes, ...breaking } = sabotage(search, createMemoryForcedRefreshes(), broken)
          const deps = { ...search.deps, ...breaking, ...(isOwn && { refreshes }) }
          if (isStarted) await runWorkflow(search, deps, job)
          for (let sweeps = 0; sweeps < 15; sweeps++) {
            search.clock.advance(3600)
            const known = search.workflow.executions.size
            await sweepSearches({ ...deps, unended: search.jobs, deadlineHours: 12 })
            if (search.workflow.executions.size > known) await runWorkflow(search, deps, job)
          }
          const ended = await search.jobs.read(job)
          expect(ended !== undefined && isTerminal(ended.status)).toBe(true)
          expect(await search.jobs.list(1)).toEqual([])
        },
      ),
      { numRuns: 1000 },
    )
  })
})
