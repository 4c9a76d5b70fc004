import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NotPermitted } from '../../../core/access/permissions.ts'
import { type CreateSearch, createSearch } from '../../../core/calls/create-search.ts'
import { IdempotencyMismatch, InvalidRequest } from '../../../core/errors.ts'
import { BytesLimited } from '../../../core/limits/bytes-limited.ts'
import { RateLimited } from '../../../core/limits/rate-limited.ts'
import { isoDay } from '../../../core/time.ts'
import { race, raceJobs } from '../../builders/open-search.ts'
import { body, lookTooEarly, openCreate as open, ownKey } from '../../builders/own-job.ts'
import { newContent } from '../../builders/sample-search.ts'
import { createMemoryAccess } from '../../doubles/memory-access.ts'
import { createMemoryCreationLookup } from '../../doubles/memory-usages.ts'

/** Creates searches of 100 bytes each, with a key that has a limit of bytes per day. */
function openCreate(bytesPerDay: number) {
  const create = open()
  const [source] = newContent().sources
  if (source === undefined) throw new Error('the content has no source')
  create.contents.contents.set('content-1', { ...newContent(), tableBytes: 10, sources: [{ ...source, bytes: 90 }] })
  const access = createMemoryAccess([{ orgId: ownKey.orgId, name: 'Acme', active: true }], [{ ...ownKey, bytesPerDay }])
  const deps: CreateSearch = {
    ...create.deps,
    access,
    creationLookup: createMemoryCreationLookup(access, create.jobs, create.usages),
  }
  const readToday = (now = create.clock.now()) =>
    deps.byteUsages.read({ orgId: ownKey.orgId, keyId: ownKey.keyId, day: isoDay(now) })
  const post = (idempotencyKey?: string, sent: unknown = body, use: CreateSearch = deps) =>
    createSearch(use, ownKey, () => sent, idempotencyKey)
  return { ...create, deps, post, readToday }
}

describe('a search of a key with bytes per day', () => {
  it('takes the bytes of its estimate, until too few are left', async () => {
    const { post, readToday, ids, clock } = openCreate(250)
    await post()
    await post()
    const refused = post()
    await expect(refused).rejects.toThrow(BytesLimited)
    const now = clock.now()
    const midnight = new Date(`${isoDay(now)}T00:00:00Z`).getTime() + 86_400_000
    await expect(refused).rejects.toThrow(
      /^This API key's searches may read 250 bytes a day \(UTC\): those of today read at most 200, and this one would read at most 100\. .+ The limit is whole again at 20.+T00:00:00\.000\+00:00\.$/,
    )
    await expect(refused).rejects.toMatchObject({
      type: 'rate_limited',
      retryAfter: Math.ceil((midnight - now.getTime()) / 1000),
    })
    expect([await readToday(), ids.length]).toEqual([200, 3])
    clock.advance((midnight - now.getTime()) / 1000)
    await post()
    expect(await readToday()).toBe(100)
  })

  it('notes in its job what it took, which decides whether folders may be read', async () => {
    const { post, jobs } = openCreate(250)
    const { job } = await post()
    expect(await jobs.read(job)).toMatchObject({ bytesTaken: 100 })
  })

  it('waits for no other day if the whole limit is too small for it', async () => {
    const { post, readToday } = openCreate(99)
    const refused = post()
    await expect(refused).rejects.toThrow(NotPermitted)
    await expect(refused).rejects.toThrow(/ 99 bytes a day; this one would read at most 100\. .+ The operator /)
    expect(await readToday()).toBe(0)
  })

  it('needs a known estimate', async () => {
    const { post, readToday, contents } = openCreate(1e15)
    contents.contents.set('content-1', newContent())
    await expect(post()).rejects.toThrow(
      / 1,000,000,000,000,000 bytes a day, and how much this one would read is not known\./,
    )
    expect(await readToday()).toBe(0)
  })

  it('takes no bytes again when it is sent again', async () => {
    const { post, readToday } = openCreate(100)
    const { job } = await post('order-42')
    expect(await post('order-42')).toEqual({ job, isReplay: true })
    await expect(post('order-42', { ...body, billing_codes: ['99214'] })).rejects.toThrow(IdempotencyMismatch)
    expect(await readToday()).toBe(100)
  })

  it('takes no bytes if it is refused for another reason', async () => {
    const { post, readToday, deps, usages } = openCreate(1000)
    await expect(post(undefined, { ...body, max_bytes: 99 })).rejects.toThrow(InvalidRequest)
    await post()
    const limited = { ...deps, limits: { searches: 1, perMinute: 60 } }
    await expect(post(undefined, body, limited)).rejects.toThrow(RateLimited)
    const broken = { ...deps, usages: { ...usages, take: () => Promise.reject(new Error('throttled')) } }
    await expect(post(undefined, body, broken)).rejects.toThrow('throttled')
    expect(await readToday()).toBe(100)
  })

  it('gives its bytes back if another request with its idempotency key was faster', async () => {
    const { post, readToday, deps } = openCreate(1000)
    const blind = { ...deps, creationLookup: lookTooEarly(deps.creationLookup) }
    await post('order-42')
    expect(await post('order-42', body, blind)).toMatchObject({ isReplay: true })
    expect(await readToday()).toBe(100)
  })

  it('keeps its bytes if nobody knows that it was stored, or if they cannot be given back, and logs the latter', async () => {
    const { post, readToday, deps, usages, lines } = openCreate(1000)
    const lost = { ...deps, jobs: { create: () => Promise.reject(new Error('answer lost')) } }
    await expect(post(undefined, body, lost)).rejects.toThrow('answer lost')
    expect(await readToday()).toBe(100)
    const stuck = {
      ...deps,
      usages: { ...usages, take: () => Promise.reject(new Error('throttled')) },
      byteUsages: { ...deps.byteUsages, giveBack: () => Promise.reject(new Error('table gone')) },
    }
    await expect(post(undefined, body, stuck)).rejects.toThrow('throttled')
    expect(await readToday()).toBe(200)
    expect(lines).toEqual([{ event: 'bytes of a key not given back', facts: { cause: 'Error: table gone' } }])
  })

  it('stays within the limit in every order of racing requests, which all get an answer', async () => {
    const requests = fc.array(fc.constantFrom(undefined, 'order-1', 'order-2'), { minLength: 2, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), requests, fc.integer({ min: 1, max: 4 }), async (scheduler, keys, admitted) => {
        const limit = admitted * 100 + 50
        const { deps, post, readToday, jobs } = openCreate(limit)
        const { byteUsages } = deps
        let most = 0
        const watched = {
          ...byteUsages,
          take: async (...given: Parameters<typeof byteUsages.take>) => {
            const outcome = await byteUsages.take(...given)
            most = Math.max(most, await readToday())
            return outcome
          },
        }
        const raced: CreateSearch = {
          ...deps,
          jobs: raceJobs(jobs, scheduler),
          byteUsages: {
            read: race(scheduler, watched.read),
            take: race(scheduler, watched.take),
            giveBack: race(scheduler, watched.giveBack),
          },
        }
        const answers = Promise.allSettled(keys.map((key) => post(key, body, raced)))
        await scheduler.waitFor(answers)
        const refusals = (await answers).flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []))
        for (const refusal of refusals) expect(refusal).toBeInstanceOf(BytesLimited)
        const created = jobs.all().length
        expect(created).toBeLessThanOrEqual(admitted)
        expect(most).toBeLessThanOrEqual(limit)
        expect(await readToday()).toBe(created * 100)
        // Requests without a key are refused only if the limit was reached at some time.
        if (keys.length <= admitted) expect(refusals).toEqual([])
      }),
      { numRuns: 300 },
    )
  })
})
