import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { feeSchedulesUpdated } from '../../../contract/schemas/fee-schedules-updated.ts'
import type { FeeSchedulesUpdatedEvent } from '../../../contract/search-api.ts'
import type { Announcement } from '../../../core/announcements.ts'
import { announceLoads } from '../../../core/events/announce-loads.ts'
import { buildFile } from '../../builders/in-network-builder.ts'
import { buildPlan, buildTableOfContents } from '../../builders/table-of-contents-builder.ts'
import { createTestWarehouse, type TestWarehouse } from '../../builders/test-warehouse.ts'

const loadedAt = new Date('2026-11-20T09:30:00.123Z')
const minutesLater = (minutes: number) => new Date(loadedAt.getTime() + minutes * 60_000)

/** Announces as the timer does. `fail` refuses an event. */
async function announce(
  { records, catalogue }: TestWarehouse,
  { now = loadedAt, fail = (_: FeeSchedulesUpdatedEvent): boolean => false } = {},
): Promise<readonly FeeSchedulesUpdatedEvent[]> {
  const sent: FeeSchedulesUpdatedEvent[] = []
  const accept = async ({ detail }: Announcement) => {
    const event = v.parse(feeSchedulesUpdated, detail)
    if (fail(event)) throw new Error('refused')
    sent.push(event)
  }
  const announcements = { announce: accept }
  await announceLoads({ records, catalogue, announcements, now: () => now }).catch(() => undefined)
  return sent
}

/** Loads a table of contents with these plans. */
async function load(warehouse: TestWarehouse, plans: readonly string[], options = {}) {
  const path = await warehouse.write('a.json', buildFile())
  const entry = {
    plans: plans.map((plan) => buildPlan(plan)),
    files: [`https://rates.example/${path.split('/').at(-1)}`],
  }
  return warehouse.load({ files: [], toc: await warehouse.write('toc.json', buildTableOfContents(entry)) }, options)
}

const changesOf = (events: readonly FeeSchedulesUpdatedEvent[]) =>
  events.flatMap(({ fee_schedules }) => fee_schedules.map(({ plan, change }) => `${plan} ${change}`))

describe('what a load changed', () => {
  it('announces a load once, with its counts, and nothing before it', async () => {
    await using warehouse = await createTestWarehouse()
    expect(await announce(warehouse)).toEqual([])
    const { loadId } = await load(warehouse, ['Silver', 'Gold'])
    expect(await announce(warehouse)).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
        version: 1,
        load_id: loadId,
        status: 'completed',
        ended_at: '2026-11-20T09:30:00.123+00:00',
        counts: { switched: 2, removed: 0, unchanged: 0, left_out: 0 },
        page: 1,
        pages: 1,
        payer: 'Blue Harbor Health',
        fee_schedules: ['Gold', 'Silver'].map((plan) => ({ plan, plan_ids: ['hios|0123456789'], change: 'switched' })),
      },
    ])
    expect(await announce(warehouse)).toEqual([])
  })

  it('lists removed plans with their former ids, and counts unchanged ones', async () => {
    await using warehouse = await createTestWarehouse()
    await load(warehouse, ['Gold', 'Silver'])
    await announce(warehouse)
    await load(warehouse, ['Gold'])
    const [event, ...others] = await announce(warehouse)
    expect(others).toEqual([])
    expect(event).toMatchObject({
      counts: { switched: 0, removed: 1, unchanged: 1 },
      fee_schedules: [{ plan: 'Silver', plan_ids: ['hios|0123456789'], change: 'removed' }],
    })
  })

  it('announces a completed load without a change by an empty list', async () => {
    await using warehouse = await createTestWarehouse()
    await load(warehouse, ['Gold'])
    await announce(warehouse)
    await load(warehouse, ['Gold'])
    const [event] = await announce(warehouse)
    expect(event).toMatchObject({ counts: { switched: 0, unchanged: 1 }, page: 1, pages: 1, fee_schedules: [] })
    expect(event).not.toHaveProperty('payer')
  })

  it('comes in events that are small, whatever the names of plans', async () => {
    await using warehouse = await createTestWarehouse()
    const plans = Array.from({ length: 230 }, (_, index) => `${'計'.repeat(170)} ${index}`)
    await load(warehouse, plans)
    const events = await announce(warehouse)
    expect(events.map(({ page, pages, fee_schedules }) => [page, pages, fee_schedules.length])).toEqual([
      [1, 3, 100],
      [2, 3, 100],
      [3, 3, 30],
    ])
    expect(new Set(changesOf(events)).size).toBe(230)
    for (const event of events) expect(Buffer.byteLength(JSON.stringify(event))).toBeLessThan(128 * 1024)
  })

  it('sends events again under the same ids until every event is accepted', async () => {
    await using warehouse = await createTestWarehouse()
    await load(
      warehouse,
      Array.from({ length: 230 }, (_, index) => `Plan ${index}`),
    )
    const first = await announce(warehouse, { fail: ({ page }) => page === 2 })
    expect(first.map(({ page }) => page)).not.toContain(2)
    const second = await announce(warehouse)
    expect(second).toHaveLength(3)
    expect(second.map(({ id }) => id)).toEqual(expect.arrayContaining(first.map(({ id }) => id)))
    expect(await announce(warehouse)).toEqual([])
  })

  it('announces a load that broke off after its first switch', async () => {
    await using warehouse = await createTestWarehouse()
    warehouse.catalogue.beforeReplace = ({ plan }) => {
      if (plan.startsWith('Silver')) throw new Error('the network is gone')
    }
    await expect(load(warehouse, ['Gold', 'Silver'])).rejects.toThrow()
    const events = await announce(warehouse)
    expect(events).toMatchObject([{ status: 'failed', counts: { switched: 1, unchanged: 0 } }])
    expect(changesOf(events)).toEqual(['Gold switched'])
  })

  it('does not announce a load that broke off before its first switch', async () => {
    await using warehouse = await createTestWarehouse()
    warehouse.catalogue.beforeReplace = () => {
      throw new Error('the network is gone')
    }
    await expect(load(warehouse, ['Gold'])).rejects.toThrow()
    expect(await announce(warehouse)).toEqual([])
    expect(await warehouse.records.listUnannounced()).toEqual([])
  })

  it('announces a killed load after five minutes, and again if another process completes it', async () => {
    await using warehouse = await createTestWarehouse()
    const { records } = warehouse
    const { loadId } = await load(warehouse, ['Gold', 'Silver'])
    await announce(warehouse)
    const killed = { loadId, from: 'toc.json', startedAt: loadedAt }
    await records.begin(killed)
    await records.noteSwitching(loadId, minutesLater(0))
    expect(await announce(warehouse, { now: minutesLater(4) })).toEqual([])
    const interrupted = await announce(warehouse, { now: minutesLater(6) })
    expect(interrupted).toMatchObject([{ load_id: loadId, status: 'interrupted', counts: { switched: 2 } }])
    await records.noteSwitching(loadId, minutesLater(7))
    await records.touch(loadId, minutesLater(7))
    expect(await announce(warehouse, { now: minutesLater(7) })).toEqual([])
    await records.end(loadId, { state: 'completed', endedAt: minutesLater(8) })
    const completed = await announce(warehouse, { now: minutesLater(8) })
    expect(completed).toMatchObject([{ load_id: loadId, status: 'completed', counts: { switched: 2 } }])
    expect(completed[0]?.id).not.toBe(interrupted[0]?.id)
  })

  it('stays to be announced if the load switches again meanwhile', async () => {
    await using warehouse = await createTestWarehouse()
    const { records } = warehouse
    const { loadId } = await load(warehouse, ['Gold'])
    const [before] = await records.listUnannounced()
    await records.noteSwitching(loadId, minutesLater(1))
    expect(before && (await records.noteAnnounced(before))).toBe('superseded')
    expect(await announce(warehouse)).toHaveLength(1)
  })
})
