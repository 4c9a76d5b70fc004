import { describe, expect, it } from 'vitest'
import { issueTrialOrganizationId } from '../../../core/access/api-key.ts'
import { failSearch } from '../../../core/job/end-search.ts'
import { trySettleSearch } from '../../../core/job/settle-search.ts'
import { sweepSearches } from '../../../core/workflow/sweep-searches.ts'
import { openSearch, storeProcessing } from '../../builders/open-search.ts'
import { jobIdOf } from '../../builders/sample-search.ts'
import { wideLimits } from '../../doubles/memory-usages.ts'

const timeout = { word: 'timeout', sentence: 'It took too long.' } as const

/** A processing job that holds a slot, and a sweeper. */
async function openSlot() {
  const search = openSearch()
  const { deps, jobs, clock } = search
  const job = await storeProcessing(search)
  const { createdAt } = (await jobs.read(job)) ?? { createdAt: clock.now() }
  await deps.usages.take({ ...job, at: createdAt, limits: wideLimits }, await deps.usages.read(job.orgId))
  clock.advance(5)
  return {
    ...search,
    job,
    createdAt,
    slots: async () => [...(await deps.usages.read(job.orgId)).slots.keys()],
    sweep: () => sweepSearches({ ...deps, unended: jobs, limits: { waitingHours: 6, runningHours: 2 } }),
  }
}

describe('a search that ends', () => {
  it('frees its slot, is announced without its sentence, and leaves the index', async () => {
    const { deps, jobs, job, createdAt, clock, slots } = await openSlot()
    await failSearch(deps, job, timeout)
    expect(await slots()).toEqual([])
    const iso = (time: Date) => time.toISOString().replace('Z', '+00:00')
    expect(deps.announcements.made).toStrictEqual([
      {
        id: `${job.jobId}-${job.run}`,
        version: 1,
        job_id: job.jobId,
        org_id: job.orgId,
        created_at: iso(createdAt),
        status: 'failed',
        failed_at: iso(clock.now()),
        error_word: 'timeout',
      },
    ])
    expect(await jobs.list(10)).toEqual([])
  })

  it('announces nothing if it was a trial, but frees its slot and leaves the index', async () => {
    const search = openSearch()
    const { deps, jobs } = search
    const { announcements } = deps
    const job = await storeProcessing(search, { orgId: issueTrialOrganizationId() })
    await failSearch(deps, job, timeout)
    expect(announcements.made).toEqual([])
    expect(await jobs.list(10)).toEqual([])
  })

  it('ends even if nothing after its end works, and says so in the log', async () => {
    const { deps, jobs, job, lines } = await openSlot()
    deps.announcements.fault = new Error('EventBridge is unavailable')
    expect(await failSearch(deps, job, timeout)).toBe('written')
    expect(lines.at(-1)).toEqual({
      event: 'end not announced yet',
      facts: { job_id: job.jobId, cause: 'Error: EventBridge is unavailable' },
    })
    expect(await jobs.list(10)).toMatchObject([{ jobId: job.jobId, status: 'failed' }])
  })

  it('settles only by its own run, and only once it has ended', async () => {
    const { deps, jobs, job, slots, lines, clock } = await openSlot()
    await trySettleSearch(deps, job)
    await trySettleSearch(deps, { ...job, jobId: 'gone' })
    await jobs.fail({ ...job, failedAt: clock.now(), error: 'timeout: x' }, clock.now())
    await trySettleSearch(deps, { ...job, run: 'an earlier one' })
    expect(deps.announcements.made).toEqual([])
    expect(await slots()).toEqual([job.jobId])
    await trySettleSearch(deps, job)
    expect(deps.announcements.made).toHaveLength(1)
    expect(lines).toEqual([])
  })

  it('gets announced by the sweeper a minute after its end if that failed before', async () => {
    const { deps, job, clock, sweep, jobs } = await openSlot()
    deps.announcements.fault = new Error('EventBridge is unavailable')
    await failSearch(deps, job, timeout)
    deps.announcements.fault = undefined
    clock.advance(59)
    await sweep()
    expect(deps.announcements.made).toEqual([])
    clock.advance(1)
    await sweep()
    expect(deps.announcements.made).toMatchObject([{ job_id: job.jobId }])
    clock.advance(600)
    await sweep()
    expect(deps.announcements.made).toHaveLength(1)
    expect(await jobs.list(10)).toEqual([])
  })

  it('waits behind other jobs if the sweeper cannot announce it either, and counts as neither waiting nor running', async () => {
    const { deps, job, clock, sweep, jobs } = await openSlot()
    deps.announcements.fault = new Error('EventBridge is unavailable')
    await failSearch(deps, job, timeout)
    clock.advance(120)
    expect(await sweep()).toMatchObject({ oldestWaiting: 0, oldestRunning: 0, restarted: 0 })
    expect(await jobs.list(10)).toMatchObject([{ jobId: job.jobId, touchedAt: clock.now() }])
  })

  it('counts its age from its end for as long as the sweeper cannot announce it', async () => {
    const { deps, job, clock, sweep, lines } = await openSlot()
    deps.announcements.fault = new Error('EventBridge is unavailable')
    await failSearch(deps, job, timeout)
    clock.advance(59)
    expect(await sweep()).toMatchObject({ oldestUnannounced: 0 })
    clock.advance(61)
    expect(await sweep()).toMatchObject({ oldestUnannounced: 120 })
    clock.advance(60)
    expect(await sweep()).toMatchObject({ oldestUnannounced: 180 })
    expect(lines.at(-1)).toEqual({
      event: 'job not swept',
      facts: { job_id: job.jobId, cause: 'NotAnnounced: Error: EventBridge is unavailable' },
    })
    deps.announcements.fault = undefined
    clock.advance(60)
    expect(await sweep()).toMatchObject({ oldestUnannounced: 0 })
  })

  it('waits behind other jobs if the sweeper cannot read it', async () => {
    const { deps, job, clock, jobs } = await openSlot()
    deps.announcements.fault = new Error('EventBridge is unavailable')
    await failSearch(deps, job, timeout)
    clock.advance(120)
    const unreadable = { ...jobs, read: () => Promise.reject(new Error('no read')) }
    await sweepSearches({ ...deps, jobs: unreadable, unended: jobs, limits: { waitingHours: 6, runningHours: 2 } })
    expect(await jobs.list(10)).toMatchObject([{ jobId: job.jobId, touchedAt: clock.now() }])
  })
})

describe('a slot', () => {
  it('stays if it cannot be reviewed, which the sweep logs', async () => {
    const { deps, job, sweep, slots, lines, clock } = await openSlot()
    deps.reviews.list = () => Promise.reject(new Error('throttled'))
    clock.advance(600)
    await sweep()
    expect(lines).toContainEqual({ event: 'slots not freed', facts: { cause: 'Error: throttled' } })
    expect(await slots()).toEqual([job.jobId])
  })

  it('whose request died before it stored its job is free after five minutes', async () => {
    const { deps, clock, sweep, slots, job } = await openSlot()
    const lost = { orgId: job.orgId, jobId: jobIdOf('lost'), at: clock.now(), limits: wideLimits }
    await deps.usages.take(lost, await deps.usages.read(job.orgId))
    clock.advance(290)
    await sweep()
    expect(await slots()).toEqual([job.jobId, lost.jobId])
    clock.advance(11)
    await sweep()
    expect(await slots()).toEqual([job.jobId])
  })
})
