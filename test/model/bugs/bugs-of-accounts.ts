import { unused } from '../../../core/limits/usage.ts'
import { wideLimits } from '../../doubles/memory-usages.ts'
import type { Bug } from './bug.ts'

/** Bugs in announcements, limits, lists, manifests and estimates: P12 to P16. */
export const bugsOfAccounts: readonly Bug[] = [
  {
    name: 'announcements are lost',
    property: 'P12',
    ports: () => ({ announcements: { announce: async () => undefined } }),
  },
  {
    name: 'a job is deleted before its end is announced',
    property: 'P12',
    ports: ({ jobs }) => ({
      jobs: {
        ...jobs,
        remove: async (run) => {
          await jobs.noteAnnounced(run)
          return jobs.remove(run)
        },
      },
    }),
  },
  {
    name: 'slots are not counted',
    property: 'P13',
    ports: ({ usages }) => ({
      usages: {
        ...usages,
        read: async () => unused,
        take: (claim, seen) => usages.take({ ...claim, limits: wideLimits }, seen),
      },
    }),
  },
  {
    name: 'slots are never freed',
    property: 'P13',
    ports: ({ usages }) => ({ usages: { ...usages, free: async () => undefined } }),
  },
  {
    name: 'a slot is freed when the query starts',
    property: 'P13',
    ports: ({ jobs, usages }) => ({
      jobs: {
        ...jobs,
        noteQuery: async (job, query, at) => {
          await usages.free(job, at)
          return jobs.noteQuery(job, query, at)
        },
      },
    }),
  },
  {
    name: 'a page begins with the last job of the page before',
    property: 'P14',
    ports: ({ list }) => ({
      list: {
        ...list,
        list: async (orgId, limit, after) => [...(after ? [after] : []), ...(await list.list(orgId, limit, after))],
      },
    }),
  },
  {
    name: 'the list has the oldest job first',
    property: 'P14',
    ports: ({ list }) => ({
      list: { ...list, list: async (...given) => (await list.list(...given)).toReversed() },
    }),
  },
  {
    name: 'a list shows statuses as they were when it first showed the job',
    property: 'P14',
    ports: ({ list }) => {
      const shown = new Map<string, Awaited<ReturnType<typeof list.read>>[number]>()
      return {
        list: {
          ...list,
          read: async (...given) =>
            (await list.read(...given)).map((job) => {
              const place = `${job.orgId} ${job.jobId} ${job.createdAt.getTime()}`
              shown.set(place, shown.get(place) ?? job)
              return shown.get(place) ?? job
            }),
        },
      }
    },
  },
  {
    name: 'a manifest has the files in another order',
    property: 'P15',
    handlers: (_, { ports }, open) => ({
      getManifest: open({
        recordedLookup: {
          lookUp: async (...given) => {
            const { access, job } = await ports.recordedLookup.lookUp(...given)
            if (job?.status !== 'completed') return { access, ...(job && { job }) }
            return { access, job: { ...job, shards: job.shards.toReversed() } }
          },
        },
      }).getManifest,
    }),
  },
  {
    name: 'a manifest has the request of another search',
    property: 'P15',
    handlers: (_, { ports }, open) => {
      let first: Awaited<ReturnType<typeof ports.jobs.readRequest>>
      const readRequest: typeof ports.jobs.readRequest = async (...given) => {
        first ??= await ports.jobs.readRequest(...given)
        return first
      }
      return { getManifest: open({ jobs: { ...ports.jobs, readRequest } }).getManifest }
    },
  },
  {
    name: 'an estimate starts the search',
    property: 'P16',
    handlers: ({ createSearch, estimateSearch }) => ({
      estimateSearch: Object.assign(async (...given: Parameters<typeof estimateSearch>) => {
        await createSearch(...given)
        return estimateSearch(...given)
      }, estimateSearch),
    }),
  },
]
