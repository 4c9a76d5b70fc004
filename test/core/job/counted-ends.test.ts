import { describe, expect, it } from 'vitest'
import { cancelSearch } from '../../../core/calls/cancel-search.ts'
import { attemptPrefix } from '../../../core/job/attempt.ts'
import type { JobRun } from '../../../core/job/job.ts'
import { awaitQuery } from '../../../core/workflow/await-query.ts'
import { publishResults, resultLimits } from '../../../core/workflow/publish-results.ts'
import { recordFailure } from '../../../core/workflow/record-failure.ts'
import { startQuery } from '../../../core/workflow/start-query.ts'
import { sweepSearches } from '../../../core/workflow/sweep-searches.ts'
import { newFooter, type OpenSearch, openSearch, storeProcessing, storeQueued } from '../../builders/open-search.ts'
import { letIn, ownKey } from '../../builders/own-job.ts'
import { runOf } from '../../builders/sample-search.ts'

/** Publishes a result of one file. */
function publish(search: OpenSearch, job: JobRun) {
  const key = `${attemptPrefix(job, 1)}file`
  search.resultFiles.footers.set(key, newFooter(key))
  search.resultFiles.manifests.set('m', [key])
  const deps = { ...search.deps, makeEmptyShard: () => new Uint8Array(4), limits: resultLimits }
  return publishResults(deps, {
    ...job,
    step: { next: 'publish', queryId: 'query-1', attempt: 1, manifest: 'm' },
  })
}

const awaitFailed = (search: OpenSearch, job: JobRun, fault: 'permanent' | 'exhausted') => {
  search.queries.states.set('query-1', { state: 'failed', fault, reason: 'x' })
  const step = { next: 'await', queryId: 'query-1', attempt: 2, joinOrder: 'other', waitMs: 250 } as const
  return awaitQuery(search.deps, { ...job, step })
}

const sweepLate = (search: OpenSearch) => {
  search.clock.advance(7 * 3600)
  return sweepSearches({ ...search.deps, unended: search.jobs, limits: { waitingHours: 6, runningHours: 6 } })
}

const breakDown = (search: OpenSearch, job: JobRun) => recordFailure(search.deps, job, { name: 'x', cause: 'x' })

const cancel = (search: OpenSearch, job: JobRun) =>
  cancelSearch({ ...search.deps, ...letIn(search) }, ownKey, job.jobId)

describe('a search that ends', () => {
  it.each([
    ['completed', publish],
    ['internal', breakDown],
    ['internal', (search: OpenSearch, job: JobRun) => awaitFailed(search, job, 'permanent')],
    ['too_broad', (search: OpenSearch, job: JobRun) => awaitFailed(search, job, 'exhausted')],
    ['timeout', sweepLate],
    ['cancelled', cancel],
  ] as const)('counts once, under the word %s', async (word, endSearch) => {
    const search = openSearch()
    const job = await storeProcessing(search)
    await endSearch(search, job)
    expect(search.ends).toEqual([{ jobId: job.jobId, word }])
    await endSearch(search, job)
    await breakDown(search, job)
    await publish(search, job)
    await awaitFailed(search, job, 'permanent')
    await sweepLate(search)
    expect(search.ends.length).toBe(1)
  })

  it('before it has a query is counted by the step that fails it', async () => {
    const search = openSearch([])
    const job = await storeQueued(search)
    await startQuery(search.deps, runOf(job))
    expect(search.ends).toEqual([{ jobId: job.jobId, word: 'unsupported_fee_schedule' }])
  })
})
