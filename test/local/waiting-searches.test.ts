import * as v from 'valibot'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { JobRun } from '../../core/job/job.ts'
import { startQuery } from '../../core/workflow/start-query.ts'
import { sweepSearches } from '../../core/workflow/sweep-searches.ts'
import { type Invoke, readStateMachines } from '../../local/step-functions/state-machine.ts'
import { stepInputSchema } from '../../schema/workflow-step.ts'
import { openSearch, storeQueued } from '../builders/open-search.ts'
import { jobIdOf, runOf } from '../builders/sample-search.ts'
import { connectEndpoints } from '../endpoints/connect.ts'
import { readChanged } from '../templates/test-template.ts'

const { assembly } = connectEndpoints()
const template = readChanged(assembly, (text) => text)
const minute = 60_000
const hour = 60 * minute
const waitingHours = 6

beforeEach(() => void vi.useFakeTimers({ now: new Date('2026-11-20T09:30:00Z') }))
afterEach(() => void vi.useRealTimers())

/** Runs the template's workflow over jobs in memory, with its waits and the sweeper on a clock of the test. */
function openWaiting() {
  const search = openSearch()
  const now = () => new Date()
  search.queries.full = true
  /** When a start was asked for, in milliseconds. */
  const asks: number[] = []
  const deps = {
    ...search.deps,
    now,
    // A sequence as good as random ones, and the same in every run.
    random: () => (asks.length * 0.618_033_988_7) % 1,
    queries: {
      ...search.queries,
      start: (query: Parameters<typeof search.queries.start>[0]) => {
        asks.push(Date.now())
        return search.queries.start(query)
      },
    },
  }
  const invoke: Invoke = async (arn, event) => {
    const input = v.parse(stepInputSchema, event)
    if (!arn.includes('StartQuery')) return { outcome: 'returned', payload: '{"next":"end"}' }
    return { outcome: 'returned', payload: JSON.stringify(await startQuery(deps, input)) }
  }
  const [machine] = readStateMachines(template, invoke)
  const running = new Map<string, Promise<unknown>>()
  const sweep = () => sweepSearches({ ...deps, unended: search.jobs, limits: { waitingHours, runningHours: 2 } })
  const sweeper = setInterval(sweep, minute)
  const begin = async (word: string): Promise<JobRun> => {
    const job = runOf(await storeQueued(search, { jobId: jobIdOf(word), createdAt: now() }))
    running.set(job.jobId, machine?.start(JSON.stringify(job)).result ?? Promise.reject(new Error('no machine')))
    return job
  }
  return { search, asks, running, begin, [Symbol.dispose]: () => clearInterval(sweeper) }
}

describe('a search that Athena has no room for', () => {
  it('asks about 250 times in six hours, from 15 seconds to two minutes apart, and ends with its deadline', async () => {
    using waiting = openWaiting()
    const { search, asks, running, begin } = waiting
    const job = await begin('alone')
    await vi.advanceTimersByTimeAsync(waitingHours * hour - minute)
    expect((await search.jobs.read(job))?.status).toBe('processing')
    await vi.advanceTimersByTimeAsync(2 * minute)
    expect(await search.jobs.read(job)).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/^timeout: The search waited too long/),
    })
    await vi.advanceTimersByTimeAsync(2 * minute)
    await running.get(job.jobId)
    const gaps = asks.slice(1).map((at, index) => (at - (asks[index] ?? 0)) / 1000)
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(15)
    expect(Math.max(...gaps)).toBeLessThanOrEqual(120)
    expect(gaps.slice(5).filter((gap) => gap < 60)).toEqual([])
    expect(asks.length).toBeGreaterThan(225)
    expect(asks.length).toBeLessThan(265)
    // The sweeper never takes a job that waits for an abandoned one.
    expect(search.workflow.starts).toEqual([])
  })

  it('starts within two minutes once Athena has room', async () => {
    using waiting = openWaiting()
    const { search, running, begin } = waiting
    const job = await begin('alone')
    await vi.advanceTimersByTimeAsync(hour)
    search.queries.full = false
    await vi.advanceTimersByTimeAsync(2 * minute)
    await running.get(job.jobId)
    expect(search.queries.statements.size).toBe(1)
  })

  it('asks at another time than the searches that were submitted with it', async () => {
    using waiting = openWaiting()
    const { asks, begin } = waiting
    for (let index = 0; index < 45; index++) await begin(`job ${index}`)
    await vi.advanceTimersByTimeAsync(hour / 2)
    const late = asks.map((at) => Math.floor(at / 1000)).slice(-600)
    const bySecond = Map.groupBy(late, (second) => second).values()
    // Each asks every 90 seconds on average.
    expect(late.length / ((late.at(-1) ?? 0) - (late[0] ?? 0))).toBeCloseTo(45 / 90, 1)
    expect(Math.max(...[...bySecond].map((requests) => requests.length))).toBeLessThan(6)
  })
})
