import { describe, expect, it } from 'vitest'
import type { QueryState } from '../../../core/search/ports.ts'
import { hashRequest, type SearchRequest } from '../../../core/search/search-request.ts'
import { type StartQuery, startQuery } from '../../../core/workflow/start-query.ts'
import { searchIdColumn, searchTables } from '../../../schema/columns/search-tables.ts'
import { openSearch, readError, storeQueued } from '../../builders/open-search.ts'
import { runWorkflow } from '../../builders/run-workflow.ts'
import { jobIdOf, newContent, newJob, request, runOf } from '../../builders/sample-search.ts'

const nothingRead: QueryState = { state: 'succeeded', manifest: undefined, bytesScanned: 0 }
const unreadable = (fault: 'permanent' | 'transient', reason: string): QueryState => ({
  state: 'failed',
  fault,
  reason,
  bytesScanned: 0,
})
const notParquet = unreadable('permanent', 'HIVE_BAD_DATA: Not valid Parquet file: …/search_negotiated_rates/files.txt')
const succeeded: QueryState = { state: 'succeeded', manifest: 'm', bytesScanned: 100 }

/** A stage whose queries end in one way over lists, and in another over folders. */
function openStage({ lists, folders = succeeded }: { readonly lists: QueryState; readonly folders?: QueryState }) {
  const search = openSearch()
  const { queries } = search
  const looked = {
    ...queries,
    look: async (queryId: string) => (readsLists(queries.statements.get(queryId)) ? lists : folders),
  }
  let jobs = 0
  const run = async ({
    request: { maxBytes, ...others } = request,
    bytesTaken,
    deps = {},
  }: {
    readonly request?: SearchRequest
    readonly bytesTaken?: number
    readonly deps?: Partial<StartQuery>
  } = {}) => {
    const asked = { ...others, ...(maxBytes !== undefined && { maxBytes }) }
    const job = newJob({
      jobId: jobIdOf(`job ${++jobs}`),
      requestHash: hashRequest(asked),
      createdAt: search.clock.now(),
      ...(bytesTaken !== undefined && { bytesTaken }),
    })
    await search.jobs.create(job, asked, search.clock.now(), undefined)
    const first = queries.statements.size
    await runWorkflow(search, { ...search.deps, queries: looked, ...deps }, runOf(job))
    const ways = [...queries.statements.values()].slice(first).map((sql) => (readsLists(sql) ? 'lists' : 'folders'))
    // A first attempt that succeeds is followed by one with smaller files.
    if (ways.join() === 'folders,folders') ways.pop()
    return { ways, status: (await search.jobs.read(job))?.status, error: () => readError(search, job) }
  }
  return { search, run }
}

const readsLists = (statement: string | undefined) => statement?.includes(searchIdColumn.name) === true

/** Gives the content of the search this number of files in each table. */
const putFiles = ({ contents }: ReturnType<typeof openSearch>, count: number) =>
  contents.contents.set('content-1', {
    ...newContent(),
    sources: [{ loadId: 'l', sourceId: 's', files: [count, count] }],
  })

describe('a search whose lists of files do not work', () => {
  it.each([
    ['it reads nothing', nothingRead],
    ['Athena reads the list itself', notParquet],
    ...searchTables.map(({ name }) => [`an error names ${name}`, unreadable('permanent', `bad ${name}`)] as const),
    ['a transient error about a search table comes back', unreadable('transient', 'bad search_provider_groups')],
  ] as const)('reads folders in a second attempt if %s', async (_, lists) => {
    const { search, run } = openStage({ lists })
    const { ways, status } = await run()
    expect(new Set(ways.slice(0, ways.indexOf('folders')))).toEqual(new Set(['lists']))
    expect([ways.lastIndexOf('lists') < ways.indexOf('folders'), status]).toEqual([true, 'completed'])
    expect(search.counts.listFaults).toBe(1)
  })

  it('fails as before if folders do not work either, and nothing is remembered', async () => {
    const { search, run } = openStage({ lists: nothingRead, folders: nothingRead })
    const { ways, error } = await run()
    expect(ways).toEqual(['lists', 'folders'])
    expect(await error()).toMatch(/^nothing_read: /)
    expect(search.listFaults.foundAt).toBeUndefined()
  })

  it('keeps to folders when its memory is exhausted afterwards', async () => {
    const exhausted = { state: 'failed', fault: 'exhausted', reason: 'x' } as const
    const { ways, error } = await openStage({ lists: nothingRead, folders: exhausted }).run()
    expect(ways).toEqual(['lists', 'folders', 'folders'])
    expect(await error()).toMatch(/^too_broad: /)
  })

  it('fails in a stage that is set to lists', async () => {
    const { run } = openStage({ lists: nothingRead })
    const { ways, error } = await run({ deps: { listFaults: undefined } })
    expect(ways).toEqual(['lists'])
    expect(await error()).toMatch(/^nothing_read: /)
  })

  it.each([
    ['a data file', unreadable('permanent', 'bad data of search_negotiated_rates in s3://rates/x/s.l.00000.parquet')],
    ['a missing file', { state: 'failed', fault: 'file-missing', reason: 'search_negotiated_rates' } as const],
    ['something else', unreadable('permanent', 'division by zero')],
  ] as const)('fails without folders, which would hide the fault, if the error is about %s', async (_, lists) => {
    const { ways, status } = await openStage({ lists }).run()
    expect([ways, status]).toEqual([['lists'], 'failed'])
  })
})

describe('the limits of a search that is repeated with folders', () => {
  const limits = [
    ['max_bytes', { request: { ...request, maxBytes: 1000 } }],
    ['bytes a day', { bytesTaken: 1000 }],
  ] as const

  it.each(limits)('hold if its statement names each file (%s)', async (_, limited) => {
    const { search, run } = openStage({ lists: nothingRead })
    putFiles(search, 500)
    expect((await run(limited)).ways).toEqual(['lists', 'folders'])
  })

  it.each(limits)('refuse folders with more files than are named (%s)', async (_, limited) => {
    const { search, run } = openStage({ lists: nothingRead })
    putFiles(search, 501)
    const { ways, error } = await run(limited)
    expect(ways).toEqual(['lists'])
    expect(await error()).toMatch(/^nothing_read: /)
    search.listFaults.foundAt = search.clock.now()
    expect((await run(limited)).ways).toEqual(['lists'])
    expect((await run()).ways).toEqual(['folders'])
  })

  it.each(limits)('refuse a statement without room for the names of files (%s)', async (_, limited) => {
    const { search, run } = openStage({ lists: nothingRead })
    putFiles(search, 400)
    const npis = Array.from({ length: 20_000 }, (_unused, index) => 1_000_000_000 + index)
    const asked = { ...('request' in limited ? limited.request : request), npis }
    expect((await run({ ...limited, request: asked })).ways).toEqual(['lists'])
  })
})

describe('a stage that found that lists do not work', () => {
  it('reads folders at once for a day, then tries lists again', async () => {
    const { search, run } = openStage({ lists: nothingRead })
    expect((await run()).ways).toEqual(['lists', 'folders'])
    const { foundAt } = search.listFaults
    expect(foundAt).toEqual(search.clock.now())
    expect((await run()).ways).toEqual(['folders'])
    search.clock.advance(86_399)
    expect((await run()).ways).toEqual(['folders'])
    expect(search.listFaults.foundAt).toEqual(foundAt)
    search.clock.advance(1)
    expect((await run()).ways).toEqual(['lists', 'folders'])
    expect(search.listFaults.foundAt).toEqual(search.clock.now())
    expect(search.counts.listFaults).toBe(2)
  })

  it('gets the same statement from a repeated step, although another search has found the fault meanwhile', async () => {
    const { search } = openStage({ lists: nothingRead })
    const job = await storeQueued(search, { createdAt: search.clock.now() })
    const step = await startQuery(search.deps, runOf(job))
    search.clock.advance(1)
    search.listFaults.foundAt = search.clock.now()
    expect(await startQuery(search.deps, runOf(job))).toEqual(step)
    expect(search.queries.statements.size).toBe(1)
  })
})
