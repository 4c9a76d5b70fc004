import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isTerminal } from '../../../core/job/job.ts'
import { startQuery } from '../../../core/workflow/start-query.ts'
import { openSearch, raceJobs, raceQueries, storeQueued } from '../../builders/open-search.ts'
import { newEntry, runOf } from '../../builders/sample-search.ts'

describe('workers that race for one job', () => {
  it('start one query with one choice of contents, in any order of their calls', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.constantFrom(0, 5000), async (scheduler, queryWaitMs) => {
        const search = openSearch([newEntry({ contentId: 'old' })])
        const job = await storeQueued(search)
        const { find } = search.catalogue
        const deps = {
          ...search.deps,
          jobs: raceJobs(search.jobs, scheduler),
          queries: raceQueries(search.queries, scheduler),
          catalogue: { ...search.catalogue, find: scheduler.scheduleFunction(find) },
          queryWaitMs,
        }
        const load = scheduler.schedule(Promise.resolve('load')).then(() => {
          search.put(newEntry({ contentId: 'new' }))
        })
        const steps = await scheduler.waitFor(
          Promise.all([startQuery(deps, runOf(job)), startQuery(deps, runOf(job)), load]),
        )
        for (const step of steps.slice(0, 2))
          expect(step).toMatchObject({ next: 'await', queryId: 'query-1', attempt: 1 })
        expect(search.queries.statements.size).toBe(1)
        const stored = await search.jobs.read(job)
        expect(stored).toMatchObject({ status: 'processing', query: { queryId: 'query-1', attempt: 1 } })
      }),
    )
  })

  it('do not fail it if one of them has found the fee schedules that another missed', async () => {
    const search = openSearch([newEntry({ contentId: 'late' })])
    const job = await storeQueued(search)
    const find = async () => {
      await startQuery(search.deps, runOf(job))
      return []
    }
    const late = { ...search.deps, catalogue: { ...search.catalogue, find } }
    expect(await startQuery(late, runOf(job))).toEqual({ next: 'end' })
    expect(await search.jobs.read(job)).toMatchObject({ status: 'processing', contents: ['late'] })
  })

  it('fail it once if its fee schedules are unsupported', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const search = openSearch([])
        const job = await storeQueued(search)
        const deps = { ...search.deps, jobs: raceJobs(search.jobs, scheduler) }
        const steps = await scheduler.waitFor(Promise.all([startQuery(deps, runOf(job)), startQuery(deps, runOf(job))]))
        expect(steps).toEqual([{ next: 'end' }, { next: 'end' }])
        expect(await search.jobs.read(job)).toMatchObject({ status: 'failed' })
      }),
    )
  })

  it('leave no orphaned query if the job fails in the meantime: it is stopped or awaited', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.constantFrom(0, 5000), async (scheduler, queryWaitMs) => {
        const search = openSearch()
        const job = await storeQueued(search)
        const jobs = raceJobs(search.jobs, scheduler)
        const deps = { ...search.deps, queryWaitMs, jobs, queries: raceQueries(search.queries, scheduler) }
        const failedAt = search.clock.now()
        const cancel = jobs.fail({ ...runOf(job), failedAt, error: 'cancelled: by the client' }, failedAt)
        const [step] = await scheduler.waitFor(Promise.all([startQuery(deps, runOf(job)), cancel]))
        const stored = await search.jobs.read(job)
        expect(stored !== undefined && isTerminal(stored.status)).toBe(true)
        const started = [...search.queries.statements.keys()]
        expect(step.next === 'await' || started.every((id) => search.queries.stopped.includes(id))).toBe(true)
      }),
    )
  })
})
