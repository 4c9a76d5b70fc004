import { describe, expect, it } from 'vitest'
import type { SearchesBody } from '../../../contract/search-api.ts'
import { listSearches, maxExamined } from '../../../core/calls/list-searches.ts'
import { Forbidden, InvalidRequest, Unauthorized } from '../../../core/errors.ts'
import type { JobStatus } from '../../../core/job/job.ts'
import { addSeconds } from '../../../core/job/timestamp.ts'
import { writeCursor } from '../../../core/page/cursor.ts'
import { completedBy, failedBy } from '../../builders/new-job.ts'
import { letIn, otherKey, ownKey, revokedKey, unknownKey } from '../../builders/own-job.ts'
import { createdAt, jobIdOf, newJob, request, retentionDays } from '../../builders/sample-search.ts'
import { createMemoryJobList } from '../../doubles/memory-job-list.ts'
import { createMemoryJobs } from '../../doubles/memory-ports.ts'

const later = (seconds: number) => addSeconds(createdAt, seconds)

/** A service with jobs of the sample organization, created one per second, each in the named state. */
async function openList(statuses: readonly JobStatus[] = []) {
  const jobs = createMemoryJobs()
  const list = createMemoryJobList(jobs)
  let now = later(3600)
  const add = async (status: JobStatus, seconds: number, orgId = ownKey.orgId) => {
    const job = newJob({ orgId, jobId: jobIdOf(`${orgId} ${seconds}`), createdAt: later(seconds) })
    await jobs.create(job, request, later(86_400))
    if (status !== 'queued') await jobs.begin(job, [], later(seconds + 0.5))
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

const idsOf = (...pages: readonly SearchesBody[]) =>
  pages.flatMap(({ searches }) => searches.map(({ job_id }) => job_id))
const nameOf = (second: number) => jobIdOf(`${ownKey.orgId} ${second}`)

const readFaults = (asked: Promise<unknown>) =>
  asked.then(
    () => [],
    (error: unknown) => {
      if (error instanceof InvalidRequest) return error.details
      throw error
    },
  )
const faultsOf = async (asked: Promise<unknown>) => (await readFaults(asked)).map(({ path }) => path)

describe('the list of searches', () => {
  it('shows a job in each state, the newest first', async () => {
    const { ask } = await openList(['queued', 'processing', 'completed', 'failed'])
    const base = (second: number) => ({
      job_id: nameOf(second),
      created_at: `2026-11-20T09:30:0${second}.123+00:00`,
      fee_schedule_count: 1,
      first_fee_schedule: { payer: 'Acme Health', plan: 'Gold PPO' },
    })
    const picked = (second: number) => ({ ...base(second), processing_at: `2026-11-20T09:30:0${second}.623+00:00` })
    const endedAt = '2026-11-20T09:31:07.004+00:00'
    expect(await ask()).toStrictEqual({
      searches: [
        { ...picked(3), status: 'failed', failed_at: endedAt, error: 'internal: It broke.' },
        { ...picked(2), status: 'completed', completed_at: endedAt, rows: 15, bytes: 6144 },
        { ...picked(1), status: 'processing' },
        { ...base(0), status: 'queued' },
      ],
      next_cursor: null,
    })
  })

  it('is empty before the first search', async () => {
    expect(await (await openList()).ask()).toEqual({ searches: [], next_cursor: null })
  })

  it.each([1, 2, 3, 7, 12, 13, 100])('has every job once over its pages of %i', async (limit) => {
    const { readPages } = await openList(Array.from({ length: 12 }, () => 'queued'))
    const pages = await readPages({ limit: String(limit) })
    expect(idsOf(...pages)).toEqual(Array.from({ length: 12 }, (_, index) => nameOf(11 - index)))
    expect(pages).toHaveLength(Math.ceil(12 / limit))
  })

  it('has fifty jobs a page by default', async () => {
    const { ask } = await openList(Array.from({ length: 60 }, () => 'queued'))
    expect((await ask()).searches).toHaveLength(50)
  })

  it.each(['queued', 'processing', 'completed', 'failed'] as const)(
    'has only %s jobs if asked for them',
    async (status) => {
      const { readPages } = await openList(
        Array.from(
          { length: 20 },
          (_, index) => (['queued', 'processing', 'completed', 'failed'] as const)[index % 4] ?? 'queued',
        ),
      )
      const pages = await readPages({ status, limit: '2' })
      expect(pages.flatMap(({ searches }) => searches.map((each) => each.status))).toEqual(Array(5).fill(status))
    },
  )

  it('continues after a job that was deleted meanwhile', async () => {
    const { ask, jobs, add } = await openList(['failed', 'failed', 'failed'])
    const { next_cursor: cursor } = await ask({ limit: '2' })
    const last = (await jobs.read({ orgId: ownKey.orgId, jobId: nameOf(1) })) ?? newJob()
    await jobs.noteAnnounced(last)
    await jobs.remove(last)
    await add('queued', 10)
    expect(idsOf(await ask({ cursor: cursor ?? '' }))).toEqual([nameOf(0)])
  })

  it('omits jobs past their retention, which the table may still have', async () => {
    const { ask, setTime, add } = await openList(['completed', 'failed', 'queued'])
    setTime(later(retentionDays * 86_400 + 3600))
    await add('queued', 86_400)
    expect(idsOf(await ask())).toEqual([jobIdOf(`${ownKey.orgId} 86400`), nameOf(2)])
  })

  it('has only the jobs of the organization', async () => {
    const { ask, add } = await openList(['queued'])
    await add('queued', 5, otherKey.orgId)
    expect(idsOf(await ask())).toEqual([nameOf(0)])
    expect(idsOf(await ask({}, otherKey))).toEqual([jobIdOf(`${otherKey.orgId} 5`)])
  })
})

describe('over an index that lags', () => {
  it('never shows a state that a poll does not', async () => {
    const { ask, list, jobs } = await openList(['queued'])
    await ask()
    list.isCurrent = false
    await jobs.begin(newJob({ jobId: nameOf(0) }), [], later(1))
    expect((await ask()).searches[0]).toMatchObject({ status: 'processing' })
    expect((await ask({ status: 'queued' })).searches).toEqual([])
  })

  it('omits a deleted job, and fills the page with later ones', async () => {
    const { ask, list, jobs } = await openList(['failed', 'failed', 'failed'])
    await ask()
    list.isCurrent = false
    const gone = newJob({ jobId: nameOf(1) })
    await jobs.noteAnnounced(gone)
    await jobs.remove(gone)
    expect(idsOf(await ask({ limit: '2' }))).toEqual([nameOf(2), nameOf(0)])
  })

  it('shows a new job once the index has it', async () => {
    const { ask, list, add } = await openList(['queued'])
    await ask()
    list.isCurrent = false
    await add('queued', 1)
    expect(idsOf(await ask())).toEqual([nameOf(0)])
    list.isCurrent = true
    expect(idsOf(await ask())).toEqual([nameOf(1), nameOf(0)])
  })
})

describe('a page of the list', () => {
  /** The list, and the numbers of jobs that it asks the index and the table for. */
  async function openCounted(statuses: readonly JobStatus[]) {
    const opened = await openList(statuses)
    const { list } = opened
    const { list: listJobs, read } = list
    const counts: string[] = []
    list.list = (orgId, limit, after) => {
      counts.push(`index ${limit}`)
      return listJobs(orgId, limit, after)
    }
    list.read = (orgId, jobs) => {
      counts.push(`table ${jobs.length}`)
      return read(orgId, jobs)
    }
    return { ...opened, counts }
  }
  const many = (count: number) => Array.from({ length: count }, () => 'failed' as const)

  it('reads no more jobs than it shows, and one more key', async () => {
    const { ask, counts } = await openCounted(many(12))
    await ask({ limit: '2' })
    expect(counts).toEqual(['index 3', 'table 2'])
  })

  it('reads only what is missing after jobs that are omitted', async () => {
    const { ask, jobs, list, counts } = await openCounted(many(12))
    await ask({ limit: '5' })
    list.isCurrent = false
    const gone = newJob({ jobId: nameOf(10) })
    await jobs.noteAnnounced(gone)
    await jobs.remove(gone)
    counts.length = 0
    await ask({ limit: '5' })
    expect(counts).toEqual(['index 6', 'table 5', 'index 2', 'table 1'])
  })

  it('reads a hundred jobs at a time with a filter, and ends with the last', async () => {
    const { ask, counts } = await openCounted(many(100))
    expect(await ask({ status: 'queued', limit: '2' })).toEqual({ searches: [], next_cursor: null })
    expect(counts).toEqual(['index 101', 'table 100'])
  })
})

describe('a filter that matches few jobs', () => {
  it('examines a thousand jobs a page, and the pages find every match', async () => {
    const statuses = Array.from(
      { length: maxExamined * 2 + 500 },
      (_, index): JobStatus => (index === 0 || index === maxExamined + 600 ? 'failed' : 'queued'),
    )
    const { readPages, list } = await openList(statuses)
    const pages = await readPages({ status: 'failed', limit: '10' })
    expect(pages.map(({ searches }) => searches.length)).toEqual([1, 0, 1])
    expect(idsOf(...pages)).toEqual([nameOf(maxExamined + 600), nameOf(0)])
    expect(list.examined).toBe(statuses.length)
  })
})

describe('a cursor of the list', () => {
  it('is refused by another organization and with another status', async () => {
    const { ask, add } = await openList(['queued', 'queued', 'queued'])
    for (const second of [1, 2, 3]) await add('queued', second, otherKey.orgId)
    const cursor = (await ask({ limit: '1' })).next_cursor ?? ''
    const filtered = (await ask({ limit: '1', status: 'queued' })).next_cursor ?? ''
    expect(await faultsOf(ask({ cursor, limit: '2' }))).toEqual([])
    expect(await faultsOf(ask({ cursor: filtered, status: 'queued' }))).toEqual([])
    expect(await faultsOf(ask({ cursor }, otherKey))).toEqual(['cursor'])
    expect(await faultsOf(ask({ cursor, status: 'queued' }))).toEqual(['cursor'])
    expect(await faultsOf(ask({ cursor: filtered }))).toEqual(['cursor'])
    expect(await faultsOf(ask({ cursor: filtered, status: 'failed' }))).toEqual(['cursor'])
  })
})

describe('a cursor made by hand', () => {
  const time = '2026-11-20T09:30:01.123Z'

  it.each([
    ['a position in the list', [time, nameOf(1)], []],
    ['a time of another form', ['2026-11-20T09:30:01Z', nameOf(1)], ['cursor']],
    ['no time', ['yesterday', nameOf(1)], ['cursor']],
    ['no job id', [time, 'job'], ['cursor']],
    ['more than a position', [time, nameOf(1), 'more'], ['cursor']],
    ['half a position', [time], ['cursor']],
  ])('with %s has the faults %3$j', async (_, place, paths) => {
    const { ask } = await openList(['queued', 'queued'])
    const cursor = writeCursor(['searches', ownKey.orgId, null], place)
    expect(await faultsOf(ask({ cursor }))).toEqual(paths)
  })
})

describe('the parameters of the list', () => {
  it('are refused with what is allowed and what was sent', async () => {
    const { ask } = await openList()
    expect(await readFaults(ask({ status: 'done', cursor: 'y' }))).toEqual([
      { path: 'status', message: 'must be queued, processing, completed or failed; got "done"' },
      { path: 'cursor', message: 'must be the next_cursor of a page with the same status; got "y"' },
    ])
  })

  it.each([
    [{ limit: '0' }, ['limit']],
    [{ limit: '101' }, ['limit']],
    [{ limit: 'ten' }, ['limit']],
    [{ status: '' }, ['status']],
    [{ status: 'Failed' }, ['status']],
    [{ cursor: '' }, ['cursor']],
    [{ page: '2' }, ['page']],
    [{ state: 'x', status: 'done', limit: '-1', cursor: 'y' }, ['state', 'status', 'limit', 'cursor']],
  ])('%j are refused at %j, all at once', async (parameters, paths) => {
    const { ask } = await openList()
    expect(await faultsOf(ask({ ...parameters }))).toEqual(paths)
  })

  it('are not checked before the key', async () => {
    const { ask } = await openList()
    await expect(ask({ limit: 'x' }, unknownKey)).rejects.toThrow(Unauthorized)
    await expect(ask({ limit: 'x' }, revokedKey)).rejects.toThrow(Forbidden)
  })
})
