import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type StartQuery, startQuery } from '../../../core/workflow/start-query.ts'
import type { NextStep } from '../../../schema/workflow-step.ts'
import { type OpenSearch, openSearch, readError, readProcessing, storeQueued } from '../../builders/open-search.ts'
import { jobIdOf, newRelationEntry, runOf } from '../../builders/sample-search.ts'
import { createMemoryForcedRefreshes } from '../../doubles/memory-forced-refreshes.ts'

function openMiss() {
  const search = openSearch([])
  const refreshes = createMemoryForcedRefreshes()
  const deps: StartQuery = { ...search.deps, refreshes, columns: ['payer', 'plan'] }
  return { search, refreshes, deps }
}

/** Runs steps until one is neither a refresh nor a wait; `refresh` is what a forced refresh does. */
async function takeSteps(search: OpenSearch, deps: StartQuery, word: string, refresh: () => void) {
  const run = runOf(await storeQueued(search, { jobId: jobIdOf(word) }))
  const steps: NextStep[] = []
  for (let step: NextStep | undefined; steps.length < 20; ) {
    step = await startQuery(deps, { ...run, ...(step && { step }) })
    steps.push(step)
    if (step.next === 'refresh') refresh()
    else if (step.next === 'retry') search.clock.advance(step.waitSeconds)
    else break
  }
  return { run, steps, words: steps.map(({ next }) => next) }
}

describe('a job whose fee schedule is missing', () => {
  it('gets looked up again after a refresh, and continues like any other', async () => {
    const { search, deps } = openMiss()
    const { run, steps } = await takeSteps(search, deps, 'a', () => search.put(newRelationEntry()))
    expect(steps).toEqual([{ next: 'refresh' }, { next: 'await', queryId: 'query-1', attempt: 1, waitMs: 250 }])
    expect(await readProcessing(search, run)).toMatchObject({ contents: [] })
  })

  it('fails after one refresh, with any outcome', async () => {
    const { search, deps } = openMiss()
    const { run, words } = await takeSteps(search, deps, 'a', () => {})
    expect(words).toEqual(['refresh', 'end'])
    expect(await readError(search, run)).toMatch(/^unsupported_fee_schedule: /)
  })

  it('stays processing and active while it waits', async () => {
    const { search, deps } = openMiss()
    const job = await storeQueued(search)
    expect(await startQuery(deps, runOf(job))).toEqual({ next: 'refresh' })
    expect((await readProcessing(search, job)).contents).toBeUndefined()
    expect(search.jobs.touchedAt(job)).toEqual(search.clock.now())
  })

  it('waits a minute if another job has just forced a refresh, then forces one itself', async () => {
    const { search, deps, refreshes } = openMiss()
    await refreshes.claim(search.clock.now(), search.clock.now())
    search.clock.advance(1)
    const { steps } = await takeSteps(search, deps, 'a', () => {})
    expect(steps).toEqual([
      { next: 'retry', attempt: 1, waits: 1, waitSeconds: 60 },
      { next: 'refresh' },
      { next: 'end' },
    ])
  })

  it('finds what another job’s refresh has added', async () => {
    const { search, deps, refreshes } = openMiss()
    await refreshes.claim(search.clock.now(), search.clock.now())
    const run = runOf(await storeQueued(search))
    const first = await startQuery(deps, run)
    search.put(newRelationEntry())
    expect(await startQuery(deps, { ...run, step: first })).toMatchObject({
      next: 'await',
      attempt: 1,
    })
  })

  it('ends after two waits, even if other jobs force every refresh', async () => {
    const { search, deps, refreshes } = openMiss()
    const always: StartQuery = { ...deps, refreshes: { claim: async () => 'superseded' } }
    const { words } = await takeSteps(search, always, 'a', () => {})
    expect(words).toEqual(['retry', 'retry', 'end'])
    expect(refreshes.forced).toEqual([])
  })

  it('fails at once if loads fill the catalogue', async () => {
    const { search } = openMiss()
    const { words } = await takeSteps(search, search.deps, 'a', () => {})
    expect(words).toEqual(['end'])
  })

  it('does not change if it has ended in the meantime', async () => {
    const { search, deps, refreshes } = openMiss()
    const job = await storeQueued(search)
    const begin: StartQuery['jobs']['begin'] = async () => {
      const failedAt = search.clock.now()
      await search.jobs.fail({ ...job, failedAt, error: 'cancelled: by the client' }, failedAt)
      return 'superseded'
    }
    const step = await startQuery({ ...deps, jobs: { ...search.jobs, begin } }, runOf(job))
    expect(step).toEqual({ next: 'end' })
    expect(refreshes.forced).toEqual([])
  })
})

describe('forced refreshes', () => {
  it('start at least a minute apart, and every job that misses ends only after a refresh that started later', async () => {
    const anyArrivals = fc.array(fc.integer({ min: 0, max: 90 }), { minLength: 1, maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(anyArrivals, async (gaps) => {
        const { search, deps, refreshes } = openMiss()
        const start = search.clock.now().getTime()
        const seconds = () => (search.clock.now().getTime() - start) / 1000
        const turns: { at: number; run: ReturnType<typeof runOf>; step?: NextStep; arrived: number }[] = []
        let arrival = 0
        for (const [index, gap] of gaps.entries()) {
          arrival += gap
          const run = runOf(await storeQueued(search, { jobId: jobIdOf(String(index)) }))
          turns.push({ at: arrival, run, arrived: arrival })
        }
        for (let turn = turns.shift(); turn !== undefined; turn = turns.sort((a, b) => a.at - b.at).shift()) {
          search.clock.advance(turn.at - seconds())
          const { run, step, arrived } = turn
          const next = await startQuery(deps, { ...run, ...(step && { step }) })
          if (next.next === 'retry') turns.push({ ...turn, at: turn.at + next.waitSeconds, step: next })
          if (next.next === 'refresh') turns.push({ ...turn, step: next })
          if (next.next !== 'end') continue
          const forced = refreshes.forced.map((at) => (at.getTime() - start) / 1000)
          expect(forced.some((at) => at >= arrived && at <= turn.at)).toBe(true)
          expect(turn.at - arrived).toBeLessThanOrEqual(120)
        }
        const forced = refreshes.forced.map((at) => at.getTime())
        for (const [index, at] of forced.entries())
          if (index > 0) expect(at - (forced[index - 1] ?? 0)).toBeGreaterThanOrEqual(60_000)
      }),
    )
  })
})
