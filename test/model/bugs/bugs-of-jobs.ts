import { isTerminal, type Job, type JobKey } from '../../../core/job/job.ts'
import type { World } from '../world.ts'
import type { Bug } from './bug.ts'

const nothing = async () => 'written' as const

/** A store whose writes are unconditional. */
function overwriting({ jobs }: World) {
  const over = new Map<string, Job>()
  const nameOf = ({ orgId, jobId }: JobKey) => `${orgId}/${jobId}`
  const read = async (key: JobKey) => {
    const stored = await jobs.read(key)
    const written = over.get(nameOf(key))
    return written?.run === stored?.run ? written : stored
  }
  return { read, put: (job: Job) => void over.set(nameOf(job), job) }
}

/** Bugs in the states of jobs: P1, P2, P3, P8 and P11. */
export const bugsOfJobs: readonly Bug[] = [
  {
    name: 'jobs ignore the transition table: begin takes a job back to processing',
    property: 'P1',
    isRace: true,
    ports: ({ jobs }, world) => {
      const { read, put } = overwriting(world)
      return {
        jobs: {
          ...jobs,
          read,
          begin: async (run, chosen, at) => {
            const job = await read(run)
            if (job?.run !== run.run || !isTerminal(job.status)) return jobs.begin(run, chosen, at)
            const { orgId, jobId, createdAt, requestHash } = job
            const base = { orgId, jobId, run: run.run, createdAt, requestHash }
            put({ ...base, status: 'processing', ...chosen })
            return 'written'
          },
        },
      }
    },
  },
  {
    name: 'complete overwrites the end of a job',
    property: 'P1',
    isRace: true,
    ports: ({ jobs }, world) => {
      const { read, put } = overwriting(world)
      return {
        jobs: {
          ...jobs,
          read,
          complete: async (job, expiresAt) => {
            const outcome = await jobs.complete(job, expiresAt)
            if (outcome === 'superseded') put(job)
            return 'written'
          },
        },
      }
    },
  },
  {
    name: 'the query of a failed job is not stopped',
    property: 'P2',
    handlers: (_, { ports }, open) => {
      const { recordFailure, sweepSearches } = open({ queries: { ...ports.queries, stop: async () => undefined } })
      return { recordFailure, sweepSearches }
    },
  },
  {
    name: 'neither record-failure nor the sweeper changes the job',
    property: 'P2',
    ports: ({ jobs }) => ({ jobs: { ...jobs, fail: nothing } }),
  },
  {
    name: 'jobs whose execution has died are never found',
    property: 'P2',
    ports: ({ unended }) => ({
      unended: {
        ...unended,
        list: async (limit) => (await unended.list(limit)).filter(({ status }) => status === 'queued'),
      },
    }),
  },
  {
    name: 'a superseded start-query leaves its query running',
    property: 'P2',
    isRace: true,
    handlers: (_, { ports }, open) => ({
      startQuery: open({ queries: { ...ports.queries, stop: async () => undefined } }).startQuery,
    }),
  },
  {
    name: 'a job is put unconditionally, even if its id is taken',
    property: 'P3',
    isRace: true,
    ports: ({ jobs }, { jobs: stored }) => ({
      jobs: {
        ...jobs,
        create: async (job, request, expiresAt) => {
          const holder = await stored.read(job)
          if (holder && isTerminal(holder.status)) {
            await stored.noteAnnounced(holder)
            await stored.remove(holder)
          }
          return jobs.create(job, request, expiresAt)
        },
      },
    }),
  },
  {
    name: 'a job is read before it is put, and the put is unconditional',
    property: 'P3',
    isRace: true,
    ports: ({ jobs }, { jobs: stored }, pause) => ({
      jobs: {
        ...jobs,
        create: async (job, request, expiresAt, endedBefore) => {
          const holder = await stored.read(job)
          if (holder) return jobs.create(job, request, expiresAt, endedBefore)
          await pause()
          const other = await stored.read(job)
          if (other?.status === 'queued') {
            await stored.fail({ ...other, failedAt: job.createdAt, error: 'internal: x' }, expiresAt)
            await stored.noteAnnounced(other)
            await stored.remove(other)
          }
          return jobs.create(job, request, expiresAt, endedBefore)
        },
      },
    }),
  },
  {
    name: 'fail overwrites the end of a job',
    property: 'P1',
    ports: ({ jobs }, world) => {
      const { read, put } = overwriting(world)
      return {
        jobs: {
          ...jobs,
          read,
          fail: async (run, expiresAt) => {
            const job = await read(run)
            if (job?.run !== run.run) return 'superseded'
            const outcome = await jobs.fail(run, expiresAt)
            const { orgId, jobId, createdAt, requestHash } = job
            const { failedAt, error } = run
            put({ orgId, jobId, run: run.run, createdAt, requestHash, status: 'failed', failedAt, error })
            return outcome
          },
        },
      }
    },
  },
  {
    name: 'a write that comes too late counts the end again',
    property: 'P11',
    ports: ({ jobs }) => ({
      jobs: {
        ...jobs,
        fail: async (run, expiresAt) => {
          await jobs.fail(run, expiresAt)
          return 'written'
        },
      },
    }),
  },
  {
    name: "record-failure fails a later run of the job's id",
    property: 'P8',
    ports: ({ jobs }) => ({
      jobs: {
        ...jobs,
        fail: async (run, expiresAt) => {
          const job = await jobs.read(run)
          return jobs.fail({ ...run, run: job?.run ?? run.run }, expiresAt)
        },
      },
    }),
  },
]
