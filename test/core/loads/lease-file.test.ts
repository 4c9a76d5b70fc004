import { beforeEach, describe, expect, it } from 'vitest'
import { leaseFile, leaseSeconds, maxAttempts, settleFile } from '../../../core/loads/lease-file.ts'
import { type FileOutcome, fileKey, queueKey } from '../../../core/loads/load-work.ts'
import type { LoadWork } from '../../../core/loads/ports.ts'
import { readProgress } from '../../../core/loads/read-progress.ts'
import { createMemoryLoadWork } from '../../doubles/memory-load-work.ts'

const loadId = 'load'
let work: LoadWork
let time: number
const now = () => new Date(time)
const workerOf = (name: string) => ({ loadId, name, work, now, random: () => 0.99 })

const open = (name: string, bytes: number) =>
  work.open(loadId, {
    identity: `https://rates.example/${name}`,
    location: `https://rates.example/${name}`,
    listedAt: now(),
    bytes,
  })

const ready: FileOutcome = { outcome: 'ready', sourceId: 's1', referencesKey: '', bytes: 7, prices: 3 }

beforeEach(() => {
  work = createMemoryLoadWork()
  time = Date.UTC(2026, 10, 20)
})

describe('a worker of a load', () => {
  it('leases the largest file that is open, and waits for the files of others', async () => {
    await open('small', 1)
    await open('large', 9)
    expect(await leaseFile(workerOf('w1'))).toMatchObject({ file: { identity: 'https://rates.example/large' } })
    expect(await leaseFile(workerOf('w2'))).toMatchObject({ file: { identity: 'https://rates.example/small' } })
    expect(await leaseFile(workerOf('w3'))).toEqual({ kind: 'waiting' })
    time += 1000 * (leaseSeconds + 1)
    expect(await leaseFile(workerOf('w3'))).toMatchObject({ file: { attempts: 2 } })
  })

  it('does not ask for a file that has a lease, to the end of its last millisecond', async () => {
    await open('a', 1)
    await leaseFile(workerOf('w1'))
    time += 1000 * leaseSeconds
    const lease = () => Promise.reject(new Error('asked for a leased file'))
    expect(await leaseFile({ ...workerOf('w2'), work: { ...work, lease } })).toEqual({ kind: 'waiting' })
  })

  it('finishes if all files are settled', async () => {
    expect(await leaseFile(workerOf('w1'))).toEqual({ kind: 'finished' })
    await open('a', 1)
    const lease = await leaseFile(workerOf('w1'))
    if (lease.kind === 'leased') await settleFile(lease.file, ready, workerOf('w1'))
    expect(await leaseFile(workerOf('w1'))).toEqual({ kind: 'finished' })
  })

  it('passes over files that others are about to lease, and comes back to them', async () => {
    for (let index = 0; index < 64; index++) await open(`${index}`.padStart(2, '0'), 64 - index)
    const listed = await Array.fromAsync(work.listOpen(loadId))
    const asked: string[] = []
    const racing: LoadWork = {
      ...work,
      // Another worker is faster each time, as long as it has a file to take.
      lease: async (id, key, lease, at) => {
        asked.push(key)
        if (asked.length < 8) await work.lease(id, key, { ...lease, worker: 'faster' }, at)
        return work.lease(id, key, lease, at)
      },
    }
    const lease = await leaseFile({ ...workerOf('w1'), work: racing })
    const positions = asked.map((key) => listed.findIndex((file) => file.key === key))
    expect(positions).toEqual([0, 2, 6, 14, 30, 62, 1, 4])
    expect(lease).toMatchObject({ kind: 'leased', file: { identity: 'https://rates.example/04' } })
  })

  it('refuses a file that has ended as many workers as it may', async () => {
    await open('a', 1)
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      expect(await leaseFile(workerOf(`w${attempt}`))).toMatchObject({ kind: 'leased', file: { attempts: attempt } })
      time += 1000 * (leaseSeconds + 1)
    }
    expect(await leaseFile(workerOf('w4'))).toEqual({ kind: 'waiting' })
    expect(await leaseFile(workerOf('w4'))).toEqual({ kind: 'finished' })
    const outcome = (await work.readOutcomes(loadId)).get(fileKey('https://rates.example/a'))
    expect(outcome).toMatchObject({ outcome: 'refused', fault: expect.stringMatching(/^3 workers ended before/) })
  })
})

describe('the queue of a load', () => {
  it('puts the largest file first, and files of unknown size last', () => {
    const keyOf = (bytes?: number) =>
      queueKey({ identity: 'https://rates.example/a', ...(bytes !== undefined && { bytes }) })
    const sizes = [10 ** 15 - 1, 100 * 2 ** 30, 2, 1]
    const keys = [...sizes.map(keyOf), keyOf()]
    expect(keys.toSorted()).toEqual(keys)
    expect(keyOf(10 ** 20)).toBe(keyOf(10 ** 15 - 1))
    expect(keyOf(1)).toBe(`999999999999998#${fileKey('https://rates.example/a')}`)
  })
})

describe('the progress of a load', () => {
  it('counts a lease until the end of its last millisecond', async () => {
    await open('a', 9)
    await leaseFile(workerOf('w1'))
    time += 1000 * leaseSeconds
    expect((await readProgress(loadId, work, now())).files).toMatchObject({ open: 0, leased: 1 })
    time += 1
    expect((await readProgress(loadId, work, now())).files).toMatchObject({ open: 1, leased: 0 })
  })

  it('adds up files, bytes and prices', async () => {
    await open('a', 9)
    await open('b', 7)
    await open('c', 5)
    await open('d', 3)
    const first = await leaseFile(workerOf('w1'))
    if (first.kind === 'leased') await settleFile(first.file, ready, workerOf('w1'))
    const refused: FileOutcome = { outcome: 'refused', file: 'https://rates.example/b', fault: 'is not JSON' }
    const second = await leaseFile(workerOf('w1'))
    if (second.kind === 'leased') await settleFile(second.file, refused, workerOf('w1'))
    await leaseFile(workerOf('w1'))
    const files = { open: 1, leased: 1, done: 1, refused: 1 }
    expect(await readProgress(loadId, work, now())).toEqual({ files, bytes: 7, bytesLeft: 8, prices: 3 })
  })

  it('counts a refused file that is open again once', async () => {
    await open('a', 9)
    await work.record(loadId, 'https://rates.example/a', { outcome: 'refused', file: 'a', fault: 'is not JSON' })
    const files = { open: 1, leased: 0, done: 0, refused: 0 }
    expect(await readProgress(loadId, work, now())).toMatchObject({ files })
  })
})
