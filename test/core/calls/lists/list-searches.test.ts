import { describe, expect, it } from 'vitest'
import { Forbidden, Unauthorized } from '../../../../core/errors.ts'
import { writeCursor } from '../../../../core/paging/cursor.ts'
import { idsOf, later, nameOf, openList } from '../../../builders/open-list.ts'
import { otherKey, ownKey, revokedKey, unknownKey } from '../../../builders/own-job.ts'
import { jobIdOf, newJob, retentionDays } from '../../../builders/sample-search.ts'
import { readFaultPaths, readFaults } from './read-faults.ts'

describe('the list of searches', () => {
  it('shows a job in each state, the newest first', async () => {
    const { ask } = await openList(['queued', 'processing', 'completed', 'failed'])
    const base = (second: number) => ({
      job_id: nameOf(second),
      created_at: `2026-11-20T09:30:0${second}.123+00:00`,
      fee_schedule_count: 1,
      first_fee_schedule: { payer: 'Acme Health', plan: 'Gold PPO' },
      filters: [
        { name: 'billing_codes', count: 1, first: ['99213'] },
        { name: 'npis', count: 1, first: ['1003000126'] },
      ],
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

  it('lists nothing before the first search', async () => {
    expect(await (await openList()).ask()).toEqual({ searches: [], next_cursor: null })
  })

  it.each([1, 2, 3, 7, 12, 13, 100])('lists every job once over pages of %i', async (limit) => {
    const { readPages } = await openList(Array.from({ length: 12 }, () => 'queued'))
    const pages = await readPages({ limit: String(limit) })
    expect(idsOf(...pages)).toEqual(Array.from({ length: 12 }, (_, index) => nameOf(11 - index)))
    expect(pages).toHaveLength(Math.ceil(12 / limit))
  })

  it('lists fifty jobs a page by default', async () => {
    const { ask } = await openList(Array.from({ length: 60 }, () => 'queued'))
    expect((await ask()).searches).toHaveLength(50)
  })

  it.each(['queued', 'processing', 'completed', 'failed'] as const)(
    'returns only %s jobs if asked for them',
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

  it('lists only the jobs of the organization', async () => {
    const { ask, add } = await openList(['queued'])
    await add('queued', 5, otherKey.orgId)
    expect(idsOf(await ask())).toEqual([nameOf(0)])
    expect(idsOf(await ask({}, otherKey))).toEqual([jobIdOf(`${otherKey.orgId} 5`)])
  })
})

describe('a cursor of the list', () => {
  it('refuses a cursor of another organization or another status', async () => {
    const { ask, add } = await openList(['queued', 'queued', 'queued'])
    for (const second of [1, 2, 3]) await add('queued', second, otherKey.orgId)
    const cursor = (await ask({ limit: '1' })).next_cursor ?? ''
    const filtered = (await ask({ limit: '1', status: 'queued' })).next_cursor ?? ''
    expect(await readFaultPaths(ask({ cursor, limit: '2' }))).toEqual([])
    expect(await readFaultPaths(ask({ cursor: filtered, status: 'queued' }))).toEqual([])
    expect(await readFaultPaths(ask({ cursor }, otherKey))).toEqual(['cursor'])
    expect(await readFaultPaths(ask({ cursor, status: 'queued' }))).toEqual(['cursor'])
    expect(await readFaultPaths(ask({ cursor: filtered }))).toEqual(['cursor'])
    expect(await readFaultPaths(ask({ cursor: filtered, status: 'failed' }))).toEqual(['cursor'])
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
  ])('must be a position in the list: %s', async (_, position, paths) => {
    const { ask } = await openList(['queued', 'queued'])
    const cursor = writeCursor(['searches', ownKey.orgId, null], position)
    expect(await readFaultPaths(ask({ cursor }))).toEqual(paths)
  })
})

describe('the parameters of the list', () => {
  it('names the allowed values and the one that was sent', async () => {
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
    [{ status: 'done', limit: '-1', cursor: 'y' }, ['status', 'limit', 'cursor']],
  ])('%j are refused at %j, all at once', async (parameters, paths) => {
    const { ask } = await openList()
    expect(await readFaultPaths(ask({ ...parameters }))).toEqual(paths)
  })

  it('checks the key before the parameters', async () => {
    const { ask } = await openList()
    await expect(ask({ limit: 'x' }, unknownKey)).rejects.toThrow(Unauthorized)
    await expect(ask({ limit: 'x' }, revokedKey)).rejects.toThrow(Forbidden)
  })
})
