import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { attemptPrefix, queryToken } from '../../../core/job/attempt.ts'
import { executionName } from '../../../core/job/job.ts'
import { maxReadSources } from '../../../core/rates/loaded-rates.ts'
import { hashRequest } from '../../../core/search/search-request.ts'
import { unloadStatement } from '../../../core/search/statement.ts'
import { awaitQuery } from '../../../core/workflow/await-query.ts'
import { startQuery } from '../../../core/workflow/start-query.ts'
import { at } from '../../../schema/at.ts'
import { fileListKey } from '../../../schema/columns/search-tables.ts'
import {
  contentTable,
  contentUnit,
  fileName,
  folderPath,
  groupTable,
  priceTable,
  sourceUnit,
  type WarehouseTable,
  type WarehouseUnit,
} from '../../../schema/columns/warehouse-tables.ts'
import type { NextStep } from '../../../schema/workflow-step.ts'
import { openSearch, readError, readProcessing, storeProcessing, storeQueued } from '../../builders/open-search.ts'
import {
  createdAt,
  newContent,
  newEntry,
  newJob,
  newNppesMonth,
  newRelationEntry,
  request,
  runOf,
  scopeOf,
} from '../../builders/sample-search.ts'
import { wideLimits } from '../../doubles/memory-usages.ts'

const ended = { next: 'end' }
const reads = { hasRows: true, isListed: true, mayUseFolders: true }

describe('a queued job', () => {
  it('chooses its contents, and starts and notes its query', async () => {
    const search = openSearch([newEntry({ contentId: 'b' })])
    const job = await storeQueued(search)
    const step = await startQuery(search.deps, runOf(job))
    expect(step).toEqual({ next: 'await', queryId: 'query-1', attempt: 1, waitMs: 250, ...reads })
    const processing = await readProcessing(search, job)
    expect(processing).toMatchObject({ contents: ['b'], query: { queryId: 'query-1', attempt: 1 } })
    const destination = `s3://results-bucket/${attemptPrefix(job, 1)}`
    expect([...search.queries.statements.values()]).toEqual([unloadStatement(request, scopeOf(job, 'b'), destination)])
  })

  it('fails with the unsupported names', async () => {
    const search = openSearch([])
    const job = await storeQueued(search)
    expect(await startQuery(search.deps, runOf(job))).toEqual(ended)
    expect(await readError(search, job)).toMatch(/^unsupported_fee_schedule: .*"Acme Health".*"Gold PPO"/)
    expect(search.queries.statements.size).toBe(0)
  })

  it('lists the files of its contents, each once, even if its plans share them', async () => {
    const plans = ['Gold PPO', 'Silver PPO']
    const search = openSearch(plans.map((plan, index) => newEntry({ plan, contentId: `content-${index}` })))
    const sources = ['s2', 's1'].map((sourceId) => ({ loadId: 'l', sourceId, files: [2, 1] }))
    search.contents.contents.set('content-0', { ...newContent('content-0'), sources })
    search.contents.contents.set('content-1', { ...newContent('content-1'), sources: sources.slice(0, 1) })
    const asked = { ...request, feeSchedules: plans.map((plan) => ({ payer: 'Acme Health', plan })) }
    const job = newJob({ requestHash: hashRequest(asked) })
    await search.jobs.create(job, asked, search.clock.now(), undefined)
    expect(await startQuery(search.deps, runOf(job))).toMatchObject({ next: 'await' })
    const destination = `s3://results-bucket/${attemptPrefix(job, 1)}`
    expect([...search.queries.statements.values()]).toEqual([
      unloadStatement(asked, scopeOf(job, 'content-0', 'content-1'), destination),
    ])
    const addressesOf = (table: WarehouseTable, units: readonly WarehouseUnit[], files: readonly number[] = [0]) =>
      units.flatMap((unit) => files.map((file) => `s3://rates/${folderPath(table, unit)}${fileName(unit, file)}`))
    const units = ['s1', 's2'].map((sourceId) => sourceUnit({ loadId: 'l', sourceId }))
    const contentUnits = ['content-0', 'content-1'].map(contentUnit)
    expect(search.deps.fileLists.lists).toEqual(
      new Map([
        [fileListKey(priceTable, executionName(job)), addressesOf(priceTable, units, [0, 1])],
        [fileListKey(groupTable, executionName(job)), addressesOf(groupTable, units)],
        [fileListKey(contentTable, executionName(job)), addressesOf(contentTable, contentUnits)],
      ]),
    )
  })

  it('names the folders, sources and files of its contents in a stage without lists', async () => {
    const search = openSearch()
    const job = await storeQueued(search)
    const { fileLists: _, ...deps } = search.deps
    expect(await startQuery(deps, runOf(job))).toEqual({
      next: 'await',
      queryId: 'query-1',
      attempt: 1,
      waitMs: 250,
      hasRows: true,
    })
    const files = { location: search.deps.ratesLocation, sources: newContent().sources }
    const destination = `s3://results-bucket/${attemptPrefix(job, 1)}`
    expect([...search.queries.statements.values()]).toEqual([
      unloadStatement(request, { contents: ['content-1'], files }, destination),
    ])
    expect(search.deps.fileLists.lists.size).toBe(0)
  })

  it('reads the folders of all plans if its contents have more sources than can be listed', async () => {
    const search = openSearch()
    const sources = Array.from({ length: maxReadSources + 1 }, (_, index) => ({ loadId: 'l', sourceId: `s${index}` }))
    search.contents.contents.set('content-1', { ...newContent(), sources })
    const job = await storeQueued(search)
    expect(await startQuery(search.deps, runOf(job))).toMatchObject({ next: 'await' })
    const destination = `s3://results-bucket/${attemptPrefix(job, 1)}`
    const files = { location: 's3://rates/', sources: [] }
    expect([...search.queries.statements.values()]).toEqual([
      unloadStatement(request, { contents: ['content-1'], files }, destination),
    ])
    expect(search.deps.fileLists.lists.size).toBe(0)
  })

  it('expects no bytes of contents without rows', async () => {
    const search = openSearch()
    search.contents.contents.set('content-1', { ...newContent(), figures: { rates: 0, codes: 0, npis: 0 } })
    const job = await storeQueued(search)
    expect(await startQuery(search.deps, runOf(job))).not.toHaveProperty('hasRows')
  })

  it('fails with the names that an earlier version loaded, rather than find nothing', async () => {
    const plans = ['Gold PPO', 'Silver PPO']
    const search = openSearch(plans.map((plan) => newEntry({ plan, contentId: plan })))
    search.contents.contents.set('Silver PPO', { ...newContent('Silver PPO'), isOutdated: true })
    const asked = { ...request, feeSchedules: plans.map((plan) => ({ payer: 'Acme Health', plan })) }
    const job = newJob({ requestHash: hashRequest(asked) })
    await search.jobs.create(job, asked, search.clock.now(), undefined)
    expect(await startQuery(search.deps, runOf(job))).toEqual(ended)
    expect(await readError(search, job)).toBe(
      'not_loaded: "Silver PPO" of "Acme Health" must be loaded again by the operator: an earlier version stored it.',
    )
    expect(search.queries.statements.size).toBe(0)
  })

  it('throws if its content is gone, rather than find nothing', async () => {
    const search = openSearch()
    const job = await storeQueued(search)
    search.contents.contents.clear()
    await expect(startQuery(search.deps, runOf(job))).rejects.toMatchObject({ name: 'ContentGone' })
    expect(search.queries.statements.size).toBe(0)
  })

  it('waits while Athena has no capacity, and stays active', async () => {
    const search = openSearch()
    const job = await storeQueued(search)
    search.queries.full = true
    const retry = await startQuery(search.deps, runOf(job))
    expect(retry).toEqual({ next: 'retry', attempt: 1, waitSeconds: 23 })
    search.clock.advance(30)
    expect(await startQuery(search.deps, { ...runOf(job), step: retry })).toEqual({ ...retry, waitSeconds: 35 })
    expect(search.jobs.touchedAt(job)).toEqual(search.clock.now())
    search.queries.full = false
    expect(await startQuery(search.deps, { ...runOf(job), step: retry })).toMatchObject({ next: 'await', attempt: 1 })
  })

  it('waits longer each time that Athena refuses it, from 15 seconds to two minutes, never as long as others', async () => {
    const search = openSearch()
    const job = await storeQueued(search)
    search.queries.full = true
    const waits = async (...randoms: readonly number[]) => {
      const found: number[] = []
      let step: NextStep | undefined
      for (const random of randoms) {
        step = await startQuery({ ...search.deps, random: () => random }, { ...runOf(job), ...(step && { step }) })
        if (step.next === 'retry') found.push(step.waitSeconds)
      }
      return found
    }
    expect(await waits(0, 0, 0)).toEqual([15, 15, 15])
    expect(await waits(0.99, 0.99, 0.99, 0.99)).toEqual([30, 60, 119, 119])
    expect(await waits(0.5, 0.5, 0.5, 0.5, 0.5, 0.5)).toEqual([23, 35, 53, 80, 90, 90])
  })

  it('waits a whole number of seconds within the bounds, whatever it waited for before', async () => {
    const before = fc.option(fc.constantFrom(0, 5, 15, 60, 119, 120), { nil: undefined })
    await fc.assert(
      fc.asyncProperty(before, fc.double({ min: 0, max: 0.999_999, noNaN: true }), async (waitSeconds, random) => {
        const search = openSearch()
        const job = await storeQueued(search)
        search.queries.full = true
        const step = waitSeconds === undefined ? {} : { step: { next: 'retry', attempt: 1, waitSeconds } as const }
        const next = await startQuery({ ...search.deps, random: () => random }, { ...runOf(job), ...step })
        const wait = next.next === 'retry' ? next.waitSeconds : Number.NaN
        expect([Number.isInteger(wait), wait >= 15, wait <= 120]).toEqual([true, true, true])
        if (waitSeconds !== undefined && waitSeconds <= 60) expect(wait).toBeGreaterThanOrEqual(waitSeconds)
      }),
    )
  })

  it("reads an operator's own relation by the columns that it has, without contents", async () => {
    const search = openSearch([newRelationEntry()])
    const job = await storeQueued(search)
    const columns = ['payer', 'plan']
    await startQuery({ ...search.deps, columns }, runOf(job))
    const destination = `s3://results-bucket/${attemptPrefix(job, 1)}`
    expect([...search.queries.statements.values()]).toEqual([unloadStatement(request, { columns }, destination)])
  })

  it('throws if its request is missing', async () => {
    const search = openSearch()
    const job = await storeQueued(search, { requestHash: 'a'.repeat(64) })
    search.jobs.readRequest = async () => undefined
    await expect(startQuery(search.deps, runOf(job))).rejects.toThrow(`the request of job ${job.jobId} is not stored`)
  })
})

describe('a queued job that names providers by where they are', () => {
  const providers = { states: ['TX'], zips: ['77030'] }
  const nppes = newNppesMonth()
  const openJob = async (columns?: readonly string[]) => {
    const search = openSearch([columns ? newRelationEntry() : newEntry()])
    search.jobs.readRequest = async () => ({ ...request, providers })
    const job = await storeQueued(search)
    return { ...search, job, start: () => startQuery({ ...search.deps, columns }, runOf(job)) }
  }

  it('finds them in the month of NPPES that is active', async () => {
    const search = await openJob()
    await search.contents.replaceNppesMonths({ version: 'a', active: nppes, replaced: [] }, undefined)
    expect(await search.start()).toMatchObject({ next: 'await' })
    const [statement] = search.queries.statements.values()
    expect(statement).toMatch(
      /WHERE nppes_month_id = 'r1'[\s\S]* AND provider_state IN \('TX'\)\s+AND provider_zip IN \('77030'\)/,
    )
  })

  it('fails if NPPES was removed after it was accepted, and starts no query', async () => {
    const search = await openJob()
    expect(await search.start()).toEqual(ended)
    expect(await readError(search, search.job)).toBe(
      'not_loaded: `providers` cannot be searched by before NPPES is loaded: leave it out, or ask the operator to run `npm run nppes -- load`.',
    )
    expect(search.queries.statements.size).toBe(0)
  })

  it('finds them in an own relation that has these columns, without a join', async () => {
    const search = await openJob(['npi', 'provider_state', 'provider_zip'])
    expect(await search.start()).toMatchObject({ next: 'await' })
    const [statement = ''] = search.queries.statements.values()
    expect(statement).toContain("AND provider_state IN ('TX')")
    expect(statement).not.toContain('JOIN')
  })

  it('fails over an own relation that lacks one of them', async () => {
    const search = await openJob(['npi', 'provider_state'])
    expect(await search.start()).toEqual(ended)
    expect(await readError(search, search.job)).toBe(
      "not_loaded: `providers` cannot be searched by, because the operator's own relation has no column provider_zip: leave it out.",
    )
  })
})

describe('a start does nothing for a job', () => {
  it.each(['that is unknown', 'of another run', 'that has failed', 'that is completed'])('%s', async (kind) => {
    const search = openSearch()
    const job = await storeProcessing(search)
    const { createdAt, requestHash } = newJob()
    const completed = { ...job, createdAt, requestHash, completedAt: createdAt, attempt: 1, shards: [] }
    if (kind === 'that has failed') await search.jobs.fail({ ...job, failedAt: createdAt, error: 'x' }, createdAt)
    if (kind === 'that is completed') await search.jobs.complete({ ...completed, status: 'completed' }, createdAt)
    const input =
      kind === 'that is unknown'
        ? { ...job, jobId: 'unknown' }
        : { ...job, run: kind === 'of another run' ? 'run2' : job.run }
    const before = await search.jobs.read(job)
    expect(await startQuery(search.deps, input)).toEqual(ended)
    expect(search.queries.statements.size).toBe(0)
    expect(await search.jobs.read(job)).toEqual(before)
  })
})

describe('the slot of a job', () => {
  it('stays taken while its query starts and runs, and is freed when the job has ended', async () => {
    const search = openSearch()
    const job = await storeQueued(search)
    const claim = { ...runOf(job), at: search.clock.now(), limits: wideLimits }
    await search.usages.take(claim, await search.usages.read(job.orgId))
    const slots = async () => [...(await search.usages.read(job.orgId)).slots.keys()]

    expect(await startQuery(search.deps, runOf(job))).toMatchObject({ next: 'await' })
    expect(await slots()).toEqual([job.jobId])
    const step = await startQuery({ ...search.deps, queryWaitMs: 5000 }, runOf(job))
    if (step.next !== 'await') throw new Error(`the query is not running: ${step.next}`)
    expect(await slots()).toEqual([job.jobId])
    expect(await awaitQuery(search.deps, { ...runOf(job), step })).toMatchObject({ next: 'await' })
    expect(await slots()).toEqual([job.jobId])

    search.queries.states.set('query-1', { state: 'failed', fault: 'permanent', reason: 'x' })
    expect(await awaitQuery(search.deps, { ...runOf(job), step })).toEqual(ended)
    expect(await slots()).toEqual([])
  })
})

describe('a repeated start', () => {
  it('returns the same query', async () => {
    const search = openSearch()
    const job = await storeQueued(search)
    const first = await startQuery(search.deps, runOf(job))
    expect(await startQuery(search.deps, runOf(job))).toEqual(first)
    expect(search.queries.statements.size).toBe(1)
  })

  it('keeps the chosen contents, even if the catalogue has changed', async () => {
    const search = openSearch([newEntry({ contentId: 'old' })])
    const job = await storeQueued(search)
    const first = await startQuery(search.deps, runOf(job))
    search.put(newEntry({ contentId: 'new' }))
    expect(await startQuery(search.deps, runOf(job))).toEqual(first)
    expect((await readProcessing(search, job)).contents).toEqual(['old'])
  })

  it('keeps the month of NPPES that was active when its contents were chosen', async () => {
    const search = openSearch()
    const october = newNppesMonth({ nppesMonthId: 'r10', month: '2026-10' })
    await search.contents.replaceNppesMonths({ version: 'a', active: october, replaced: [] }, undefined)
    const job = await storeQueued(search)
    const first = await startQuery(search.deps, runOf(job))
    const november = { ...october, nppesMonthId: 'r11', month: '2026-11' }
    const replaced = [{ ...october, replacedAt: new Date() }]
    await search.contents.replaceNppesMonths({ version: 'b', active: november, replaced }, 'a')
    expect(await startQuery(search.deps, runOf(job))).toEqual(first)
    expect((await readProcessing(search, job)).nppesMonth).toEqual({ nppesMonthId: 'r10', month: '2026-10' })
    const [statement, ...others] = search.queries.statements.values()
    expect(statement).toMatch(
      /LEFT JOIN \(SELECT .* FROM providers\nWHERE nppes_month_id = 'r10'\n {2}AND npi IN \(1003000126\)\)/,
    )
    expect(others).toEqual([])
    await search.contents.replaceNppesMonths({ version: 'c', active: november, replaced: [] }, 'b')
    await expect(startQuery(search.deps, runOf(job))).rejects.toThrow('NPPES month of the job has been removed')
  })

  it('completes a failure that a crash interrupted', async () => {
    const search = openSearch([])
    const job = await storeQueued(search)
    const { fail } = search.jobs
    search.jobs.fail = () => Promise.reject(new Error('crash'))
    await expect(startQuery(search.deps, runOf(job))).rejects.toThrow('crash')
    expect((await readProcessing(search, job)).contents).toBeUndefined()
    search.jobs.fail = fail
    expect(await startQuery(search.deps, runOf(job))).toEqual(ended)
    expect(await readError(search, job)).toMatch(/^unsupported_fee_schedule: /)
  })

  it('continues after such a crash if the catalogue has the plan by then', async () => {
    const search = openSearch([])
    const job = await storeQueued(search)
    await search.jobs.begin(job, {}, search.clock.now())
    search.put(newEntry({ contentId: 'late' }))
    expect(await startQuery(search.deps, runOf(job))).toMatchObject({ next: 'await' })
    expect((await readProcessing(search, job)).contents).toEqual(['late'])
  })

  it('continues after a crash between starting and recording the query', async () => {
    const search = openSearch()
    const job = await storeQueued(search)
    const { noteQuery } = search.jobs
    search.jobs.noteQuery = () => Promise.reject(new Error('crash'))
    await expect(startQuery(search.deps, runOf(job))).rejects.toThrow('crash')
    search.jobs.noteQuery = noteQuery
    expect(await startQuery(search.deps, runOf(job))).toMatchObject({ next: 'await', queryId: 'query-1' })
    expect((await readProcessing(search, job)).query).toEqual({ queryId: 'query-1', attempt: 1 })
  })
})

describe('another attempt', () => {
  it('gets a new prefix and a new token', async () => {
    const search = openSearch()
    const job = await storeProcessing(search)
    await startQuery(search.deps, job)
    const step = { next: 'retry', attempt: 2, waitSeconds: 5 } as const
    expect(await startQuery(search.deps, { ...job, step })).toEqual({
      next: 'await',
      queryId: 'query-2',
      attempt: 2,
      waitMs: 250,
      ...reads,
    })
    expect(search.queries.statements.get('query-2')).toContain(attemptPrefix(job, 2))
    expect((await readProcessing(search, job)).query).toEqual({ queryId: 'query-2', attempt: 2 })
  })

  it('keeps the spread that the previous step set', async () => {
    const search = openSearch()
    const job = await storeProcessing(search)
    const step = { next: 'retry', attempt: 2, failures: 1, spread: 7, waitSeconds: 0 } as const
    const awaiting = { next: 'await', queryId: 'query-1', attempt: 2, failures: 1, spread: 7, waitMs: 250, ...reads }
    expect(await startQuery(search.deps, { ...job, step })).toEqual(awaiting)
    const destination = `s3://results-bucket/${attemptPrefix(job, 2)}`
    expect([...search.queries.statements.values()]).toEqual([
      unloadStatement(request, scopeOf(job, 'content-1'), destination, 7),
    ])
  })

  it('joins in the other order after a query that ran out of memory, and fails the job if that does too', async () => {
    const search = openSearch()
    const job = await storeQueued(search)
    const exhausted = { state: 'failed', fault: 'exhausted', reason: 'x', bytesScanned: 40 } as const
    for (const queryId of ['query-1', 'query-2']) search.queries.states.set(queryId, exhausted)
    const steps: NextStep[] = [await startQuery(search.deps, runOf(job))]
    for (let step = at(steps, 0); step.next !== 'end'; steps.push(step))
      step =
        step.next === 'await'
          ? await awaitQuery(search.deps, { ...runOf(job), step })
          : await startQuery(search.deps, { ...runOf(job), step })
    expect(steps.map(({ next }) => next)).toEqual(['await', 'retry', 'await', 'end'])
    expect([...search.queries.statements.values()]).toEqual(
      ([undefined, 'other'] as const).map((joinOrder, index) => {
        const destination = `s3://results-bucket/${attemptPrefix(job, index + 1)}`
        return unloadStatement(request, { ...scopeOf(runOf(job), 'content-1'), joinOrder }, destination)
      }),
    )
    expect(await readError(search, job)).toMatch(/^too_broad: /)
    expect(search.jobs.readRecorded(job)?.endedAttempts).toEqual(
      [1, 2].map((attempt) => ({ attempt, outcome: 'failed', bytesScanned: 40 })),
    )
  })

  it('never starts if the job was cancelled after its query had run out of memory', async () => {
    const search = openSearch()
    const job = await storeQueued(search)
    search.queries.states.set('query-1', { state: 'failed', fault: 'exhausted', reason: 'x' })
    const await1 = await startQuery(search.deps, runOf(job))
    if (await1.next !== 'await') throw new Error(`the next step is ${await1.next}`)
    const step = await awaitQuery(search.deps, { ...runOf(job), step: await1 })
    expect(step.next).toBe('retry')
    await search.jobs.fail({ ...runOf(job), failedAt: createdAt, error: 'cancelled: by the client' }, createdAt)
    expect(await startQuery(search.deps, { ...runOf(job), step })).toEqual(ended)
    expect(search.queries.statements.size).toBe(1)
  })

  it('follows at once if the token was used with another statement', async () => {
    const search = openSearch()
    const job = await storeQueued(search)
    await search.queries.start({ statement: 'SELECT 1', token: queryToken(job, 1) })
    const step = await startQuery(search.deps, runOf(job))
    expect(step).toEqual({ next: 'retry', attempt: 2, waitSeconds: 0 })
    expect(await startQuery(search.deps, { ...runOf(job), step })).toMatchObject({ next: 'await', attempt: 2 })
  })
})

describe('a job that ends while its query starts', () => {
  it('stops the query', async () => {
    const search = openSearch()
    const job = await storeQueued(search)
    const { start } = search.queries
    search.queries.start = async (query) => {
      const started = await start(query)
      const failedAt = search.clock.now()
      await search.jobs.fail({ ...job, failedAt, error: 'cancelled: by the client' }, failedAt)
      return started
    }
    expect(await startQuery(search.deps, runOf(job))).toEqual(ended)
    expect(search.queries.stopped).toEqual(['query-1'])
    expect(await readError(search, job)).toBe('cancelled: by the client')
  })
})
