import { randomBytes, randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { connectDynamo } from '../../../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoLoadWork } from '../../../../adapters/dynamodb/loads/dynamo-load-work.ts'
import { type FileOutcome, fileKey, queueKey } from '../../../../core/loads/load-work.ts'
import type { LoadWork } from '../../../../core/loads/ports.ts'
import { createMemoryLoadWork } from '../../../doubles/memory-load-work.ts'
import { connectEndpoints } from '../../../endpoints/connect.ts'

const { tables } = connectEndpoints()

/** The adapter, and its double in tests of the loader. */
const stores = {
  DynamoDB: createDynamoLoadWork(connectDynamo(), tables.contents),
  memory: createMemoryLoadWork(),
}

const at = (minutes: number) => new Date(Date.UTC(2026, 10, 20, 9, minutes))
const fileOf = (name: string, bytes?: number) => ({
  identity: `https://rates.example/${name}.json`,
  location: `https://rates.example/${name}.json?Signature=${name}`,
  listedAt: at(0),
  ...(bytes !== undefined && { bytes }),
})
const ready = (sourceId: string): FileOutcome => {
  const findings = [{ rule: 'missing-entity', count: 1, examples: ['in_network[0]'] }]
  return { outcome: 'ready', sourceId, referencesKey: 'r', findings, bytes: 5, prices: 7 }
}
const refused: FileOutcome = { outcome: 'refused', file: 'https://rates.example/a.json', fault: 'is not JSON' }

const names = async (work: LoadWork, loadId: string) =>
  (await Array.fromAsync(work.listOpen(loadId))).map(({ identity }) => identity.slice(22, -5))

describe.each(Object.entries(stores))('the open files of a load in %s', (_, work) => {
  const opened = async (...files: readonly Parameters<typeof fileOf>[]) => {
    const loadId = randomUUID()
    for (const file of files) await work.open(loadId, fileOf(...file))
    return { loadId, key: queueKey(fileOf(...(files[0] ?? ['a']))) }
  }

  it('come in order of size, the largest first and unknown sizes last', async () => {
    const { loadId } = await opened(['a'], ['b', 5], ['c', 10_000_000_000], ['d', 40])
    expect(await names(work, loadId)).toStrictEqual(['c', 'd', 'b', 'a'])
    expect(await names(work, randomUUID())).toStrictEqual([])
  })

  it('accept an unknown size', async () => {
    const { loadId, key } = await opened(['a'])
    expect(await work.readOpen(loadId, key)).toStrictEqual({ ...fileOf('a'), key, attempts: 0 })
  })

  it('keep their positions among the files of the load', async () => {
    const loadId = randomUUID()
    await work.open(loadId, { ...fileOf('a', 5), position: 0 })
    await work.open(loadId, { ...fileOf('b', 9), position: 1_000_000 })
    expect((await Array.fromAsync(work.listOpen(loadId))).map(({ position }) => position)).toStrictEqual([1_000_000, 0])
  })

  it('stay unchanged when they are opened again', async () => {
    const { loadId, key } = await opened(['a', 5])
    await work.lease(loadId, key, { worker: 'w1', until: at(5) }, at(0))
    await work.open(loadId, fileOf('a', 5))
    const leased = { ...fileOf('a', 5), key, attempts: 1, lease: { worker: 'w1', until: at(5) } }
    expect(await work.readOpen(loadId, key)).toStrictEqual(leased)
  })

  it('belong to one worker until its lease runs out', async () => {
    const { loadId, key } = await opened(['a', 5])
    const lease = (worker: string, minute: number) =>
      work.lease(loadId, key, { worker, until: at(minute + 5) }, at(minute))
    expect(await lease('w1', 0)).toMatchObject({ ...fileOf('a', 5), attempts: 1, lease: { worker: 'w1' } })
    expect(await lease('w2', 5)).toBeUndefined()
    expect(await lease('w1', 5)).toBeUndefined()
    expect(await lease('w2', 6)).toMatchObject({ attempts: 2, lease: { worker: 'w2', until: at(11) } })
    expect(await work.lease(loadId, 'unknown', { worker: 'w1', until: at(5) }, at(0))).toBeUndefined()
    expect(await names(work, loadId)).toStrictEqual(['a'])
  })

  it('forget their attempts unless a worker has them', async () => {
    const { loadId, key } = await opened(['a', 5])
    await work.lease(loadId, key, { worker: 'w1', until: at(5) }, at(0))
    expect(await work.forgetAttempts(loadId, key, at(5))).toBe('superseded')
    expect(await work.readOpen(loadId, key)).toMatchObject({ attempts: 1 })
    expect(await work.forgetAttempts(loadId, key, at(6))).toBe('written')
    expect(await work.readOpen(loadId, key)).toMatchObject({ ...fileOf('a', 5), attempts: 0 })
    expect(await work.forgetAttempts(loadId, 'unknown', at(6))).toBe('superseded')
  })

  it('can be renewed, returned and closed only by the worker that has the lease', async () => {
    const { loadId, key } = await opened(['a', 5])
    await work.lease(loadId, key, { worker: 'w1', until: at(5) }, at(0))
    expect(await work.renew(loadId, key, { worker: 'w2', until: at(9) })).toBe('superseded')
    expect(await work.giveBack(loadId, key, 'w2')).toBe('superseded')
    expect(await work.close(loadId, key, 'w2')).toBe('superseded')
    expect(await work.renew(loadId, key, { worker: 'w1', until: at(9) })).toBe('written')
    expect(await work.readOpen(loadId, key)).toMatchObject({ attempts: 1, lease: { until: at(9) } })
    expect(await work.giveBack(loadId, key, 'w1')).toBe('written')
    expect(await work.readOpen(loadId, key)).toStrictEqual({ ...fileOf('a', 5), key, attempts: 0 })
    expect(await work.giveBack(loadId, key, 'w1')).toBe('superseded')
    await work.lease(loadId, key, { worker: 'w2', until: at(5) }, at(0))
    expect(await work.close(loadId, key, 'w2')).toBe('written')
    expect(await work.close(loadId, key, 'w2')).toBe('superseded')
    expect(await work.renew(loadId, key, { worker: 'w2', until: at(9) })).toBe('superseded')
    expect(await work.readOpen(loadId, key)).toBeUndefined()
  })

  it('get another URL without losing their lease', async () => {
    const { loadId, key } = await opened(['a', 5])
    await work.lease(loadId, key, { worker: 'w1', until: at(5) }, at(0))
    const location = 'https://rates.example/a.json?Signature=new'
    expect(await work.relocate(loadId, key, location, at(3))).toBe('written')
    expect(await work.readOpen(loadId, key)).toMatchObject({ location, listedAt: at(3), lease: { worker: 'w1' } })
    expect(await work.relocate(loadId, 'unknown', location, at(3))).toBe('superseded')
  })
})

describe.each(Object.entries(stores))('the outcomes of files in %s', (_, work) => {
  const identity = 'https://rates.example/a.json'

  it('can change from a refusal into a source, but not into another source', async () => {
    const loadId = randomUUID()
    expect(await work.record(loadId, identity, refused)).toBe('written')
    expect((await work.readOutcomes(loadId)).get(fileKey(identity))).toStrictEqual(refused)
    expect(await work.record(loadId, identity, { ...refused, fault: 'other' })).toBe('written')
    expect(await work.record(loadId, identity, ready('s1'))).toBe('written')
    expect(await work.record(loadId, identity, ready('s2'))).toBe('superseded')
    expect(await work.record(loadId, identity, refused)).toBe('superseded')
    expect([...(await work.readOutcomes(loadId))]).toStrictEqual([[fileKey(identity), ready('s1')]])
  })

  it('contain no findings if the source was taken over', async () => {
    const loadId = randomUUID()
    const outcome: FileOutcome = { outcome: 'ready', sourceId: 's1', referencesKey: 'r', bytes: 5, prices: 7 }
    await work.record(loadId, identity, outcome)
    expect([...(await work.readOutcomes(loadId)).values()]).toStrictEqual([outcome])
  })

  it('disappear only for the source that was removed', async () => {
    const loadId = randomUUID()
    await work.record(loadId, identity, ready('s1'))
    expect(await work.forget(loadId, identity, 's2')).toBe('superseded')
    expect(await work.forget(loadId, identity, 's1')).toBe('written')
    expect(await work.forget(loadId, identity, 's1')).toBe('superseded')
    expect((await work.readOutcomes(loadId)).size).toBe(0)
  })
})

describe.each(Object.entries(stores))('shared facts of a load in %s', (_, work) => {
  it('include its order', async () => {
    const loadId = randomUUID()
    expect(await work.readOrder(loadId)).toBeUndefined()
    const order = { toc: 'https://rates.example/toc.json?Signature=a', files: [], maxFailed: 0.1 }
    await work.putOrder(loadId, order)
    expect(await work.readOrder(loadId)).toStrictEqual(order)
  })

  it('include its listing, of any length', async () => {
    const loadId = randomUUID()
    const packed = randomBytes(700_000)
    expect(await work.findListing(loadId)).toBeUndefined()
    const facts = { listedAt: at(1), entity: 'Blue Harbor', lastUpdatedOn: '2026-11-01' }
    await work.putListing(loadId, facts, packed)
    const listing = await work.findListing(loadId)
    expect(listing).toStrictEqual({ ...facts, parts: expect.any(Number) })
    if (listing === undefined) return
    expect(packed.equals(await work.readListing(loadId, listing))).toBe(true)
  })

  it('include a task that one worker does at a time', async () => {
    const loadId = randomUUID()
    const take = (worker: string, minute: number) =>
      work.takeTask(loadId, 'list', { worker, until: at(minute + 5) }, at(minute))
    expect(await take('w1', 0)).toBe('written')
    expect(await take('w2', 3)).toBe('superseded')
    expect(await take('w1', 3)).toBe('written')
    expect(await take('w2', 6)).toBe('superseded')
    expect(await work.takeTask(loadId, 'wait', { worker: 'w2', until: at(9) }, at(6))).toBe('written')
    expect(await work.dropTask(loadId, 'list', 'w2')).toBe('superseded')
    expect(await work.dropTask(loadId, 'list', 'w1')).toBe('written')
    expect(await take('w2', 6)).toBe('written')
    expect(await take('w3', 12)).toBe('written')
  })

  it('disappear with the load, while those of other loads stay', async () => {
    const [loadId, other] = [randomUUID(), randomUUID()]
    for (const each of [loadId, other]) {
      await work.putOrder(each, { files: ['https://rates.example/a.json'] })
      await work.open(each, fileOf('a'))
      await work.record(each, fileOf('b').identity, refused)
    }
    await work.remove(loadId)
    expect(await work.readOrder(loadId)).toBeUndefined()
    expect(await names(work, loadId)).toStrictEqual([])
    expect((await work.readOutcomes(loadId)).size).toBe(0)
    expect(await work.readOrder(other)).toBeDefined()
    expect(await names(work, other)).toStrictEqual(['a'])
    expect((await work.readOutcomes(other)).size).toBe(1)
  })
})

it('refuses a listing in DynamoDB that lacks a part', async () => {
  const [work, loadId] = [stores.DynamoDB, randomUUID()]
  const facts = { listedAt: at(1) }
  await work.putListing(loadId, facts, Buffer.from('packed'))
  expect(await work.findListing(loadId)).toStrictEqual({ ...facts, parts: 1 })
  const reading = work.readListing(loadId, { ...facts, parts: 2 })
  await expect(reading).rejects.toThrow(`the listing of the load ${loadId} lacks its part 1`)
})
