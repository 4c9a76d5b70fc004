import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { attemptPrefix } from '../../../core/job/attempt.ts'
import type { JobRun } from '../../../core/job/job.ts'
import { retainUntil } from '../../../core/job/retention.ts'
import { adviseNarrowing } from '../../../core/search/filter-words.ts'
import type { SearchRequest } from '../../../core/search/search-request.ts'
import { listWithoutRows } from '../../../core/search/without-rows.ts'
import { publishResults, resultLimits } from '../../../core/workflow/publish-results.ts'
import { ratesColumns } from '../../../schema/columns/rates.ts'
import { columnsKeyOf, shardSchema } from '../../../schema/columns/shard-schema.ts'
import { resultColumns } from '../../../schema/summary/result-columns.ts'
import {
  newFooter,
  openSearch,
  raceJobs,
  readError,
  readProcessing,
  storeProcessing,
} from '../../builders/open-search.ts'
import { createdAt, newJob, request } from '../../builders/sample-search.ts'

const emptyShard = new Uint8Array([80, 65, 82, 49])
const inputOf = (job: JobRun, manifest: 'm' | 'none' = 'm', attempt = 1) => ({
  ...job,
  step: { next: 'publish', queryId: 'query-1', attempt, ...(manifest === 'm' && { manifest }) } as const,
})

/** A job whose query has written files of the given sizes. */
async function openResult(sizes: readonly number[], limits = resultLimits) {
  const search = openSearch()
  const job = await storeProcessing(search)
  const keys = sizes.map((_, index) => `${attemptPrefix(job, 1)}file-${index}`)
  search.resultFiles.manifests.set('m', keys)
  for (const [index, key] of keys.entries()) search.resultFiles.footers.set(key, newFooter(key, sizes[index], index))
  const deps = { ...search.deps, makeEmptyShard: () => emptyShard, limits }
  return { ...search, search, job, keys, deps, publish: () => publishResults(deps, inputOf(job)) }
}

describe('the files of a result', () => {
  it("complete the job in the manifest's order, with rows and bytes from their footers", async () => {
    const result = await openResult([500, 300])
    result.clock.advance(60)
    expect(await result.publish()).toEqual({ next: 'end' })
    const { orgId, jobId, run, requestHash } = newJob()
    expect(await result.jobs.read(result.job)).toStrictEqual({
      orgId,
      jobId,
      run,
      createdAt,
      requestHash,
      status: 'completed',
      completedAt: result.clock.now(),
      attempt: 1,
      columnsKey: columnsKeyOf(ratesColumns),
      shards: [
        { key: result.keys[0], bytes: 500, rows: 0 },
        { key: result.keys[1], bytes: 300, rows: 1 },
      ],
    })
    expect(result.jobs.expiries.get(jobId)).toEqual(retainUntil(result.clock.now(), 7))
    expect(result.resultFiles.written.size).toBe(0)
  })

  it('come only from the manifest, even if others have the same prefix', async () => {
    const result = await openResult([500])
    const stray = `${attemptPrefix(result.job, 1)}stray`
    result.resultFiles.footers.set(stray, newFooter(stray))
    await result.publish()
    expect(await result.jobs.read(result.job)).toMatchObject({ shards: [{ key: result.keys[0] }] })
  })

  it('get read all, a few at a time', async () => {
    const result = await openResult(Array.from({ length: 45 }, () => 1))
    const { readFooter } = result.resultFiles
    let open = 0
    let most = 0
    result.resultFiles.readFooter = async (key) => {
      open += 1
      most = Math.max(most, open)
      const footer = await readFooter(key)
      open -= 1
      return footer
    }
    await result.publish()
    expect(most).toBeLessThanOrEqual(20)
    const job = await result.jobs.read(result.job)
    expect(job?.status === 'completed' && job.shards.map(({ key }) => key)).toEqual(result.keys)
  })
})

describe('the result of a search with columns and a limit', () => {
  /** A result of three rows in two files, for a limit of three; a query with more rows has written one more file. */
  async function openLimited(parts: Pick<SearchRequest, 'columns' | 'limit' | 'summary'>, hasMore: boolean) {
    const search = openSearch()
    const job = newJob()
    await search.jobs.create(job, { ...request, ...parts }, new Date())
    await search.jobs.begin(job, { contents: [] }, createdAt)
    const prefix = attemptPrefix(job, 1)
    const keys = [`${prefix}shard=0/a`, `${prefix}shard=0/b`]
    const excess = `${prefix}shard=-1/c`
    search.resultFiles.manifests.set('m', hasMore ? [excess, ...keys] : keys)
    const schema = shardSchema(resultColumns(parts))
    for (const [index, key] of keys.entries())
      search.resultFiles.footers.set(key, { ...newFooter(key, 100, index + 1), schema })
    const deps = { ...search.deps, makeEmptyShard: () => emptyShard, limits: resultLimits }
    return { keys, publish: () => publishResults(deps, inputOf(job)), read: () => search.jobs.read(job) }
  }

  it.each([
    ['claims every row if the query found no more', false],
    ['counts as truncated if the query wrote a row beyond the limit, whose file is not part of it', true],
  ])('%s', async (_, hasMore) => {
    const result = await openLimited({ limit: 3 }, hasMore)
    await result.publish()
    const job = await result.read()
    expect(job).toMatchObject({ status: 'completed', truncated: hasMore })
    expect(job?.status === 'completed' && job.shards.map(({ key }) => key)).toEqual(result.keys)
  })

  it.each([false, true])(
    'counts as truncated for a summary of first rows exactly if the query wrote a row beyond them: %s',
    async (hasMore) => {
      const summary = { weight: 'tins', by: ['tin'], first: { order: 'highest', limit: 2 } } as const
      const result = await openLimited({ summary }, hasMore)
      await result.publish()
      expect(await result.read()).toMatchObject({ status: 'completed', truncated: hasMore })
    },
  )

  it('consists of the columns that the search asked for, and no others', async () => {
    const columns = ['plan', 'negotiated_rate'] as const
    const result = await openLimited({ columns }, false)
    await result.publish()
    expect(await result.read()).toMatchObject({ columnsKey: columnsKeyOf(resultColumns({ columns })) })
    expect(await result.read()).not.toHaveProperty('truncated')
  })

  it.each([
    ['more rows than the limit', { limit: 2 }, false],
    ['a row beyond the limit and too few others', { limit: 4 }, true],
    ['a row beyond a limit that it does not have', {}, true],
  ])('never gets published with %s', async (_, parts, hasMore) => {
    const result = await openLimited(parts, hasMore)
    await expect(result.publish()).rejects.toMatchObject({ name: 'UnfitResult' })
  })

  it('does not say which values have no rows if it is truncated', async () => {
    const result = await openLimited({ limit: 3 }, true)
    await result.publish()
    expect(await result.read()).not.toHaveProperty('withoutRows')
  })
})

describe('the values without rows', () => {
  const billingCodes = request.billingCodes ?? []
  const npis = (request.npis ?? []).map(String)
  /** Parts of the columns that the request filters by, in each of two files, with these values. */
  async function publishValues(
    columns: Readonly<Record<string, readonly (readonly string[] | undefined)[]>>,
    bytes = 10,
  ) {
    const result = await openResult([500, 300], { ...resultLimits, valueBytes: 100 })
    for (const [index, key] of result.keys.entries()) {
      const chunks = Object.entries(columns).map(([column, values]) => ({
        column,
        bytes,
        read: async () => values[index] && new Set(values[index]),
      }))
      result.resultFiles.footers.set(key, { ...newFooter(key), chunks })
    }
    await result.publish()
    const job = await result.jobs.read(result.job)
    const bits = job?.status === 'completed' ? job.withoutRows : undefined
    return bits && listWithoutRows(request, bits)
  }

  it('equal those that no file has', async () => {
    expect(await publishValues({ npi: [npis, npis], billing_code: [billingCodes, billingCodes] })).toEqual({
      npis: [],
      billingCodes: [],
    })
  })

  it('stay unknown if a file with rows does not list them all', async () => {
    for (const columns of [
      { npi: [npis, undefined], billing_code: [billingCodes, billingCodes] },
      { npi: [npis, []], billing_code: [billingCodes, billingCodes] },
      { npi: [npis, npis] },
      { npi: [npis, npis], billing_code: [['other'], billingCodes] },
    ])
      expect(await publishValues(columns)).toBeUndefined()
  })

  it('stay unknown if reading them would take too many bytes', async () => {
    const columns = { npi: [npis, npis], billing_code: [billingCodes, billingCodes] }
    expect(await publishValues(columns, 25)).toBeDefined()
    expect(await publishValues(columns, 26)).toBeUndefined()
  })

  it('include all of them if the result has no rows', async () => {
    const result = await openResult([])
    result.resultFiles.write = async (key) => newFooter(key, 4, 0)
    await publishResults(result.deps, inputOf(result.job, 'none'))
    const job = await result.jobs.read(result.job)
    const bits = job?.status === 'completed' ? job.withoutRows : undefined
    expect(listWithoutRows(request, bits ?? new Uint8Array())).toEqual({ npis: request.npis, billingCodes })
  })
})

describe('a result without rows', () => {
  it.each(['m', 'none'] as const)('gets one shard of no rows, below its attempt (manifest: %s)', async (manifest) => {
    const result = await openResult([])
    await publishResults(result.deps, inputOf(result.job, manifest))
    const key = `${attemptPrefix(result.job, 1)}no-rows.parquet`
    expect([...result.resultFiles.written]).toEqual([[key, emptyShard]])
    expect(await result.jobs.read(result.job)).toMatchObject({
      status: 'completed',
      shards: [{ key, bytes: emptyShard.byteLength }],
    })
  })
})

describe('an unexpected result', () => {
  it.each([
    ['another attempt', (job: JobRun) => `${attemptPrefix(job, 10)}file`],
    ['another run', (job: JobRun) => `${attemptPrefix({ ...job, run: 'run2' }, 1)}file`],
    ['another organization', (job: JobRun) => `${attemptPrefix({ ...job, orgId: 'BBBBBBBBBBBB' }, 1)}file`],
    ['another prefix', () => 'unrelated/file'],
  ])('never gets published if it lists a file of %s', async (_, keyOf) => {
    const result = await openResult([500])
    const stranger = keyOf(result.job)
    result.resultFiles.footers.set(stranger, newFooter(stranger))
    result.resultFiles.manifests.set('m', [...result.keys, stranger])
    await expect(result.publish()).rejects.toMatchObject({
      name: 'UnfitResult',
      message: 'the manifest lists a file outside its attempt',
    })
    expect((await readProcessing(result.search, result.job)).status).toBe('processing')
  })

  it('causes a failure if a shard has another schema', async () => {
    const result = await openResult([500, 400])
    const key = result.keys[1] ?? ''
    result.resultFiles.footers.set(key, { ...newFooter(key), schema: shardSchema(ratesColumns).slice(1) })
    await expect(result.publish()).rejects.toThrow(
      `the schema of ${key} differs: ${ratesColumns.length - 1} columns instead of ${ratesColumns.length}`,
    )
    expect((await readProcessing(result.search, result.job)).status).toBe('processing')
  })
})

describe('the size limit of results', () => {
  const limits = { ...resultLimits, shardBytes: 1000, resultBytes: 5000, shards: 10 }

  it.each([
    ['at every limit', [1000, 1000, 1000, 1000, 1000]],
    ['with the maximum number of files', Array.from({ length: 10 }, () => 1)],
  ])('accepts a result %s', async (_, sizes) => {
    const result = await openResult(sizes, limits)
    await result.publish()
    expect(await result.jobs.read(result.job)).toMatchObject({ status: 'completed' })
  })

  it.each([
    ['the size of all files', [1000, 1000, 1000, 1000, 1000, 1], '5001 bytes; the limit is 5000'],
    ['the number of files', Array.from({ length: 11 }, () => 1), 'more than 10 files'],
  ])('fails a job that exceeds it by %s, with a message that says so', async (_, sizes, excess) => {
    const result = await openResult(sizes, limits)
    expect(await result.publish()).toEqual({ next: 'end' })
    const sentence = `The result has ${excess}. ${adviseNarrowing(request)}`
    expect(await readError(result.search, result.job)).toBe(`result_too_large: ${sentence}`)
  })

  it.each([
    ['over as many partitions as make files of half the size', [1001, 499], undefined, 3],
    ['over twice as many if that was not enough', [1001, 499], 3, 6],
    ['over at most a hundred', [1001], 60, 100],
  ])('writes a result with one oversized file again, spread %s', async (_, sizes, spread, wider) => {
    const result = await openResult(sizes, limits)
    const { step, ...run } = inputOf(result.job)
    const input = { ...run, step: { ...step, ...(spread && { spread }) } }
    const retry = { next: 'retry', attempt: 2, spread: wider, waitSeconds: 0 }
    expect(await publishResults(result.deps, input)).toEqual(retry)
    expect((await readProcessing(result.search, result.job)).status).toBe('processing')
  })

  it('keeps the other order of joins when it writes a result again', async () => {
    const result = await openResult([1001], limits)
    const { step, ...run } = inputOf(result.job)
    const retry = { next: 'retry', attempt: 2, spread: 3, joinOrder: 'other', waitSeconds: 0 }
    expect(await publishResults(result.deps, { ...run, step: { ...step, joinOrder: 'other' } })).toEqual(retry)
  })

  it('fails a job whose files are oversized even with the maximum spread', async () => {
    const result = await openResult([1001], limits)
    const { step, ...run } = inputOf(result.job)
    expect(await publishResults(result.deps, { ...run, step: { ...step, spread: 100 } })).toEqual({ next: 'end' })
    expect(await readError(result.search, result.job)).toContain('a file of 1001 bytes; the limit is 1000')
  })

  it('allows a thousand files, and 1 GB per shard', async () => {
    const files = await openResult(Array.from({ length: 1001 }, () => 1))
    await files.publish()
    expect(await readError(files.search, files.job)).toContain('more than 1000 files')
    const shard = await openResult([1_000_000_001])
    expect(await shard.publish()).toMatchObject({ next: 'retry', spread: 3 })
  })
})

describe('publishing a job', () => {
  it('changes nothing if it has failed, has another run, or no longer exists', async () => {
    const result = await openResult([500])
    expect(await publishResults(result.deps, inputOf({ ...result.job, run: 'run2' }))).toEqual({ next: 'end' })
    expect(await publishResults(result.deps, inputOf({ ...result.job, jobId: 'unknown' }))).toEqual({ next: 'end' })
    expect((await readProcessing(result.search, result.job)).status).toBe('processing')
    await result.jobs.fail({ ...result.job, failedAt: createdAt, error: 'timeout: x' }, createdAt)
    expect(await result.publish()).toEqual({ next: 'end' })
    expect(await readError(result.search, result.job)).toBe('timeout: x')
  })

  it('twice, while it fails, ends it once, in any order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const result = await openResult([500])
        const jobs = raceJobs(result.jobs, scheduler)
        const deps = { ...result.deps, jobs }
        const ends: (string | undefined)[] = []
        const note = async () => void ends.push((await result.jobs.read(result.job))?.status)
        await scheduler.waitFor(
          Promise.all([
            publishResults(deps, inputOf(result.job)).then(note),
            publishResults(deps, inputOf(result.job)).then(note),
            jobs.fail({ ...result.job, failedAt: createdAt, error: 'timeout: x' }, createdAt).then(note),
          ]),
        )
        expect(new Set(ends).size).toBe(1)
        expect(['completed', 'failed']).toContain(ends[0])
      }),
    )
  })
})
