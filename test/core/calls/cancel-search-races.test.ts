import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cancelSearch } from '../../../core/calls/cancel-search.ts'
import { Conflict } from '../../../core/errors.ts'
import type { Jobs } from '../../../core/job/ports.ts'
import type { Queries, QueryState } from '../../../core/search/ports.ts'
import { startQuery } from '../../../core/workflow/start-query.ts'
import { sweepSearches } from '../../../core/workflow/sweep-searches.ts'
import { type OpenSearch, openSearch, race, raceJobs, raceQueries, storeQueued } from '../../builders/open-search.ts'
import { letIn, ownKey } from '../../builders/own-job.ts'
import { runWorkflow } from '../../builders/run-workflow.ts'
import { runOf } from '../../builders/sample-search.ts'

/** Queries that run until they are polled a number of times or stopped, and that report which still run. */
function runQueries({ queries }: OpenSearch, looks: number, end: QueryState) {
  const seen = new Map<string, number>()
  const living: Queries = {
    ...queries,
    look: async (queryId) => {
      const turn = (seen.get(queryId) ?? 0) + 1
      seen.set(queryId, turn)
      if (turn > looks && !queries.states.has(queryId)) queries.states.set(queryId, end)
      return queries.look(queryId)
    },
  }
  return { living, running: () => [...queries.statements.keys()].filter((queryId) => !queries.states.has(queryId)) }
}

/** Counts how often a job is ended. */
function countEnds(jobs: Jobs) {
  const ends: string[] = []
  const counted: Jobs = {
    ...jobs,
    complete: async (...given) => {
      const outcome = await jobs.complete(...given)
      if (outcome === 'written') ends.push('completed')
      return outcome
    },
    fail: async (...given) => {
      const outcome = await jobs.fail(...given)
      if (outcome === 'written') ends.push(given[0].error.replace(/:.*/, ''))
      return outcome
    },
  }
  return { counted, ends }
}

const succeeded: QueryState = { state: 'succeeded', manifest: 'm' }
const brokeDown: QueryState = { state: 'failed', fault: 'transient', reason: 'x' }

/** The outcome of a cancel. */
const outcomeOf = (cancelling: Promise<unknown>) =>
  cancelling.then(
    () => 'cancelled' as const,
    (error) => (error instanceof Conflict ? ('refused' as const) : Promise.reject(error)),
  )

describe('a cancel', () => {
  it('ends the job once and leaves no query running if it races the workflow and the sweeper in any order', async () => {
    const facts = fc.record({
      turns: fc.nat(50),
      canStop: fc.boolean(),
      looks: fc.nat(3),
      end: fc.constantFrom(succeeded, brokeDown),
      isLate: fc.boolean(),
      queryWaitMs: fc.constantFrom(0, 5000),
    })
    const came = new Set<string>()
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        facts,
        async (scheduler, { turns, canStop, looks, end, isLate, queryWaitMs }) => {
          const search = openSearch()
          const job = runOf(await storeQueued(search))
          search.clock.advance(isLate ? 3 * 3600 : 600)
          await search.workflow.start(job)
          const { living, running } = runQueries(search, looks, end)
          const { counted, ends } = countEnds(search.jobs)
          const raced = { jobs: raceJobs(counted, scheduler), queries: raceQueries(living, scheduler) }
          const deps = { ...search.deps, ...raced, queryWaitMs }
          const lookUp = race(scheduler, letIn(search).lookup.lookUp)
          const changeMind = async () => {
            for (let turn = 0; turn < turns; turn++) await scheduler.schedule(Promise.resolve())
            const queries = canStop ? deps.queries : { stop: () => Promise.reject(new Error('Athena is unavailable')) }
            return cancelSearch({ ...deps, ...letIn(search), lookup: { lookUp }, queries }, ownKey, job.jobId)
          }
          const [cancel] = await scheduler.waitFor(
            Promise.all([
              outcomeOf(changeMind()),
              runWorkflow(search, deps, job),
              sweepSearches({ ...deps, unended: search.jobs, limits: { waitingHours: 2, runningHours: 2 } }),
            ]),
          )
          expect(ends).toHaveLength(1)
          expect(ends[0] === 'cancelled').toBe(cancel === 'cancelled')
          expect(running()).toEqual([])
          came.add(`${ends[0]}`)
        },
      ),
      { numRuns: 500 },
    )
    // A race that only one side ever wins would prove nothing.
    expect([...came]).toEqual(expect.arrayContaining(['cancelled', 'completed', 'timeout']))
  })

  it('stops the query of a last step, or that step stops the query it started', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.constantFrom(0, 5000), async (scheduler, queryWaitMs) => {
        const search = openSearch()
        const job = await storeQueued(search)
        const { living, running } = runQueries(search, 1000, succeeded)
        const deps = {
          ...search.deps,
          queryWaitMs,
          jobs: raceJobs(search.jobs, scheduler),
          queries: raceQueries(living, scheduler),
        }
        const lookUp = race(scheduler, letIn(search).lookup.lookUp)
        await scheduler.waitFor(
          Promise.all([
            cancelSearch({ ...deps, ...letIn(search), lookup: { lookUp } }, ownKey, job.jobId),
            startQuery(deps, runOf(job)),
          ]),
        )
        expect(running()).toEqual([])
      }),
      { numRuns: 500 },
    )
  })

  it('gives the same response to concurrent calls', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const search = openSearch()
        const job = await storeQueued(search)
        const deps = { ...search.deps, jobs: raceJobs(search.jobs, scheduler), ...letIn(search) }
        const cancels = [1, 2, 3].map(() => cancelSearch(deps, ownKey, job.jobId))
        const [first, ...others] = await scheduler.waitFor(Promise.all(cancels))
        expect(first).toMatchObject({ status: 'failed', error: expect.stringMatching(/^cancelled: /) })
        for (const other of others) expect(other).toEqual(first)
      }),
    )
  })
})
