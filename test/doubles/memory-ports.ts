import type { Job, JobKey, JobRun, JobStatus } from '../../core/job/job.ts'
import { executionName, isTerminal, predecessorsOf } from '../../core/job/job.ts'
import type { JobHistory } from '../../core/job/job-history.ts'
import type { Jobs, UnendedJob, UnendedJobs } from '../../core/job/ports.ts'
import type { ChosenNppesMonth } from '../../core/nppes/nppes-months.ts'
import type { Queries, QueryState } from '../../core/search/ports.ts'
import type { SearchRequest } from '../../core/search/search-request.ts'
import type { WatchedWorkflow } from '../../core/workflow/ports.ts'
import type { WriteOutcome } from '../../core/write-outcome.ts'
import { decideCreation } from '../builders/job-holder.ts'

/** The ports in memory. They follow the same contracts as the adapters: every write of a job is conditional. */

export interface MemoryJobs extends Jobs, UnendedJobs {
  /** Every job with its request, in the order of their creation. */
  all(): readonly (StoredJob & { readonly request: SearchRequest })[]
  touchedAt(key: JobKey): Date | undefined
  /** A job with its history, as the lookup of manifests returns it. */
  readRecorded(key: JobKey): (Job & JobHistory) | undefined
  /** Expiry times of requests by hash, and of ended jobs. */
  readonly expiries: Map<string, Date>
}

export interface StoredJob {
  readonly job: Job
  /** True if the end of an ended job was announced. */
  readonly isAnnounced?: boolean
  readonly touchedAt: Date
  readonly processingAt?: Date
  readonly runningSince?: Date
  readonly contents?: readonly string[]
  readonly nppesMonth?: ChosenNppesMonth
  readonly endedAttempts?: JobHistory['endedAttempts']
}

export function createMemoryJobs(): MemoryJobs {
  const items = new Map<string, StoredJob>()
  const requests = new Map<string, SearchRequest>()
  const expiries = new Map<string, Date>()
  const nameOf = ({ orgId, jobId }: JobKey) => `${orgId}/${jobId}`

  /** Applies `change` to a job if its run matches and its state is one of `from`. */
  const write = (
    run: JobRun,
    from: readonly JobStatus[],
    at: Date,
    change: (job: Job) => Job | undefined,
  ): Promise<WriteOutcome> => {
    const item = items.get(nameOf(run))
    const fits = item !== undefined && item.job.run === run.run && from.includes(item.job.status)
    const job = fits ? change(item.job) : undefined
    const runningSince = item?.runningSince ?? (job?.status === 'processing' && job.query ? at : undefined)
    const processingAt = item?.processingAt ?? (job?.status === 'processing' ? at : undefined)
    const { contents, nppesMonth } = (job?.status === 'processing' ? job : item) ?? {}
    if (job !== undefined) {
      const times = { ...(processingAt && { processingAt }), ...(runningSince && { runningSince }) }
      items.set(nameOf(run), {
        ...item,
        job,
        touchedAt: at,
        ...times,
        ...(contents && { contents }),
        ...(nppesMonth && { nppesMonth }),
      })
    }
    return Promise.resolve(job === undefined ? 'superseded' : 'written')
  }

  return {
    expiries,
    all: () =>
      [...items.values()].flatMap((item) => {
        const request = requests.get(`${item.job.orgId}/${item.job.requestHash}`)
        return request === undefined ? [] : [{ ...item, request }]
      }),
    touchedAt: (key) => items.get(nameOf(key))?.touchedAt,
    readRecorded: (key) => {
      const item = items.get(nameOf(key))
      if (item === undefined) return undefined
      const { job, processingAt, contents, nppesMonth, endedAttempts = [] } = item
      const chosen = { ...(contents && { contents }), ...(nppesMonth && { nppesMonth }) }
      return { ...job, ...(processingAt && { processingAt }), ...chosen, endedAttempts }
    },
    // The key id is only stored, never read back.
    create: async ({ keyId: _, ...job }, request, requestExpiresAt, endedBefore) => {
      requests.set(`${job.orgId}/${job.requestHash}`, request)
      expiries.set(job.requestHash, requestExpiresAt)
      const stored = items.get(nameOf(job))?.job
      const creation = decideCreation(stored, job, endedBefore)
      if (creation.outcome === 'created' && stored?.run !== job.run)
        items.set(nameOf(job), { job, touchedAt: job.createdAt })
      return creation
    },
    read: async (key) => items.get(nameOf(key))?.job,
    readRequest: async (orgId, requestHash) => requests.get(`${orgId}/${requestHash}`),
    begin: (run, { contents, nppesMonth }, at) =>
      write(run, [...predecessorsOf('processing'), 'processing'], at, (job) => {
        const chosen = { ...(contents && { contents }), ...(nppesMonth && { nppesMonth }) }
        if (job.status === 'processing') return job.contents ? undefined : { ...job, ...chosen }
        const { orgId, jobId, createdAt, requestHash, summary } = job
        const { bytesTaken } = job.status === 'queued' ? job : {}
        const base = { orgId, jobId, run: job.run, createdAt, requestHash, ...(summary && { summary }) }
        const taken = bytesTaken === undefined ? {} : { bytesTaken }
        return { ...base, status: 'processing', ...taken, ...chosen }
      }),
    noteQuery: (run, query, at) =>
      write(run, ['processing'], at, (job) => (job.status === 'processing' ? { ...job, query } : undefined)),
    noteAttempt: async (run, ended, at) => {
      const before = items.get(nameOf(run))?.endedAttempts ?? []
      if (before.some(({ attempt }) => attempt >= ended.attempt)) return 'superseded'
      const outcome = await write(run, ['processing'], at, (job) => job)
      const item = items.get(nameOf(run))
      if (outcome === 'written' && item) items.set(nameOf(run), { ...item, endedAttempts: [...before, ended] })
      return outcome
    },
    touch: (run, at) => write(run, ['queued', 'processing'], at, (job) => job),
    complete: (job, expiresAt) => {
      const outcome = write(job, predecessorsOf('completed'), job.completedAt, () => job)
      expiries.set(job.jobId, expiresAt)
      return outcome
    },
    fail: (run, expiresAt) =>
      write(run, predecessorsOf('failed'), run.failedAt, (job) => {
        const { orgId, jobId, createdAt, requestHash, summary } = job
        const base = { orgId, jobId, run: run.run, createdAt, requestHash, ...(summary && { summary }) }
        expiries.set(jobId, expiresAt)
        const { failedAt, error } = run
        const query = job.status === 'processing' && job.query && { query: job.query }
        return { ...base, status: 'failed', failedAt, error, ...query }
      }),
    noteAnnounced: async (run) => {
      const item = items.get(nameOf(run))
      if (item === undefined || item.job.run !== run.run || !isTerminal(item.job.status)) return 'superseded'
      items.set(nameOf(run), { ...item, isAnnounced: true })
      return 'written'
    },
    postpone: async (run, at) => {
      const item = items.get(nameOf(run))
      if (item === undefined || item.job.run !== run.run || item.isAnnounced) return 'superseded'
      items.set(nameOf(run), { ...item, touchedAt: at })
      return 'written'
    },
    remove: async (run) => {
      const item = items.get(nameOf(run))
      const stored = item?.job
      if (stored && (stored.run !== run.run || !isTerminal(stored.status))) return 'superseded'
      if (item && !item.isAnnounced) return 'unannounced'
      items.delete(nameOf(run))
      return 'written'
    },
    list: async (limit) =>
      [...items.values()]
        .filter(({ isAnnounced }) => !isAnnounced)
        .map(({ job, touchedAt, runningSince }): UnendedJob => {
          const { orgId, jobId, run, status, createdAt } = job
          const query = 'query' in job && job.query && { query: job.query }
          return { orgId, jobId, run, status, createdAt, touchedAt, ...query, ...(runningSince && { runningSince }) }
        })
        .sort((a, b) => a.touchedAt.getTime() - b.touchedAt.getTime())
        .slice(0, limit),
  }
}

export interface MemoryWorkflow extends WatchedWorkflow {
  readonly executions: Map<string, 'running' | 'ended'>
  readonly starts: string[]
  /** While this is set, nothing starts. */
  cause: string | undefined
}

export function createMemoryWorkflow(): MemoryWorkflow {
  const executions = new Map<string, 'running' | 'ended'>()
  const starts: string[] = []
  const workflow: MemoryWorkflow = {
    executions,
    starts,
    cause: undefined,
    start: async (job) => {
      const name = executionName(job)
      starts.push(name)
      if (workflow.cause !== undefined) return { outcome: 'not-started', cause: workflow.cause }
      if (executions.get(name) === 'ended') return { outcome: 'name-taken' }
      executions.set(name, 'running')
      return { outcome: 'started' }
    },
    isRunning: async (job) => {
      const status = executions.get(executionName(job))
      if (status === undefined) throw new Error('Execution Does Not Exist')
      return status === 'running'
    },
  }
  return workflow
}

export interface MemoryQueries extends Queries {
  readonly statements: Map<string, string>
  readonly states: Map<string, QueryState>
  readonly stopped: string[]
  readonly looks: string[]
  full: boolean
}

export function createMemoryQueries(): MemoryQueries {
  const byToken = new Map<string, { readonly queryId: string; readonly statement: string }>()
  const stateOf = (queryId: string): QueryState => {
    const state = queries.states.get(queryId)
    if (state === undefined && !queries.statements.has(queryId)) throw new Error(`the query ${queryId} is not found`)
    return state ?? { state: 'running' }
  }
  const queries: MemoryQueries = {
    statements: new Map(),
    states: new Map(),
    stopped: [],
    looks: [],
    full: false,
    start: async ({ statement, token }) => {
      if (queries.full) return { outcome: 'throttled' }
      const known = byToken.get(token)
      if (known !== undefined && known.statement !== statement) return { outcome: 'token-used' }
      const queryId = known?.queryId ?? `query-${byToken.size + 1}`
      byToken.set(token, { queryId, statement })
      queries.statements.set(queryId, statement)
      return { outcome: 'started', queryId }
    },
    look: async (queryId) => {
      queries.looks.push(queryId)
      return stateOf(queryId)
    },
    stop: async (queryId) => {
      queries.stopped.push(queryId)
      if (queries.statements.has(queryId) && stateOf(queryId).state === 'running')
        queries.states.set(queryId, {
          state: 'failed',
          fault: 'permanent',
          reason: 'Query cancelled by user',
          bytesScanned: 0,
        })
    },
  }
  return queries
}
