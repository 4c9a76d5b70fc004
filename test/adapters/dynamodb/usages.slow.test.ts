import { describe, expect, it } from 'vitest'
import { connectDynamo } from '../../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoRateUsages, createDynamoUsages } from '../../../adapters/dynamodb/dynamo-usages.ts'
import { issueOrganizationId } from '../../../core/access/api-key.ts'
import { takeClaim } from '../../../core/limits/take-claim.ts'
import { type Limits, unused } from '../../../core/limits/usage.ts'
import { addSeconds } from '../../../core/time.ts'
import { createMemoryRateUsages, createMemoryUsages } from '../../doubles/memory-usages.ts'
import { connectEndpoints } from '../../endpoints/connect.ts'

const { tables } = connectEndpoints()

const at = new Date('2026-11-20T09:30:00.123Z')
const limits: Limits = { searches: 5, perMinute: 60 }
const all = 10_000

describe.each([
  ['in DynamoDB', createDynamoUsages(connectDynamo(), tables.jobs)],
  ['in memory', createMemoryUsages()],
])('usages %s', (_, usages) => {
  const claim = (orgId: string, jobId: string, facts: { readonly at?: Date; readonly limits?: Limits } = {}) => ({
    orgId,
    jobId,
    at,
    limits,
    ...facts,
  })
  const take = async (given: ReturnType<typeof claim>) => usages.take(given, await usages.read(given.orgId))

  /** Creates an organization whose jobs hold slots. */
  const open = async (...jobIds: readonly string[]) => {
    const orgId = issueOrganizationId()
    for (const jobId of jobIds) expect(await take(claim(orgId, jobId))).toBe('written')
    return orgId
  }

  it('count nothing for an organization that has created nothing', async () => {
    expect(await usages.read(issueOrganizationId())).toEqual(unused)
  })

  it('count a slot and a share of the rate for each search', async () => {
    const orgId = await open('one', 'two')
    const arrivalTime = addSeconds(at, 2).getTime() * 1000
    expect(await usages.read(orgId)).toEqual({
      slots: new Map([
        ['one', at],
        ['two', at],
      ]),
      arrivalTime,
    })
  })

  it('count the rate from now on after an idle time', async () => {
    const orgId = await open('one')
    const next = addSeconds(at, 3600)
    await take(claim(orgId, 'two', { at: next }))
    expect((await usages.read(orgId)).arrivalTime).toBe(addSeconds(next, 1).getTime() * 1000)
  })

  it('refuse a slot over the limit without counting it', async () => {
    const orgId = await open('1', '2', '3', '4', '5')
    const before = await usages.read(orgId)
    expect(await take(claim(orgId, '6'))).toBe('superseded')
    expect(await usages.read(orgId)).toEqual(before)
  })

  it('refuse a search over the rate without taking a slot', async () => {
    const slow = { searches: 5, perMinute: 1 }
    const orgId = issueOrganizationId()
    expect(await take(claim(orgId, '1', { limits: slow }))).toBe('written')
    const before = await usages.read(orgId)
    for (const seconds of [0, 59.999])
      expect(await take(claim(orgId, '2', { limits: slow, at: addSeconds(at, seconds) }))).toBe('superseded')
    expect(await usages.read(orgId)).toEqual(before)
    expect(await take(claim(orgId, '2', { limits: slow, at: addSeconds(at, 60) }))).toBe('written')
  })

  it('take a slot again for the same job without counting it, even if all are taken', async () => {
    const orgId = await open('1', '2', '3', '4', '5')
    const { arrivalTime } = await usages.read(orgId)
    const later = addSeconds(at, 1)
    expect(await take(claim(orgId, '3', { at: later }))).toBe('written')
    const after = await usages.read(orgId)
    expect([after.arrivalTime, after.slots.size, after.slots.get('3')]).toEqual([arrivalTime, 5, later])
  })

  it('free a slot, but not one that was taken later by the same id', async () => {
    const orgId = await open('one', 'two')
    await usages.free({ orgId, jobId: 'one' }, addSeconds(at, -0.001))
    expect((await usages.read(orgId)).slots.size).toBe(2)
    for (const _ of ['once', 'again']) await usages.free({ orgId, jobId: 'one' }, at)
    expect([...(await usages.read(orgId)).slots.keys()]).toEqual(['two'])
  })

  it('free nothing if an organization has no slots', async () => {
    const orgId = issueOrganizationId()
    await usages.free({ orgId, jobId: 'one' }, at)
    expect(await usages.read(orgId)).toEqual(unused)
  })

  it('appear in the list for review until their slots are free, the longest unreviewed first', async () => {
    const first = await open('one')
    const second = issueOrganizationId()
    await take(claim(second, 'two', { at: addSeconds(at, 1) }))
    const list = async (seconds: number) =>
      (await usages.list(addSeconds(at, seconds), all)).filter((orgId) => [first, second].includes(orgId))
    expect(await list(-1)).toEqual([])
    expect(await list(0)).toEqual([first])
    expect(await list(1)).toEqual([first, second])
    await usages.noteReview(first, addSeconds(at, 2))
    expect(await list(2)).toEqual([second, first])
    await usages.free({ orgId: second, jobId: 'two' }, addSeconds(at, 5))
    await usages.noteReview(second, addSeconds(at, 3))
    expect(await list(10)).toEqual([first])
    await take(claim(second, 'three', { at: addSeconds(at, 4) }))
    expect(await list(10)).toEqual([first, second])
  })

  it('admit exactly the limit of forty racing searches, for either limit', async () => {
    for (const [raced, admitted] of [
      [{ searches: 12, perMinute: 60 }, 12],
      [{ searches: 40, perMinute: 9 }, 9],
    ] as const) {
      const orgId = issueOrganizationId()
      const attempts = Array.from({ length: 40 }, (_, index) =>
        takeClaim(usages, claim(orgId, `job ${index}`, { limits: raced }), unused).then(
          () => true,
          (error: unknown) => (error instanceof Error ? error.name : error),
        ),
      )
      const outcomes = await Promise.all(attempts)
      expect(outcomes.filter((outcome) => outcome === true)).toHaveLength(admitted)
      expect(outcomes.filter((outcome) => outcome === 'RateLimited')).toHaveLength(40 - admitted)
      const { slots, arrivalTime } = await usages.read(orgId)
      expect(slots.size).toBe(admitted)
      const interval = Math.floor(60_000_000 / raced.perMinute)
      expect(arrivalTime).toBe(at.getTime() * 1000 + admitted * interval)
    }
  })

  it('give racing requests of one idempotency key one slot and one share of the rate', async () => {
    const orgId = issueOrganizationId()
    const attempts = Array.from({ length: 20 }, () => takeClaim(usages, claim(orgId, 'same'), unused))
    await Promise.all(attempts)
    const { slots, arrivalTime } = await usages.read(orgId)
    expect([[...slots.keys()], arrivalTime]).toEqual([['same'], addSeconds(at, 1).getTime() * 1000])
  })

  it('stay exact while slots are freed and taken', async () => {
    const orgId = issueOrganizationId()
    const wide = { searches: 3, perMinute: 60_000 }
    let most = 0
    let running = 0
    const work = async (worker: number) => {
      for (let turn = 0; turn < 8; turn++) {
        const jobId = `job ${worker} ${turn}`
        const [taken] = await Promise.allSettled([takeClaim(usages, claim(orgId, jobId, { limits: wide }), unused)])
        if (taken.status === 'rejected') continue
        running += 1
        most = Math.max(most, running)
        await usages.read(orgId)
        running -= 1
        await usages.free({ orgId, jobId }, at)
      }
    }
    await Promise.all(Array.from({ length: 8 }, (_, worker) => work(worker)))
    expect(most).toBeLessThanOrEqual(3)
    expect(most).toBeGreaterThan(0)
    expect((await usages.read(orgId)).slots.size).toBe(0)
  })
})

const openDynamo = (counted: 'estimates' | 'reads') => createDynamoRateUsages(connectDynamo(), tables.jobs, counted)

const openMemory = (counted: 'estimates' | 'reads') => createMemoryRateUsages(counted)

describe.each([
  [
    'estimates in DynamoDB',
    openDynamo('estimates'),
    openDynamo('reads'),
    createDynamoUsages(connectDynamo(), tables.jobs),
  ],
  ['estimates in memory', openMemory('estimates'), openMemory('reads'), createMemoryUsages()],
  ['reads in DynamoDB', openDynamo('reads'), openDynamo('estimates'), createDynamoUsages(connectDynamo(), tables.jobs)],
  ['reads in memory', openMemory('reads'), openMemory('estimates'), createMemoryUsages()],
])('usages of %s', (_, usages, others, ofSearches) => {
  const claim = (orgId: string, seconds = 0) => ({ orgId, at: addSeconds(at, seconds), limits })

  it('count a share of the rate for each, and none for other calls', async () => {
    const orgId = issueOrganizationId()
    expect(await usages.read(orgId)).toEqual(unused)
    for (const _ of ['one', 'two']) await takeClaim(usages, claim(orgId), unused)
    expect(await usages.read(orgId)).toEqual({ slots: new Map(), arrivalTime: addSeconds(at, 2).getTime() * 1000 })
    for (const usage of [others, ofSearches]) expect(await usage.read(orgId)).toEqual(unused)
    expect(await ofSearches.list(addSeconds(at, 3600), all)).not.toContain(orgId)
  })

  it('count the rate from now on after an idle time', async () => {
    const orgId = issueOrganizationId()
    for (const seconds of [0, 3600]) await takeClaim(usages, claim(orgId, seconds), unused)
    expect((await usages.read(orgId)).arrivalTime).toBe(addSeconds(at, 3601).getTime() * 1000)
  })

  it('admit exactly the limit of forty racing calls', async () => {
    const orgId = issueOrganizationId()
    const slow = { ...claim(orgId), limits: { searches: 1, perMinute: 9 } }
    const attempts = Array.from({ length: 40 }, () => takeClaim(usages, slow, unused))
    const outcomes = await Promise.allSettled(attempts)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(9)
  })
})
