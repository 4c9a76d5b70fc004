import type { SearchesBody } from '../../contract/search-api.ts'
import { listSearches } from '../../core/calls/lists/list-searches.ts'
import type { JobStatus } from '../../core/job/job.ts'
import { addSeconds } from '../../core/time.ts'
import { createMemoryJobList } from '../doubles/memory-job-list.ts'
import { createMemoryJobs } from '../doubles/memory-ports.ts'
import { completedBy, failedBy } from './new-job.ts'
import { letIn, ownKey } from './own-job.ts'
import { createdAt, jobIdOf, newJob, request, retentionDays } from './sample-search.ts'

export const later = (seconds: number) => addSeconds(createdAt, seconds)

/** A service with jobs of the sample organization, created one per second, each in the named state. */
export async function openList(statuses: readonly JobStatus[] = []) {
  const jobs = createMemoryJobs()
  const list = createMemoryJobList(jobs)
  let now = later(3600)
  const add = async (status: JobStatus, seconds: number, orgId = ownKey.orgId) => {
    const job = newJob({ orgId, jobId: jobIdOf(`${orgId} ${seconds}`), createdAt: later(seconds) })
    await jobs.create(job, request, later(86_400))
    if (status !== 'queued') await jobs.begin(job, { contents: [] }, later(seconds + 0.5))
    if (status === 'completed') await jobs.complete(completedBy(job), later(86_400))
    if (status === 'failed') await jobs.fail(failedBy(job), later(86_400))
    return job
  }
  for (const [index, status] of statuses.entries()) await add(status, index)
  const deps = { ...letIn({ jobs }), list, retentionDays, log: () => {}, now: () => now }
  const ask = (parameters: Readonly<Record<string, string>> = {}, key = ownKey) => listSearches(deps, key, parameters)
  return {
    jobs,
    list,
    add,
    ask,
    setTime: (time: Date) => {
      now = time
    },
    async readPages(parameters: Readonly<Record<string, string>>): Promise<readonly SearchesBody[]> {
      const pages = [await ask(parameters)]
      for (let cursor = pages[0]?.next_cursor; cursor; cursor = pages.at(-1)?.next_cursor)
        pages.push(await ask({ ...parameters, cursor }))
      return pages
    },
  }
}

export const idsOf = (...pages: readonly SearchesBody[]) =>
  pages.flatMap(({ searches }) => searches.map(({ job_id }) => job_id))
export const nameOf = (second: number) => jobIdOf(`${ownKey.orgId} ${second}`)
