import { describe, expect, it } from 'vitest'
import { type Job, type JobStatus, transitions } from '../../../../core/job/job.ts'
import type { WriteOutcome } from '../../../../core/write-outcome.ts'
import { completedBy, expiresAt, failedBy, newJob, otherRun, storeJob, touchedAt } from '../../../builders/new-job.ts'
import { request } from '../../../builders/sample-search.ts'
import { openJobs } from './open-jobs.ts'

const { stores } = openJobs()

const statuses: readonly JobStatus[] = ['queued', 'processing', 'completed', 'failed']

const pairs = statuses.flatMap((from) => (['processing', 'completed', 'failed'] as const).map((to) => ({ from, to })))
const isInTable = ({ from, to }: { readonly from: JobStatus; readonly to: JobStatus }) =>
  transitions[from].some((next) => next === to)

describe.each(Object.entries(stores))('in %s', (_, jobs) => {
  /** The call that moves a job to each later state. */
  const moves: Readonly<Record<Exclude<JobStatus, 'queued'>, (job: Job) => Promise<WriteOutcome>>> = {
    processing: (job) => jobs.begin(job, { contents: ['content-2'] }, touchedAt),
    completed: (job) => jobs.complete(completedBy(job), expiresAt),
    failed: (job) => jobs.fail(failedBy(job, 'timeout: It took too long.'), expiresAt),
  }

  describe('the transition table', () => {
    it.each(pairs.filter(isInTable))('lets a $from job become $to', async ({ from, to }) => {
      const job = await storeJob(jobs, from)
      expect(await moves[to](job)).toBe('written')
      expect((await jobs.read(job))?.status).toBe(to)
    })

    it.each(pairs.filter((pair) => !isInTable(pair)))('keeps a $from job from becoming $to', async ({ from, to }) => {
      const job = await storeJob(jobs, from)
      expect(await moves[to](job)).toBe('superseded')
      expect(await jobs.read(job)).toEqual(job)
    })

    it.each(['completed', 'failed'] as const)('keeps a %s job without contents from being picked up', async (end) => {
      const job = await storeJob(jobs)
      await jobs.begin(job, {}, touchedAt)
      await moves[end](job)
      const ended = await jobs.read(job)
      expect(ended?.status).toBe(end)
      expect(await jobs.begin(job, { contents: ['content-1'] }, touchedAt)).toBe('superseded')
      expect(await jobs.read(job)).toEqual(ended)
    })

    it.each(pairs)('refuses $from to $to for another run', async ({ from, to }) => {
      const job = await storeJob(jobs, from)
      expect(await moves[to](otherRun(job))).toBe('superseded')
      expect(await jobs.noteQuery(otherRun(job), { queryId: 'query', attempt: 1 }, touchedAt)).toBe('superseded')
      expect(await jobs.read(job)).toEqual(job)
    })

    it.each(['processing', 'completed', 'failed'] as const)('creates no %s job if none exists', async (to) => {
      const job = newJob()
      expect(await moves[to](job)).toBe('superseded')
      expect(await jobs.read(job)).toBeUndefined()
    })
  })

  describe('picking a job up', () => {
    it('chooses the contents once', async () => {
      const job = await storeJob(jobs)
      expect(await jobs.begin(job, { contents: ['content-1', 'content-2'] }, touchedAt)).toBe('written')
      expect(await jobs.begin(job, { contents: ['content-3'] }, touchedAt)).toBe('superseded')
      expect(await jobs.read(job)).toEqual({ ...job, status: 'processing', contents: ['content-1', 'content-2'] })
    })

    it('may leave the choice of contents to a later call', async () => {
      const job = await storeJob(jobs)
      expect(await jobs.begin(job, {}, touchedAt)).toBe('written')
      expect(await jobs.read(job)).toEqual({ ...job, status: 'processing' })
      expect(await jobs.begin(job, { contents: [] }, touchedAt)).toBe('written')
      expect(await jobs.read(job)).toEqual({ ...job, status: 'processing', contents: [] })
    })
  })

  describe('noting a query', () => {
    it('keeps the latest one while the job is processing', async () => {
      const job = await storeJob(jobs, 'processing')
      for (const query of [
        { queryId: 'first', attempt: 1 },
        { queryId: 'second', attempt: 2 },
      ]) {
        expect(await jobs.noteQuery(job, query, touchedAt)).toBe('written')
        expect(await jobs.read(job)).toEqual({ ...job, query })
      }
    })

    it('keeps the latest one on a job that fails, so that it can be stopped', async () => {
      const job = await storeJob(jobs, 'processing')
      const query = { queryId: 'first', attempt: 1 }
      await jobs.noteQuery(job, query, touchedAt)
      await jobs.fail(failedBy(job), expiresAt)
      expect(await jobs.read(job)).toEqual({ ...failedBy(job), query })
    })

    it.each(['queued', 'completed', 'failed'] as const)('leaves a %s job unchanged', async (status) => {
      const job = await storeJob(jobs, status)
      expect(await jobs.noteQuery(job, { queryId: 'query', attempt: 1 }, touchedAt)).toBe('superseded')
      expect(await jobs.read(job)).toEqual(job)
    })
  })

  describe('touching a job', () => {
    it.each(['queued', 'processing'] as const)('changes nothing visible of a %s job', async (status) => {
      const job = await storeJob(jobs, status)
      expect(await jobs.touch(job, touchedAt)).toBe('written')
      expect(await jobs.touch(otherRun(job), touchedAt)).toBe('superseded')
      expect(await jobs.read(job)).toEqual(job)
    })

    it.each(['completed', 'failed'] as const)('leaves a %s job unchanged', async (status) => {
      expect(await jobs.touch(await storeJob(jobs, status), touchedAt)).toBe('superseded')
    })
  })

  describe('creating a job', () => {
    it('stores the request under its hash and the job', async () => {
      const job = newJob()
      await jobs.create(job, request, expiresAt)
      expect(await jobs.read(job)).toEqual(job)
      expect(await jobs.readRequest(job.orgId, job.requestHash)).toEqual(request)
    })

    it('succeeds again when it is repeated, and changes nothing once the job has begun', async () => {
      const job = newJob()
      for (const _ of ['once', 'again'])
        expect(await jobs.create(job, request, expiresAt)).toEqual({ outcome: 'created' })
      expect(await jobs.read(job)).toEqual(job)
      await jobs.begin(job, { contents: ['content-1'] }, touchedAt)
      expect(await jobs.create(job, request, expiresAt)).toEqual({ outcome: 'created' })
      expect(await jobs.read(job)).toEqual({ ...job, status: 'processing', contents: ['content-1'] })
    })

    it("never shows one organization's job to another", async () => {
      const job = newJob()
      await jobs.create(job, request, expiresAt)
      const { orgId } = newJob()
      expect(await jobs.read({ orgId, jobId: job.jobId })).toBeUndefined()
      expect(await jobs.readRequest(orgId, job.requestHash)).toBeUndefined()
    })
  })

  describe('attempts of one job', () => {
    it('change nothing once another attempt has completed the job, with any number', async () => {
      for (const late of [1, 3]) {
        const job = await storeJob(jobs, 'processing')
        await jobs.complete(completedBy(job, 2), expiresAt)
        expect(await jobs.complete(completedBy(job, late), expiresAt)).toBe('superseded')
        expect(await jobs.read(job)).toEqual(completedBy(job, 2))
      }
    })

    it('cannot change a failed job', async () => {
      const job = await storeJob(jobs, 'failed')
      expect(await jobs.complete(completedBy(job), expiresAt)).toBe('superseded')
      expect(await jobs.read(job)).toEqual(job)
    })
  })
})
