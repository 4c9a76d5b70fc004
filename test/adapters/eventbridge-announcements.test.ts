import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EventBridgeClient } from '@aws-sdk/client-eventbridge'
import * as v from 'valibot'
import { afterAll, describe, expect, it } from 'vitest'
import { createEventBridgeAnnouncements } from '../../adapters/eventbridge-announcements.ts'
import { searchEnded } from '../../contract/schemas/search-ended.ts'
import type { SearchEndedEvent } from '../../contract/search-api.ts'
import { startEventBridge } from '../../local/event-bridge/server.ts'
import { listen, type RunningServer } from '../../local/http-server.ts'
import { createMemoryAnnouncements } from '../doubles/memory-announcements.ts'
import { sdkSettings } from '../endpoints/sdk-settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'announcements-'))
const file = join(folder, 'events.jsonl')
const running = new AsyncDisposableStack()

afterAll(async () => {
  await running.disposeAsync()
  rmSync(folder, { recursive: true })
})

const keep = async (server: Promise<RunningServer>) => running.adopt(await server, (it) => it.close())

const announceTo = ({ url }: RunningServer, stage = 'dev') =>
  createEventBridgeAnnouncements(stage, new EventBridgeClient(sdkSettings(url)))

const event: SearchEndedEvent = {
  id: '2a39443a-064f-4d78-b562-c11683209ccf-ca90742a479b411b',
  version: 1,
  job_id: '2a39443a-064f-4d78-b562-c11683209ccf',
  org_id: '3xHu2rJuNZ3s',
  created_at: '2026-11-20T09:30:00.000+00:00',
  status: 'failed',
  failed_at: '2026-11-20T09:31:00.250+00:00',
  error_word: 'timeout',
}
const endedAt = new Date('2026-11-20T09:31:00.250Z')
const announcement = { type: 'search.ended', detail: event, happenedAt: endedAt } as const

describe('announcements in memory', () => {
  it('collect events as a bus does, or fail', async () => {
    const announcements = createMemoryAnnouncements()
    await announcements.announce(announcement)
    expect(announcements.made).toEqual([event])
    announcements.fault = new Error('refused')
    await expect(announcements.announce(announcement)).rejects.toThrow('refused')
    expect(announcements.made).toHaveLength(1)
  })
})

describe('announcing an event', () => {
  it("sends one event with the stage's source and the time of the end", async () => {
    const bus = await keep(startEventBridge({ file, now: () => new Date(), newId: () => 'id', onEvent: () => {} }))
    await announceTo(bus).announce(announcement)
    const sentLines = readFileSync(file, 'utf8').trim().split('\n')
    expect(sentLines.map((line) => JSON.parse(line))).toMatchObject([
      { source: 'rate-search.dev', 'detail-type': 'Search Ended', time: '2026-11-20T09:31:00Z', detail: event },
    ])
    expect(v.parse(searchEnded, event)).toEqual(event)
  })

  it('sends what a load changed as an event of another type', async () => {
    const bus = await keep(startEventBridge({ file, now: () => new Date(), newId: () => 'id', onEvent: () => {} }))
    const settings = new EventBridgeClient(sdkSettings(bus.url))
    const counts = { switched: 0, removed: 0, unchanged: 1, left_out: 0 }
    const load = { id: 'a', version: 1, load_id: 'b', status: 'completed', ended_at: event.created_at } as const
    const detail = { ...load, counts, page: 1, pages: 1, fee_schedules: [] }
    await createEventBridgeAnnouncements('dev', settings).announce({
      type: 'fee_schedules.updated',
      detail,
      happenedAt: endedAt,
    })
    const [lastLine] = readFileSync(file, 'utf8').trim().split('\n').slice(-1)
    expect(JSON.parse(lastLine ?? '')).toMatchObject({ 'detail-type': 'Fee Schedules Updated', detail })
  })

  it('fails if EventBridge answers that it refused the entry', async () => {
    const body = JSON.stringify({ FailedEntryCount: 1, Entries: [{ ErrorCode: 'ThrottlingException' }] })
    const bus = await keep(listen((_, response) => response.end(body)))
    await expect(announceTo(bus).announce(announcement)).rejects.toMatchObject({
      name: 'EventRefused',
      message: 'EventBridge refused the event: ThrottlingException',
    })
  })

  it.each([{}, { FailedEntryCount: 1 }, { FailedEntryCount: 1, Entries: [] }, { FailedEntryCount: 1, Entries: [{}] }])(
    'fails if the answer does not say that the entry was accepted: %o',
    async (answer) => {
      const bus = await keep(listen((_, response) => response.end(JSON.stringify(answer))))
      await expect(announceTo(bus).announce(announcement)).rejects.toThrow('EventBridge refused the event: unknown')
    },
  )

  it('fails if the call fails', async () => {
    const bus = await keep(listen((_, response) => response.writeHead(500).end('{}')))
    await expect(announceTo(bus).announce(announcement)).rejects.toThrow()
  })
})
