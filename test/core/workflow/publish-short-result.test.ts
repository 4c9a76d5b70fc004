import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { attemptPrefix } from '../../../core/job/attempt.ts'
import type { Footer } from '../../../core/workflow/ports.ts'
import { shortResultLimits } from '../../../core/workflow/publish-short-result.ts'
import { startQuery } from '../../../core/workflow/start-query.ts'
import {
  newFooter,
  openSearch,
  raceJobs,
  readProcessing,
  storeProcessing,
  storeQueued,
} from '../../builders/open-search.ts'
import { createdAt, runOf } from '../../builders/sample-search.ts'

/** A chunk of the column that the sample search asks for first. */
const newChunk = (bytes: number): Footer['chunks'][number] => ({
  column: 'npi',
  bytes,
  read: async () => new Set(['1003000126']),
})

/** A queued search whose query has ended by the first poll, with files of the given facts. */
async function openEnded(files: readonly Partial<Footer>[] = [{}]) {
  const search = openSearch()
  const job = runOf(await storeQueued(search))
  const keys = files.map((_, index) => `${attemptPrefix(job, 1)}file-${index}`)
  search.resultFiles.manifests.set('m', keys)
  for (const [index, key] of keys.entries()) search.resultFiles.footers.set(key, { ...newFooter(key), ...files[index] })
  search.queries.states.set('query-1', { state: 'succeeded', manifest: 'm', bytesScanned: 7 })
  const deps = { ...search.deps, queryWaitMs: 5000 }
  const publish = { next: 'publish', queryId: 'query-1', attempt: 1, manifest: 'm', bytesScanned: 7 }
  return { search, job, keys, deps, publish, start: (changes = {}) => startQuery({ ...deps, ...changes }, job) }
}

describe('a start whose query ends while it waits', () => {
  it('publishes a short result and ends the job', async () => {
    const { search, job, keys, start } = await openEnded([{}, {}])
    expect(await start()).toEqual({ next: 'end' })
    expect(await search.jobs.read(job)).toMatchObject({
      status: 'completed',
      attempt: 1,
      bytesScanned: 7,
      shards: keys.map((key) => ({ key })),
    })
    expect(search.ends).toEqual([{ jobId: job.jobId, word: 'completed' }])
    expect(search.lines.map(({ event }) => event)).toEqual(['query succeeded'])
  })

  it('publishes an empty file if the result has no rows', async () => {
    const { search, job, start } = await openEnded()
    search.queries.states.set('query-1', { state: 'succeeded', manifest: undefined })
    expect(await start()).toEqual({ next: 'end' })
    expect(await search.jobs.read(job)).toMatchObject({ shards: [{ key: `${attemptPrefix(job, 1)}no-rows.parquet` }] })
  })

  it('asks for a further attempt if a file is too large', async () => {
    const { start } = await openEnded([{ bytes: 2_000_000_000 }])
    expect(await start()).toMatchObject({ next: 'retry', attempt: 2, spread: expect.any(Number) })
  })

  it('leaves a result that it cannot publish to publish-results, and logs the cause', async () => {
    const { search, job, publish, start } = await openEnded()
    search.resultFiles.footers.clear()
    expect(await start()).toEqual(publish)
    await readProcessing(search, job)
    expect(search.lines).toMatchObject([
      { event: 'query succeeded', facts: { org_id: job.orgId, job_id: job.jobId, attempt: 1, bytes_scanned: 7 } },
      { event: 'publishing handed over', facts: { job_id: job.jobId, cause: 'Error' } },
    ])
  })

  it('leaves the result to publish-results if the job cannot be completed', async () => {
    const { search, publish, start } = await openEnded()
    const complete = () => Promise.reject(new Error('DynamoDB is away'))
    expect(await start({ jobs: { ...search.jobs, complete } })).toEqual(publish)
    expect(search.ends).toEqual([])
  })

  it('reads the job and its request once, and no file that it wrote itself', async () => {
    const { search, job, start } = await openEnded([])
    const reads: string[] = []
    const note =
      <Arguments extends readonly unknown[], Answer>(name: string, call: (...args: Arguments) => Answer) =>
      (...args: Arguments) => {
        reads.push(name)
        return call(...args)
      }
    const { read, readRequest } = search.jobs
    const jobs = { ...search.jobs, read: note('job', read), readRequest: note('request', readRequest) }
    const readFooter = note('footer', search.resultFiles.readFooter)
    await start({ jobs, resultFiles: { ...search.resultFiles, readFooter } })
    expect(await search.jobs.read(job)).toMatchObject({ status: 'completed' })
    expect(reads).toEqual(['job', 'request'])
  })

  it('leaves the result to publish-results if it is run again, because publishing may have crashed it', async () => {
    const { search, job, publish, start } = await openEnded()
    await search.jobs.begin(job, { contents: ['content-1'] }, createdAt)
    await search.jobs.noteQuery(job, { queryId: 'query-1', attempt: 1 }, createdAt)
    expect(await start()).toEqual(publish)
    expect(search.lines.map(({ event }) => event)).toEqual(['query succeeded'])
  })

  it('publishes the result of a later attempt', async () => {
    const { search, deps } = await openEnded()
    const job = await storeProcessing(search, { jobId: '7c9e6679-7425-40de-944b-e07fc1f90ae7' })
    const key = `${attemptPrefix(job, 2)}file`
    search.resultFiles.manifests.set('m', [key])
    search.resultFiles.footers.set(key, newFooter(key))
    const step = { next: 'retry', attempt: 2, failures: 1, waitSeconds: 5 } as const
    expect(await startQuery(deps, { ...job, step })).toEqual({ next: 'end' })
    expect(await search.jobs.read(job)).toMatchObject({ status: 'completed', attempt: 2 })
  })

  it('changes nothing if the job was cancelled meanwhile', async () => {
    const { search, job, deps, start } = await openEnded()
    const sleep = async () => {
      await search.jobs.fail({ ...job, failedAt: createdAt, error: 'cancelled: by the client' }, createdAt)
    }
    expect(await start({ ...deps, sleep })).toEqual({ next: 'end' })
    expect(await search.jobs.read(job)).toMatchObject({ status: 'failed', error: 'cancelled: by the client' })
    expect(search.ends).toEqual([])
  })

  it('completes the job once if two starts publish it, in any order of their calls', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const { search, job, keys, start } = await openEnded([{}, {}])
        const jobs = raceJobs(search.jobs, scheduler)
        const steps = await scheduler.waitFor(Promise.all([start({ jobs }), start({ jobs })]))
        expect(steps).toContainEqual({ next: 'end' })
        expect(await search.jobs.read(job)).toMatchObject({ status: 'completed', shards: keys.map((key) => ({ key })) })
        expect(search.ends).toHaveLength(1)
        expect(search.queries.statements.size).toBe(1)
      }),
      { numRuns: 50 },
    )
  })
})

describe('a start with little memory', () => {
  const { files, valueBytes } = shortResultLimits

  it('leaves a result with more files than a short one to publish-results', async () => {
    const most = await openEnded(Array.from({ length: files }, () => ({})))
    expect(await most.start()).toEqual({ next: 'end' })
    const more = await openEnded(Array.from({ length: files + 1 }, () => ({})))
    expect(await more.start()).toEqual(more.publish)
    expect(more.search.lines).toMatchObject([{ event: 'query succeeded' }, { facts: { cause: 'NotShort' } }])
  })

  it('leaves a result with more bytes of values than a short one to publish-results', async () => {
    const half = valueBytes / 2
    const most = await openEnded([half, half].map((bytes) => ({ chunks: [newChunk(bytes)] })))
    expect(await most.start()).toEqual({ next: 'end' })
    const more = await openEnded([half, half + 1].map((bytes) => ({ chunks: [newChunk(bytes)] })))
    expect(await more.start()).toEqual(more.publish)
    expect(more.search.lines).toMatchObject([{ event: 'query succeeded' }, { facts: { cause: 'NotShort' } }])
  })
})
