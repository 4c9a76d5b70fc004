import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { issueApiKey } from '../../../core/access/api-key.ts'
import { getSearch } from '../../../core/calls/get-search.ts'
import { NotFound } from '../../../core/errors.ts'
import { attemptPrefix } from '../../../core/job/attempt.ts'
import { endOf, executionName, isTerminal, type Job } from '../../../core/job/job.ts'
import { awaitQuery } from '../../../core/workflow/await-query.ts'
import { publishResults, resultLimits } from '../../../core/workflow/publish-results.ts'
import { startQuery } from '../../../core/workflow/start-query.ts'
import { sweepSearches } from '../../../core/workflow/sweep-searches.ts'
import type { NextStep } from '../../../schema/workflow-step.ts'
import { newFooter, openSearch, storeQueued } from '../../builders/open-search.ts'
import { retentionDays, runOf } from '../../builders/sample-search.ts'
import { createMemoryAccess, createMemoryJobLookup, createMemorySigner } from '../../doubles/memory-access.ts'

const day = 86_400
const { stored: key } = issueApiKey('Org123456789')

const anyMove = fc.oneof(
  fc.constantFrom(0, -day, -3600, 3600, 61, 121),
  fc.integer({ min: -day, max: day }),
  // Forward more often than backward, so that retention runs out in some of the runs.
  fc.constant(day),
)

/** A workflow step, a sweep or a poll, each after moving the clock by a number of seconds. */
const anyTurn = fc.record({ does: fc.constantFrom('step', 'step', 'sweep', 'poll', 'poll'), moved: anyMove })

function openMoved() {
  const search = openSearch()
  const access = createMemoryAccess([{ orgId: key.orgId, name: 'Acme', active: true }], [key])
  const lookup = createMemoryJobLookup(access, search.jobs)
  const signer = createMemorySigner(search.clock.now())
  const get = { ...search.deps, access, lookup, signer, publicBaseUrl: 'https://rates.example' }
  return { search, get }
}

type Moved = ReturnType<typeof openMoved>

/** Does what the state machine would do next; an ended execution does nothing more. */
async function takeStep({ search }: Moved, job: ReturnType<typeof runOf>, step: NextStep | undefined) {
  if (step?.next === 'end') return step
  if (step?.next === 'await') return awaitQuery(search.deps, { ...job, step })
  if (step?.next !== 'publish') return startQuery(search.deps, { ...job, ...(step && { step }) })
  const file = `${attemptPrefix(job, step.attempt)}file`
  search.resultFiles.footers.set(file, newFooter(file))
  search.resultFiles.manifests.set('m', [file])
  const makeEmptyShard = () => new Uint8Array(4)
  return publishResults({ ...search.deps, makeEmptyShard, limits: resultLimits }, { ...job, step })
}

/** The job as a client sees it; undefined if nothing is found. */
async function poll({ get }: Moved, jobId: string) {
  return getSearch(get, key, jobId).catch((error: unknown) => {
    if (error instanceof NotFound) return undefined
    throw error
  })
}

describe('clocks that move by up to a day between any two steps', () => {
  it('never end a job twice or hide it early, and the sweeper still ends it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyTurn, { minLength: 5, maxLength: 60, size: 'max' }),
        fc.boolean(),
        async (turns, succeeds) => {
          const moved = openMoved()
          const { search } = moved
          const { clock, jobs, queries, workflow } = search
          const job = runOf(await storeQueued(search, { orgId: key.orgId }))
          workflow.executions.set(executionName(job), 'running')
          if (succeeds)
            for (const id of ['query-1', 'query-2']) queries.states.set(id, { state: 'succeeded', manifest: 'm' })
          let step: NextStep | undefined
          let ended: Job | undefined
          const sweep = () =>
            sweepSearches({ ...search.deps, unended: jobs, limits: { waitingHours: 12, runningHours: 2 } })
          for (const { does, moved: seconds } of turns) {
            clock.advance(seconds)
            if (does === 'step') step = await takeStep(moved, job, step)
            if (does === 'sweep') await sweep()
            const stored = await jobs.read(job)
            if (ended !== undefined) expect(stored).toEqual(ended)
            if (stored !== undefined && isTerminal(stored.status)) ended ??= stored
            if (does !== 'poll') continue
            const answer = await poll(moved, job.jobId)
            const endedAt = stored && endOf(stored)
            const isOver =
              endedAt !== undefined && clock.now().getTime() >= endedAt.getTime() + retentionDays * day * 1000
            expect(answer === undefined).toBe(isOver)
            if (answer?.retryAfter !== undefined) expect([2, 15]).toContain(answer.retryAfter)
          }
          clock.advance(400 * day)
          await sweep()
          const last = await jobs.read(job)
          expect(last !== undefined && isTerminal(last.status)).toBe(true)
          if (ended !== undefined) expect(last).toEqual(ended)
        },
      ),
      { numRuns: 500 },
    )
  })
})
