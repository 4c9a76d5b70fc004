import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createDynamoLoadRecords } from '../../../../adapters/dynamodb/catalogue/dynamo-load-records.ts'
import { connectDynamo } from '../../../../adapters/dynamodb/dynamo-client.ts'
import { createMemoryLoadRecords } from '../../../doubles/memory-load-records.ts'
import { connectEndpoints } from '../../../endpoints/connect.ts'

const { tables } = connectEndpoints()

/** The adapter, and its double in tests of the loader. */
const stores = {
  DynamoDB: createDynamoLoadRecords(connectDynamo(), tables.contents),
  memory: createMemoryLoadRecords(),
}

const at = (minutes: number) => new Date(Date.UTC(2026, 10, 20, 9, minutes))
const counts = { files: 2, takenOver: 1, switched: 3, unchanged: 4, removed: 0, leftOut: 5 }

describe.each(Object.entries(stores))('the record of a load in %s', (_, records) => {
  const begin = async () => {
    const begun = { loadId: randomUUID(), from: 'toc.json', startedAt: at(0) }
    await records.begin(begun)
    return begun
  }

  it('shows a running load with its last sign of life, then a completed one', async () => {
    const begun = await begin()
    expect(await records.touch(begun.loadId, at(1))).toBe('running')
    expect(await records.read(begun.loadId)).toEqual({ ...begun, state: 'running', touchedAt: at(1) })
    const leftOut = ['Acme / Gold: a.json: is not JSON']
    const changed = ['switched: Acme / Silver']
    await records.end(begun.loadId, { state: 'completed', endedAt: at(2), counts, changed, leftOut })
    const ended = { ...begun, state: 'completed', touchedAt: at(1), endedAt: at(2), counts, changed, leftOut }
    expect(await records.read(begun.loadId)).toEqual(ended)
    expect(await records.list()).toContainEqual(ended)
  })

  it('awaits announcement from its first switch until its last one is announced', async () => {
    const { loadId } = await begin()
    const find = async () => (await records.listUnannounced()).filter((each) => each.loadId === loadId)
    expect(await find()).toEqual([])
    await records.noteSwitching(loadId, at(1))
    await records.noteSwitching(loadId, at(2))
    expect(await find()).toEqual([{ loadId, switchingSince: at(2) }])
    expect(await records.noteAnnounced({ loadId, switchingSince: at(1) })).toBe('superseded')
    expect(await records.noteAnnounced({ loadId, switchingSince: at(2) })).toBe('written')
    expect(await find()).toEqual([])
  })

  it('keeps the sources that the load has pinned until it ends', async () => {
    const [{ loadId }, other, killed] = [await begin(), await begin(), await begin()]
    const find = async (id: string) => (await records.listOpen()).filter((load) => load.loadId === id)
    const pinned = Array.from({ length: 6_000 }, () => randomUUID()).sort()
    await records.pin(loadId, pinned)
    const last = randomUUID()
    await records.pin(loadId, [last])
    await records.pin(killed.loadId, [last])
    await records.touch(loadId, at(3))
    const [load] = await find(loadId)
    expect(load?.touchedAt).toStrictEqual(at(3))
    expect(load?.pinned.toSorted()).toStrictEqual([...pinned, last].sort())
    await records.end(loadId, { state: 'failed', endedAt: at(4) })
    await records.touch(loadId, at(5))
    expect(await find(loadId)).toStrictEqual([])
    expect(await find(other.loadId)).toStrictEqual([{ loadId: other.loadId, touchedAt: at(0), pinned: [] }])
    const [record] = (await records.list()).filter((each) => each.loadId === loadId)
    if (record !== undefined) await records.resume(record, at(6))
    expect(await find(loadId)).toStrictEqual([{ loadId, touchedAt: at(6), pinned: [] }])
    expect(await find(killed.loadId)).toMatchObject([{ pinned: [last] }])
    await records.unpin(killed.loadId)
    expect(await find(killed.loadId)).toMatchObject([{ pinned: [] }])
  })

  it('keeps the reason of a failure', async () => {
    const { loadId } = await begin()
    await records.end(loadId, { state: 'failed', endedAt: at(2), reason: 'toc.json: lists no plans' })
    expect(await records.read(loadId)).toMatchObject({ state: 'failed', reason: 'toc.json: lists no plans' })
  })

  it('contains the time of its rollback and the refused files', async () => {
    const { loadId } = await begin()
    await records.end(loadId, { state: 'completed', endedAt: at(2), counts, refused: ['a.json: is not JSON'] })
    expect(await records.noteUndone(loadId, at(3))).toBe('written')
    expect(await records.read(loadId)).toMatchObject({ undoneAt: at(3), refused: ['a.json: is not JSON'] })
    expect(await records.noteUndone(randomUUID(), at(3))).toBe('superseded')
  })

  it('keeps the first end of the load', async () => {
    const { loadId } = await begin()
    expect(await records.end(loadId, { state: 'completed', endedAt: at(2), counts, leftOut: [] })).toBe('written')
    expect(await records.end(loadId, { state: 'cancelled', endedAt: at(3) })).toBe('superseded')
    expect(await records.read(loadId)).toMatchObject({ state: 'completed', endedAt: at(2) })
  })

  it('accepts one cancellation, and only while the load runs', async () => {
    const { loadId } = await begin()
    expect(await records.cancel(loadId)).toBe('written')
    expect(await records.cancel(loadId)).toBe('superseded')
    expect(await records.touch(loadId, at(1))).toBe('cancelling')
    await records.end(loadId, { state: 'cancelled', endedAt: at(2) })
    expect(await records.cancel(loadId)).toBe('superseded')
    expect(await records.read(loadId)).toMatchObject({ state: 'cancelled' })
  })

  it('shows a running load again when it is resumed, unless it has changed meanwhile', async () => {
    const begun = await begin()
    await records.end(begun.loadId, { state: 'failed', endedAt: at(2), reason: 'lists no plans', leftOut: ['a: b'] })
    const ended = await records.read(begun.loadId)
    if (ended === undefined) throw new Error('the record is missing')
    expect(await records.resume(ended, at(3))).toBe('written')
    expect(await records.read(begun.loadId)).toEqual({ ...begun, state: 'running', touchedAt: at(3) })
    expect(await records.resume(ended, at(4))).toBe('superseded')
  })

  it('refuses to touch, cancel or end an unknown load', async () => {
    const loadId = randomUUID()
    expect(await records.touch(loadId, at(1))).toBeUndefined()
    expect(await records.cancel(loadId)).toBe('superseded')
    await records.end(loadId, { state: 'failed', endedAt: at(2) })
    expect(await records.read(loadId)).toBeUndefined()
  })
})
