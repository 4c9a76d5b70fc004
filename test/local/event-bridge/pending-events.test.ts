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
const pendingIds = () => readdirSync(folder)

describe('an accepted event', () => {
  it('stays until its targets have handled it', async () => {
    const handled = Promise.withResolvers<void>()
    const delivered: ServiceEvent[] = []
    open((handledEvent) => {
      delivered.push(handledEvent)
      return handled.promise
    }).add('one', event)
    expect([delivered, pendingIds()]).toEqual([[event], ['one']])
    handled.resolve()
    await vi.waitFor(() => expect(pendingIds()).toEqual([]))
  })

  it('reaches its targets after the next start if the service was killed, and again if a target fails', async () => {
    open(() => Promise.reject(new Error('killed'))).add('one', event)
    let fails = 1
    const next = open(async () => {
      if (fails-- > 0) throw new Error('crashed')
    })
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    next.start()
    await Promise.resolve()
    expect(pendingIds()).toEqual(['one'])
    await vi.advanceTimersByTimeAsync(60_000)
    await next.close()
    vi.useRealTimers()
    await vi.waitFor(() => expect(pendingIds()).toEqual([]))
  })

  it('disappears after a day, and at once if its writing was interrupted, because it was not acknowledged', async () => {
    open(() => Promise.reject(new Error('killed'))).add('old', {
      ...event,
      time: '2026-11-19T09:29:00Z',
    } as ServiceEvent)
    writeFileSync(join(folder, 'cut'), '{"source":')
    const delivered: ServiceEvent[] = []
    const next = open(async (handledEvent) => void delivered.push(handledEvent))
    await vi.waitFor(() => expect(pendingIds().sort()).toEqual(['cut', 'old']))
    next.start()
    await next.close()
    expect([delivered, pendingIds()]).toEqual([[], []])
  })
})
