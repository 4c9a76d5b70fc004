import { describe, expect, it } from 'vitest'
import { attemptPrefix } from '../../../core/job/attempt.ts'
import { awaitQuery } from '../../../core/workflow/await-query.ts'
import { publishResults, resultLimits } from '../../../core/workflow/publish-results.ts'
import { startQuery } from '../../../core/workflow/start-query.ts'
import { newFooter, openSearch, storeProcessing } from '../../builders/open-search.ts'

const limits = { ...resultLimits, shardBytes: 1000, resultBytes: 1500, shards: 10 }
const checksum = { algorithm: 'CRC32', type: 'FULL_OBJECT', value: 'DUoRhQ==' } as const

/** A job whose first query runs. */
async function openAttempt() {
  const search = openSearch()
  const run = await storeProcessing(search)
  await search.queries.start({ statement: 'SELECT 1', token: 'token' })
  const watch = (attempt = 1) => {
    const step = { next: 'await', queryId: 'query-1', attempt, waitMs: 250 } as const
    return awaitQuery(search.deps, { ...run, step })
  }
  /** Publishes the files of the first attempt. */
  const publish = (sizes: readonly number[]) => {
    const keys = sizes.map((_, index) => `${attemptPrefix(run, 1)}${index}`)
    for (const [index, key] of keys.entries())
      search.resultFiles.footers.set(key, { ...newFooter(key, sizes[index]), ...(index === 0 && { checksum }) })
    search.resultFiles.manifests.set('m', keys)
    const step = { next: 'publish', queryId: 'query-1', attempt: 1, manifest: 'm', bytesScanned: 77 } as const
    return publishResults({ ...search.deps, makeEmptyShard: () => new Uint8Array(4), limits }, { ...run, step })
  }
  const readEnded = () => search.jobs.readRecorded(run)?.endedAttempts
  return { ...search, search, run, watch, publish, readEnded }
}

describe('an attempt whose query fails', () => {
  it.each(['transient', 'throttled', 'files-removed', 'leftovers', 'exhausted', 'permanent', 'data-limit'] as const)(
    'counts the bytes that it read, with the fault %s',
    async (fault) => {
      const open = await openAttempt()
      open.queries.states.set('query-1', { state: 'failed', fault, reason: 'x', bytesScanned: 42 })
      await open.watch()
      expect(open.readEnded()).toEqual([{ attempt: 1, outcome: 'failed', bytesScanned: 42 }])
    },
  )

  it('leaves the bytes unknown if Athena does not report them', async () => {
    const open = await openAttempt()
    open.queries.states.set('query-1', { state: 'failed', fault: 'transient', reason: 'x' })
    await open.watch()
    expect(open.readEnded()).toEqual([{ attempt: 1, outcome: 'failed' }])
  })

  it('counts once, even if the step is repeated or another attempt follows', async () => {
    const open = await openAttempt()
    open.queries.states.set('query-1', { state: 'failed', fault: 'transient', reason: 'x' })
    for (const attempt of [1, 1, 2, 1]) await open.watch(attempt)
    expect(open.readEnded()).toEqual([
      { attempt: 1, outcome: 'failed' },
      { attempt: 2, outcome: 'failed' },
    ])
  })
})

describe('an attempt whose query succeeds', () => {
  it('hands the bytes that it read to the step that publishes it', async () => {
    const open = await openAttempt()
    open.queries.states.set('query-1', { state: 'succeeded', manifest: 'm', bytesScanned: 42 })
    const step = { next: 'publish', queryId: 'query-1', attempt: 1, manifest: 'm', bytesScanned: 42 }
    expect(await open.watch()).toStrictEqual(step)
    expect(open.readEnded()).toEqual([])
  })

  it('completes the job with the bytes that it read, and the checksums that its files have', async () => {
    const open = await openAttempt()
    await open.publish([500, 300])
    const job = await open.jobs.read(open.run)
    expect(job).toMatchObject({ status: 'completed', bytesScanned: 77, shards: [{ checksum }, { bytes: 300 }] })
    expect(job?.status === 'completed' && job.shards[1]).not.toHaveProperty('checksum')
    expect(open.readEnded()).toEqual([])
  })

  it.each([
    ['is retried because a file is too large', [1200], 'retry'],
    ['fails its job because the result is too large', [900, 900], 'end'],
  ])('stays in the history if it %s', async (_, sizes, next) => {
    const open = await openAttempt()
    expect(await open.publish(sizes)).toMatchObject({ next })
    expect(open.readEnded()).toEqual([{ attempt: 1, outcome: 'succeeded', bytesScanned: 77 }])
  })
})

describe('a query that Athena has no capacity for', () => {
  it('does not count as an attempt', async () => {
    const search = openSearch()
    const run = await storeProcessing(search)
    search.queries.full = true
    expect(await startQuery(search.deps, run)).toMatchObject({ next: 'retry', attempt: 1 })
    expect(search.jobs.readRecorded(run)?.endedAttempts).toEqual([])
  })
})
