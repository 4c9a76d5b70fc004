import { describe, expect, it } from 'vitest'
import { describeFailure, internalFailure } from '../../../core/failure.ts'
import { recordFailure } from '../../../core/workflow/record-failure.ts'
import { openSearch, readError, storeProcessing, storeQueued } from '../../builders/open-search.ts'
import { createdAt, runOf } from '../../builders/sample-search.ts'
import { wideLimits } from '../../doubles/memory-usages.ts'

const error = { name: 'TypeError', cause: 'undefined is not a function' }

describe('a workflow that broke', () => {
  it('fails its job with a fixed sentence and logs the error', async () => {
    const search = openSearch()
    const job = await storeQueued(search)
    await recordFailure(search.deps, runOf(job), error)
    expect(await readError(search, job)).toBe(describeFailure(internalFailure))
    const facts = { job_id: job.jobId, error: error.name, cause: error.cause }
    expect(search.lines).toEqual([{ event: 'workflow broke', facts }])
  })

  it('stops the query of its job, however often it is reported', async () => {
    const search = openSearch()
    const job = await storeProcessing(search)
    await recordFailure(search.deps, job, error)
    expect(search.queries.stopped).toEqual(['query-1'])
    await recordFailure(search.deps, job, error)
    expect(search.queries.stopped).toEqual(['query-1', 'query-1'])
  })

  it('leaves the query of the next run of its id alone', async () => {
    const search = openSearch()
    const job = await storeProcessing(search)
    await recordFailure(search.deps, { ...job, run: 'an earlier one' }, error)
    expect(search.queries.stopped).toEqual([])
    await search.jobs.fail({ ...job, failedAt: createdAt, error: 'timeout: x' }, createdAt)
    await recordFailure(search.deps, { ...job, run: 'an earlier one' }, error)
    expect(search.queries.stopped).toEqual([])
  })

  it('never fails a later run of its job id', async () => {
    const search = openSearch()
    const job = await storeProcessing(search, { run: 'run2' })
    await search.usages.take({ ...job, at: createdAt, limits: wideLimits }, await search.usages.read(job.orgId))
    const before = await search.jobs.read(job)
    await recordFailure(search.deps, { ...job, run: 'run1' }, error)
    expect(await search.jobs.read(job)).toEqual(before)
    expect([...(await search.usages.read(job.orgId)).slots.keys()]).toEqual([job.jobId])
    expect([search.ends, search.announcements.made]).toEqual([[], []])
  })

  it('logs the error even if its job does not exist', async () => {
    const search = openSearch()
    const job = await storeQueued(search)
    await recordFailure(search.deps, { ...runOf(job), jobId: 'gone' }, error)
    expect(search.lines.map(({ event }) => event)).toEqual(['workflow broke'])
  })

  it('does not change an ended job', async () => {
    const search = openSearch()
    const job = await storeProcessing(search)
    await search.jobs.fail({ ...job, failedAt: createdAt, error: 'timeout: x' }, createdAt)
    await recordFailure(search.deps, job, error)
    expect(await readError(search, job)).toBe('timeout: x')
  })
})
