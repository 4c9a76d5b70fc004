import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectJobsTable, listStoredJobs } from '../stored-jobs.ts'
import { failure, findPostedWrong, maxAnswerMs, type SweptService, startSweptService } from '../swept-service.ts'
import { canMount, mountSmallDisk, type SmallDisk } from './small-disk.ts'

describe.skipIf(!canMount)('a service whose disk refuses writes (needs root on Linux)', () => {
  let disk: SmallDisk
  let folder: string
  let service: SweptService
  beforeAll(async () => {
    disk = mountSmallDisk(64)
    folder = join(disk.folder, 'data')
    mkdirSync(folder)
    service = await startSweptService(folder)
  }, 120_000)
  afterAll(async () => {
    await service.close()
    disk.remove()
  })

  /** Searches and polls while the disk is broken; after the repair every job must end correctly. */
  async function searchWhile(breakDisk: () => void, repairDisk: () => void): Promise<readonly string[]> {
    const { job_id: before } = await service.completeSearch()
    const early = [await service.post(), await service.post(), await service.post()]
    breakDisk()
    const answers = []
    try {
      for (let turn = 0; turn < 5; turn++) {
        answers.push(...(await Promise.all([service.post(), service.post()])))
        const polls = await Promise.all([before, ...early.map(({ body }) => body.job_id)].map(service.get))
        for (const { status, tookMs } of polls) {
          expect(status).toBe(200)
          expect(tookMs).toBeLessThan(maxAnswerMs)
        }
        await sleep(100)
      }
    } finally {
      repairDisk()
    }
    for (const { status, body, tookMs } of answers) {
      if (status !== 202) expect({ status, body }).toEqual({ status: 500, body: failure })
      expect(tookMs).toBeLessThan(maxAnswerMs)
    }
    expect(await findPostedWrong((await service.get(before)).body)).toBeUndefined()
    const accepted = [...early, ...answers].filter(({ status }) => status === 202)
    for (const { body } of accepted) {
      const end = await service.awaitEnd(body.job_id)
      if (end.status === 'failed') expect(end.error).toMatch(/^internal: /)
      else expect(await findPostedWrong(end)).toBeUndefined()
    }
    await service.completeSearch()
    const stored = await listStoredJobs(connectJobsTable(folder))
    expect(stored.map(({ jobId }) => jobId)).toEqual(expect.arrayContaining(accepted.map(({ body }) => body.job_id)))
    return answers.filter(({ status }) => status === 500).map(({ body }) => body.job_id)
  }

  it('loses no accepted search while the disk is full, and ends each once there is room again', async () => {
    const refused = await searchWhile(disk.fill, disk.free)
    expect(refused.length).toBeGreaterThan(0)
  }, 120_000)

  it('loses no accepted search while the disk is read-only, and ends each once it is writable again', async () => {
    await searchWhile(
      () => disk.forbidWrites(folder),
      () => disk.allowWrites(folder),
    )
  }, 120_000)
})
