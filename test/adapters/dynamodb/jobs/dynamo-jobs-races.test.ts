import { describe, expect, it } from 'vitest'
import { completedBy, expiresAt, failedBy, storeJob, touchedAt } from '../../../builders/new-job.ts'
import { openJobs } from './open-jobs.ts'

const { stores } = openJobs()

const writers = Array.from({ length: 40 }, (_, index) => index)

describe.each(Object.entries(stores))('forty writers at once in %s', (_, jobs) => {
  it('choose the contents of one of them', async () => {
    const job = await storeJob(jobs)
    const outcomes = await Promise.all(
      writers.map((writer) => jobs.begin(job, { contents: [`content-${writer}`] }, touchedAt)),
    )
    expect(outcomes.filter((outcome) => outcome === 'written')).toHaveLength(1)
    const winner = outcomes.indexOf('written')
    expect(await jobs.read(job)).toEqual({ ...job, status: 'processing', contents: [`content-${winner}`] })
  })

  it('end the job once, as the winner wrote it', async () => {
    const job = await storeJob(jobs, 'processing')
    const endings = writers.map((writer) =>
      writer % 2 === 0 ? completedBy(job, 1 + writer) : failedBy(job, `internal: Writer ${writer}.`),
    )
    const outcomes = await Promise.all(
      endings.map((ending) =>
        ending.status === 'completed' ? jobs.complete(ending, expiresAt) : jobs.fail(ending, expiresAt),
      ),
    )
    expect(outcomes.filter((outcome) => outcome === 'written')).toHaveLength(1)
    expect(await jobs.read(job)).toEqual(endings[outcomes.indexOf('written')])
  })

  it('complete the job once if each has a different attempt', async () => {
    const job = await storeJob(jobs, 'processing')
    const outcomes = await Promise.all(writers.map((writer) => jobs.complete(completedBy(job, 1 + writer), expiresAt)))
    expect(outcomes.filter((outcome) => outcome === 'written')).toHaveLength(1)
    expect(await jobs.read(job)).toEqual(completedBy(job, 1 + outcomes.indexOf('written')))
  })

  it('never show a completed job without its shards', async () => {
    const job = await storeJob(jobs, 'processing')
    const [snapshots] = await Promise.all([
      Promise.all(writers.map(() => jobs.read(job))),
      jobs.complete(completedBy(job), expiresAt),
    ])
    for (const snapshot of snapshots) expect([job, completedBy(job)]).toContainEqual(snapshot)
  })
})
