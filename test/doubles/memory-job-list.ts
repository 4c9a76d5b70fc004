import type { JobListItem, ListedJob } from '../../core/job/job-list.ts'
import type { JobList } from '../../core/job/ports.ts'
import { listFilters, listNamedPlans } from '../../core/search/filter-words.ts'
import { countNamed } from '../../core/search/search-request.ts'
import type { MemoryJobs } from './memory-ports.ts'

export interface MemoryJobList extends JobList {
  /** While false, the index is not updated, like one that lags behind its table. */
  isCurrent: boolean
  /** Number of jobs read. */
  examined: number
}

/** Lists the jobs of a memory table. */
export function createMemoryJobList(jobs: Pick<MemoryJobs, 'all'>): MemoryJobList {
  let index: readonly (ListedJob & { readonly orgId: string })[] = []
  const memory: MemoryJobList = {
    isCurrent: true,
    examined: 0,
    list: async (orgId, limit, after) => {
      if (memory.isCurrent) index = jobs.all().map(({ job }) => job)
      return index
        .filter((job) => job.orgId === orgId && (after === undefined || sortKey(job) < sortKey(after)))
        .toSorted((a, b) => (sortKey(a) < sortKey(b) ? 1 : -1))
        .slice(0, limit)
        .map(({ jobId, createdAt }) => ({ jobId, createdAt }))
    },
    read: async (orgId, listed) => {
      memory.examined += listed.length
      const own = new Map(jobs.all().map((stored) => [`${stored.job.orgId} ${sortKey(stored.job)}`, stored]))
      return listed.flatMap((each) => {
        const stored = own.get(`${orgId} ${sortKey(each)}`)
        return stored === undefined ? [] : [describeJob(stored)]
      })
    },
  }
  return memory
}

const sortKey = ({ createdAt, jobId }: ListedJob) => `${createdAt.toISOString()} ${jobId}`

function describeJob({ job, processingAt, request }: ReturnType<MemoryJobs['all']>[number]): JobListItem {
  const [first, ...next] = listNamedPlans(request)
  const { orgId, jobId, createdAt, summary } = job
  const nextFeeSchedules = next.length > 0 && { nextFeeSchedules: next }
  const plans = { feeScheduleCount: countNamed(request), firstFeeSchedule: first, ...nextFeeSchedules }
  const listedFields = { filters: listFilters(request), ...(request.asOf !== undefined && { asOf: request.asOf }) }
  const base = { orgId, jobId, createdAt, ...plans, ...listedFields, ...(summary && { summary }) }
  if (job.status === 'queued') return { ...base, status: job.status }
  if (job.status === 'failed') {
    const { status, failedAt, error } = job
    return { ...base, status, ...(processingAt && { processingAt }), failedAt, error }
  }
  if (processingAt === undefined) throw new TypeError('a processing job has no start time')
  if (job.status === 'processing') return { ...base, status: job.status, processingAt }
  const rows = job.shards.reduce((sum, shard) => sum + shard.rows, 0)
  const bytes = job.shards.reduce((sum, shard) => sum + shard.bytes, 0)
  return { ...base, status: job.status, processingAt, completedAt: job.completedAt, rows, bytes }
}
