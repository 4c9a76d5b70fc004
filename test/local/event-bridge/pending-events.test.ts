import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openPendingEvents } from '../../../local/event-bridge/pending-events.ts'
import type { ServiceEvent } from '../../../local/peers.ts'

let folder: string
const now = () => new Date('2026-11-20T09:30:00Z')
const event = { source: 'rate-search.local', 'detail-type': 'Search Ended', time: '2026-11-20T09:29:00Z', detail: {} }

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pending-'))
})

afterEach(() => rmSync(folder, { recursive: true }))

const open = (deliver: (event: ServiceEvent) => Promise<void>) => openPendingEvents(folder, deliver, now)
const left = () => readdirSync(folder)

describe('an accepted event', () => {
  it('is kept until its targets have handled it', async () => {
    const handled = Promise.withResolvers<void>()
    const delivered: ServiceEvent[] = []
    open((each) => {
      delivered.push(each)
      return handled.promise
    }).add('one', event)
    expect([delivered, left()]).toEqual([[event], ['one']])
    handled.resolve()
    await vi.waitFor(() => expect(left()).toEqual([]))
  })

  it('is delivered after the next start if the service was killed, and again if a target fails', async () => {
    open(() => Promise.reject(new Error('killed'))).add('one', event)
    let fails = 1
    const next = open(async () => {
      if (fails-- > 0) throw new Error('crashed')
    })
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    next.start()
    await Promise.resolve()
    expect(left()).toEqual(['one'])
    await vi.advanceTimersByTimeAsync(60_000)
    await next.close()
    vi.useRealTimers()
    await vi.waitFor(() => expect(left()).toEqual([]))
  })

  it('is dropped after a day, and so is one whose writing was cut, which nobody acknowledged', async () => {
    open(() => Promise.reject(new Error('killed'))).add('old', {
      ...event,
      time: '2026-11-19T09:29:00Z',
    } as ServiceEvent)
    writeFileSync(join(folder, 'cut'), '{"source":')
    const delivered: ServiceEvent[] = []
    const next = open(async (each) => void delivered.push(each))
    await vi.waitFor(() => expect(left().sort()).toEqual(['cut', 'old']))
    next.start()
    await next.close()
    expect([delivered, left()]).toEqual([[], []])
  })
})
