import { describe, expect, it } from 'vitest'
import { maxExamined } from '../../../../core/calls/lists/list-searches.ts'
import type { JobStatus } from '../../../../core/job/job.ts'
import { idsOf, later, nameOf, openList } from '../../../builders/open-list.ts'
import { newJob } from '../../../builders/sample-search.ts'

describe('over an index that lags', () => {
  it('never shows a state that a poll does not', async () => {
    const { ask, list, jobs } = await openList(['queued'])
    await ask()
    list.isCurrent = false
    await jobs.begin(newJob({ jobId: nameOf(0) }), { contents: [] }, later(1))
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
