import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ObservedService } from '../../local/endpoint.ts'
import { type BreakableEndpoint, startBreakableEndpoint } from './breakable-endpoint.ts'
import { failure, findPostedWrong, maxAnswerMs, type SweptService, startSweptService } from './swept-service.ts'

const folder = mkdtempSync(join(tmpdir(), 'outages-'))
const fronts = new Map<ObservedService, BreakableEndpoint>()
let service: SweptService

beforeAll(async () => {
  service = await startSweptService(folder, {
    observe: async (name, url) => {
      const front = await startBreakableEndpoint(url)
      fronts.set(name, front)
      return front
    },
  })
}, 120_000)

afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})

/** Stops an endpoint while `use` runs. */
async function without<Result>(name: ObservedService, use: () => Promise<Result>): Promise<Result> {
  const front = fronts.get(name)
  if (front === undefined) throw new TypeError(`${name} has no proxy`)
  await front.stop()
  try {
    return await use()
  } finally {
    await front.heal()
  }
}

describe('an outage of', () => {
  it('DynamoDB makes creating and polling soon answer a well-formed 500', async () => {
    const { job_id: jobId } = await service.completeSearch()
    const answers = await without('dynamodb', async () => [await service.post(), await service.get(jobId)])
    for (const { status, body, tookMs } of answers) {
      expect(status).toBe(500)
      expect(body).toEqual(failure)
      expect(tookMs).toBeLessThan(maxAnswerMs)
    }
    await service.completeSearch()
  }, 90_000)

  it('Step Functions lets creating answer 202, and the sweeper starts the job', async () => {
    const { status, body, tookMs } = await without('states', service.post)
    expect(status).toBe(202)
    expect(tookMs).toBeLessThan(maxAnswerMs)
    expect((await service.get(body.job_id)).body.status).toBe('queued')
    await service.sweep(61)
    const end = await service.awaitEnd(body.job_id)
    expect(await findPostedWrong(end)).toBeUndefined()
  }, 90_000)

  it('STS lets a completed job answer 200 with URLs or a well-formed 500, and creating 202', async () => {
    const { job_id: jobId } = await service.completeSearch()
    const [completed, created] = await without(
      'sts',
      async () => [await service.get(jobId), await service.post()] as const,
    )
    if (completed.status === 200) expect(completed.body.status).toBe('completed')
    else expect(completed).toMatchObject({ status: 500, body: failure })
    expect(completed.tookMs).toBeLessThan(maxAnswerMs)
    expect(created.status).toBe(202)
    await service.awaitEnd(created.body.job_id)
    await service.completeSearch()
  }, 90_000)

  it('S3 lets URLs of completed jobs be signed, and a running search end', async () => {
    const { job_id: jobId } = await service.completeSearch()
    const [completed, created] = await without('s3', async () => {
      const answers = [await service.get(jobId), await service.post()] as const
      await sleep(1500)
      return answers
    })
    expect(completed).toMatchObject({ status: 200, body: { status: 'completed' } })
    expect(created.status).toBe(202)
    await service.awaitEnd(created.body.job_id)
    await service.completeSearch()
  }, 90_000)

  it.each(['athena', 'dynamodb', 'states'] as const)(
    '%s in the middle of searches lets every search end',
    async (name) => {
      const created = [await service.post(), await service.post(), await service.post()]
      await sleep(200)
      await without(name, () => sleep(1500))
      for (const { status, body } of created) {
        expect(status).toBe(202)
        await service.awaitEnd(body.job_id)
      }
      await service.completeSearch()
    },
    120_000,
  )
})

describe('the service whose storage refuses writes', () => {
  it('ends a search, answers polls, and completes new searches once writes are accepted again', async () => {
    const { job_id: before } = await service.completeSearch()
    // A file in place of the folder: unlike permissions or quotas, this stops root too.
    const place = join(folder, 's3')
    renameSync(place, `${place}.away`)
    writeFileSync(place, '')
    const created = await service.post()
    expect(created.status).toBe(202)
    const end = await service.awaitEnd(created.body.job_id)
    expect(end).toMatchObject({ status: 'failed', error: expect.stringMatching(/^internal: /) })
    expect(await service.get(before)).toMatchObject({ status: 200, body: { status: 'completed' } })
    rmSync(place)
    renameSync(`${place}.away`, place)
    const healed = await service.get(before)
    expect(await findPostedWrong(healed.body)).toBeUndefined()
    await service.completeSearch()
  }, 120_000)
})
