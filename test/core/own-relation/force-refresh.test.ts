import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { forceRefresh, maxForcedRefreshesADay } from '../../../core/own-relation/force-refresh.ts'
import type { ForcedRefreshes } from '../../../core/own-relation/ports.ts'
import { addSeconds } from '../../../core/time.ts'
import { type StartQuery, startQuery } from '../../../core/workflow/start-query.ts'
import { at } from '../../../schema/at.ts'
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

/** Lets another job force a refresh now. */
const forceBy = (search: OpenSearch, refreshes: ForcedRefreshes) => forceRefresh({ refreshes, now: search.clock.now })

/** Runs steps until one is neither a refresh nor a wait. @param refresh the effect of a forced refresh */
async function takeSteps(search: OpenSearch, deps: StartQuery, word: string, refresh: () => void) {
  const run = runOf(await storeQueued(search, { jobId: jobIdOf(word) }))
  const steps: NextStep[] = []
  for (let step: NextStep | undefined; steps.length < 40; ) {
    step = await startQuery(deps, { ...run, ...(step && { step }) })
    steps.push(step)
    if (step.next === 'refresh') refresh()
    else if (step.next === 'retry') search.clock.advance(step.waitSeconds)
    else break
  }
  return { run, steps, words: steps.map(({ next }) => next) }
}

describe('a job whose fee schedule is missing', () => {
  it('looks the fee schedule up again after a refresh, and continues if it is there', async () => {
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
    await forceBy(search, refreshes)
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
    await forceBy(search, refreshes)
    const run = runOf(await storeQueued(search))
    const first = await startQuery(deps, run)
    search.put(newRelationEntry())
    expect(await startQuery(deps, { ...run, step: first })).toMatchObject({
      next: 'await',
      attempt: 1,
    })
  })

  it('fails without a refresh of its own once another job’s refresh is over', async () => {
    const { search, deps, refreshes } = openMiss()
    await forceBy(search, refreshes)
    search.clock.advance(30)
    const run = runOf(await storeQueued(search))
    const first = await startQuery(deps, run)
    search.clock.advance(31)
    await forceBy(search, refreshes)
    search.clock.advance(29)
    const second = await startQuery(deps, { ...run, step: first })
    search.clock.advance(60)
    expect([first, second]).toMatchObject([
      { next: 'retry', waits: 1 },
      { next: 'retry', waits: 2 },
    ])
    expect(await startQuery(deps, { ...run, step: second })).toEqual({ next: 'end' })
    expect(refreshes.forced).toHaveLength(2)
  })

  it('waits for the next refresh that may be forced if the stage has used up its allowance', async () => {
    const { search, deps, refreshes } = openMiss()
    for (let forced = 0; forced < 5; forced++) {
      await forceBy(search, refreshes)
      search.clock.advance(60)
    }
    const { words } = await takeSteps(search, deps, 'a', () => search.put(newRelationEntry()))
    expect(words).toEqual([...Array.from({ length: 10 }, () => 'retry'), 'refresh', 'await'])
  })

  it('ends, even if other jobs force every refresh', async () => {
    const { search, deps, refreshes } = openMiss()
    const always: StartQuery = { ...deps, refreshes: { ...refreshes, write: async () => 'superseded' } }
    const { words } = await takeSteps(search, always, 'a', () => {})
    expect(words).toEqual([...Array.from({ length: 17 }, () => 'retry'), 'end'])
    expect(refreshes.forced).toEqual([])
  })

  it('fails without a refresh on a stage whose catalogue is written by loads', async () => {
    const { search } = openMiss()
    const { words } = await takeSteps(search, search.deps, 'a', () => {})
    expect(words).toEqual(['end'])
  })

  it('stays as it is if it has been cancelled in the meantime', async () => {
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
  it('start at least a minute apart, and at least one follows the arrival of each job before it fails', async () => {
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
          expect(turn.at - arrived).toBeLessThanOrEqual(17 * 60)
        }
        const forced = refreshes.forced.map((at) => at.getTime())
        for (const [index, at] of forced.entries())
          if (index > 0) expect(at - (forced[index - 1] ?? 0)).toBeGreaterThanOrEqual(60_000)
      }),
    )
  })

  it('number at most 101 within 24 hours, however often clients name missing plans', async () => {
    const day = 86_400
    const anyGaps = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(anyGaps, async (gaps) => {
        const { search, refreshes } = openMiss()
        const end = addSeconds(search.clock.now(), 2 * day)
        for (let turn = 0; search.clock.now() < end; turn++) {
          await forceBy(search, refreshes)
          search.clock.advance(at(gaps, turn % gaps.length))
        }
        for (const [index, time] of refreshes.forced.entries()) {
          const within = refreshes.forced.slice(index).filter((later) => later < addSeconds(time, day))
          expect(within.length).toBeLessThanOrEqual(maxForcedRefreshesADay)
        }
      }),
      { numRuns: 10 },
    )
    expect(maxForcedRefreshesADay).toBe(101)
  })

  it('may follow each other after a minute again once a quiet time has restored the allowance', async () => {
    const { search, refreshes } = openMiss()
    for (const quiet of [0, 5 * 900]) {
      search.clock.advance(quiet)
      for (let forced = 0; forced < 5; forced++) {
        expect(await forceBy(search, refreshes)).toEqual({ next: 'refresh' })
        search.clock.advance(60)
      }
      expect(await forceBy(search, refreshes)).toMatchObject({ next: 'retry' })
    }
  })
})
