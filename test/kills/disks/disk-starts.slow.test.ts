import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findWrongEnd } from '../../harness/known-searches.ts'
import { ageJobsAtRest } from '../../harness/stored-jobs.ts'
import { awaitEnds } from '../job-ends.ts'
import { ServiceEnded, type ServiceProcess, startServiceProcess } from '../service-process.ts'
import { createSteadyClient } from '../steady-client.ts'
import { canMount, mountSmallDisk, type SmallDisk } from './small-disk.ts'

describe.skipIf(!canMount)('a service with a full or read-only disk (needs root on Linux)', () => {
  let disk: SmallDisk
  let folder: string
  let lives: ServiceProcess[]
  beforeEach(() => {
    disk = mountSmallDisk(64)
    folder = join(disk.folder, 'data')
    mkdirSync(folder)
    lives = []
  })
  afterEach(async () => {
    await Promise.all(lives.map((life) => life.stop()))
    disk.remove()
  })

  const start = () => {
    const life = startServiceProcess(folder)
    lives.push(life)
    return life
  }
  /** Starts a service that must fail to start, and returns its error output. */
  const readComplaint = async () => {
    const error: unknown = await start().ready.catch((reason: unknown) => reason)
    if (!(error instanceof ServiceEnded)) throw new TypeError('the service started although it must not')
    return error.message
  }

  it('reports the full or read-only disk in one line at the start, and exits', async () => {
    disk.fill()
    expect(await readComplaint()).toMatch(/: error: nothing can be stored in .*: 0 MB are free, 8 MB are needed$/)
    disk.free()
    disk.forbidWrites(disk.folder)
    expect(await readComplaint()).toMatch(/: error: nothing can be stored in .*: EROFS: read-only file system, .*$/)
    disk.allowWrites(disk.folder)
    expect(readdirSync(folder).filter((name) => name.startsWith('storage'))).toEqual([])
  }, 60_000)

  it('ends if the disk refuses a write, and keeps and ends every accepted job', async () => {
    const client = createSteadyClient(() => 0.1 + (client.sent.length % 8) / 10)
    const life = start()
    const service = await life.ready
    // A busy machine may refuse the first searches.
    do await client.run(service, 50, AbortSignal.timeout(400))
    while (!client.sent.some(({ jobId }) => jobId !== undefined))
    disk.fill()
    const over = new AbortController()
    life.ended.then(() => over.abort())
    await client.run(service, 500, over.signal)
    expect(await readComplaint()).toMatch(/0 MB are free/)
    disk.free()
    await ageJobsAtRest(folder)
    const next = await start().ready
    await awaitEnds(client, next, AbortSignal.timeout(90_000))
    await client.askAgain(next)
    expect(client.violations).toEqual([])
    expect(client.sent.filter(({ end }) => end === undefined)).toEqual([])
    for (const { known, end } of client.sent) {
      const wrong = end && (await findWrongEnd(known, end))
      if (wrong !== undefined) expect(wrong).toMatch(/^ended internal instead of /)
    }
  }, 300_000)
})
