import type fc from 'fast-check'
import type { CatalogueEntry } from '../../core/catalogue/catalogue-entry.ts'
import { feeScheduleKey } from '../../core/catalogue/fee-schedule.ts'
import { attemptPrefix } from '../../core/job/attempt.ts'
import type { CompletedJob, JobRun, ProcessingJob, QueuedJob } from '../../core/job/job.ts'
import type { CountEnd, Jobs } from '../../core/job/ports.ts'
import type { Queries } from '../../core/search/ports.ts'
import type { Footer } from '../../core/workflow/ports.ts'
import { resultLimits } from '../../core/workflow/publish-results.ts'
import { ratesColumns } from '../../schema/columns/rates.ts'
import { shardSchema } from '../../schema/columns/shard-schema.ts'
import { createMemoryAnnouncements } from '../doubles/memory-announcements.ts'
import { createMemoryCatalogue } from '../doubles/memory-catalogue.ts'
import { createMemoryContents } from '../doubles/memory-contents.ts'
import { createMemoryFileLists, createMemoryListFaults, createMemoryResultFiles } from '../doubles/memory-files.ts'
import { createMemoryLog } from '../doubles/memory-log.ts'
import { createMemoryJobs, createMemoryQueries, createMemoryWorkflow } from '../doubles/memory-ports.ts'
import { createMemoryHolders, createMemoryUsages } from '../doubles/memory-usages.ts'
import { createClock, newContent, newEntry, newJob, request, retentionDays, runOf } from './sample-search.ts'

type EndedSearch = Parameters<CountEnd>[0]

/** Everything that the steps of one search need, in memory. */
export function openSearch(entries: readonly CatalogueEntry[] = [newEntry()]) {
  const clock = createClock()
  const { log, lines } = createMemoryLog()
  const ends: EndedSearch[] = []
  const counts = { listFaults: 0 }
  const jobs = createMemoryJobs()
  const usages = createMemoryUsages()
  const deps = {
    jobs,
    usages,
    reviews: usages,
    holders: createMemoryHolders(jobs),
    announcements: createMemoryAnnouncements(),
    catalogue: createMemoryCatalogue(),
    contents: createMemoryContents(),
    queries: createMemoryQueries(),
    workflow: createMemoryWorkflow(),
    resultFiles: createMemoryResultFiles(newFooter),
    makeEmptyShard: () => new Uint8Array(4),
    limits: resultLimits,
    retentionDays,
    now: clock.now,
    sleep: clock.sleep,
    queryWaitMs: 0,
    queryTurnMs: 50_000,
    ratesLocation: 's3://rates/',
    fileLists: createMemoryFileLists(),
    listFaults: createMemoryListFaults(),
    countListFault: () => void counts.listFaults++,
    random: () => 0.5,
    log,
    countEnd: (end: EndedSearch) => void ends.push(end),
  }
  /** Puts an entry and its content into the catalogue, replacing an entry of the same name. */
  const put = (entry: CatalogueEntry) => {
    deps.catalogue.entries.set(feeScheduleKey(entry), entry)
    if (entry.state.status === 'active')
      deps.contents.contents.set(entry.state.contentId, newContent(entry.state.contentId))
  }
  entries.forEach(put)
  return { ...deps, deps, clock, lines, ends, counts, put }
}

export type OpenSearch = ReturnType<typeof openSearch>

export const newFooter = (key: string, bytes = 1000, rows = 10): Footer => ({
  key,
  bytes,
  rows,
  schema: shardSchema(ratesColumns),
  chunks: [],
})

/** Stores a queued job. */
export async function storeQueued({ jobs }: OpenSearch, facts: Partial<QueuedJob> = {}): Promise<QueuedJob> {
  const job = newJob(facts)
  const summary = job.summary && { summary: job.summary }
  await jobs.create(job, { ...request, ...summary }, new Date('2026-12-01T00:00:00Z'))
  return job
}

/** Stores a processing job whose first query runs. */
export async function storeProcessing(search: OpenSearch, facts: Partial<QueuedJob> = {}): Promise<JobRun> {
  const job = runOf(await storeQueued(search, facts))
  await search.jobs.begin(job, { contents: ['content-1'] }, search.clock.now())
  await search.jobs.noteQuery(job, { queryId: 'query-1', attempt: 1 }, search.clock.now())
  return job
}

/** Completes a processing job, by default with two shards. */
export async function complete(
  { jobs, clock }: Pick<OpenSearch, 'jobs' | 'clock'>,
  run: JobRun,
  facts: Partial<CompletedJob> = {},
): Promise<CompletedJob> {
  const { createdAt, requestHash } = newJob()
  const prefix = attemptPrefix(run, facts.attempt ?? 1)
  const shards = ['a', 'b'].map((name) => ({ key: `${prefix}${name}`, bytes: 10, rows: 1 }))
  const job = { ...run, createdAt, requestHash, attempt: 1, shards, ...facts }
  const completed: CompletedJob = { ...job, status: 'completed', completedAt: clock.now() }
  await jobs.complete(completed, clock.now())
  return completed
}

/** Fails a job. */
export const fail = ({ jobs, clock }: OpenSearch, { orgId, jobId, run }: JobRun, error = 'internal: It broke.') =>
  jobs.fail({ orgId, jobId, run, failedAt: clock.now(), error }, clock.now())

/** Reads the stored job, which must be processing. */
export async function readProcessing({ jobs }: OpenSearch, run: JobRun): Promise<ProcessingJob> {
  const job = await jobs.read(run)
  if (job?.status !== 'processing') throw new Error(`the job is ${job?.status}`)
  return job
}

/** Reads the error of a job, which must have failed. */
export async function readError({ jobs }: Pick<OpenSearch, 'jobs'>, run: JobRun): Promise<string> {
  const job = await jobs.read(run)
  if (job?.status !== 'failed') throw new Error(`the job is ${job?.status}`)
  return job.error
}

/**
 * Lets a scheduler choose when a call takes effect and when its response arrives, so that every order of a race occurs.
 * fast-check's own `scheduleFunction` makes each call at once and delays only its response.
 */
export const race =
  <Parameters extends readonly unknown[], Result>(
    scheduler: fc.Scheduler,
    call: (...parameters: Parameters) => Promise<Result>,
  ) =>
  async (...parameters: Parameters): Promise<Result> => {
    await scheduler.schedule(Promise.resolve())
    return scheduler.schedule(call(...parameters))
  }

export const raceJobs = (jobs: Jobs, scheduler: fc.Scheduler): Jobs => ({
  create: race(scheduler, jobs.create),
  read: race(scheduler, jobs.read),
  readRequest: race(scheduler, jobs.readRequest),
  begin: race(scheduler, jobs.begin),
  noteQuery: race(scheduler, jobs.noteQuery),
  noteAttempt: race(scheduler, jobs.noteAttempt),
  touch: race(scheduler, jobs.touch),
  complete: race(scheduler, jobs.complete),
  fail: race(scheduler, jobs.fail),
  noteAnnounced: race(scheduler, jobs.noteAnnounced),
  remove: race(scheduler, jobs.remove),
})

export const raceQueries = (queries: Queries, scheduler: fc.Scheduler): Queries => ({
  start: race(scheduler, queries.start),
  look: race(scheduler, queries.look),
  stop: race(scheduler, queries.stop),
})
