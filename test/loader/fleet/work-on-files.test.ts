import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { leaseSeconds, maxAttempts } from '../../../core/loads/claim-file.ts'
import type { OpenFile } from '../../../core/loads/load-work.ts'
import { LoadInterrupted } from '../../../loader/conduct-load.ts'
import { cleanLoads } from '../../../loader/fleet/clean-loads.ts'
import { resumeLoad } from '../../../loader/fleet/resume-load.ts'
import type { WorkEvent } from '../../../loader/fleet/work-on-files.ts'
import { buildFile } from '../../builders/in-network-builder.ts'
import type { TestWarehouse } from '../../builders/test-warehouse.ts'
import { createTestWarehouse } from '../../builders/test-warehouse.ts'
import type { PayerSite } from '../../doubles/payer-site.ts'
import { startPayerSite } from '../../doubles/payer-site.ts'
import type { TestFleet } from './test-fleet.ts'
import { createTestFleet } from './test-fleet.ts'

let site: PayerSite
let warehouse: TestWarehouse
let fleet: TestFleet

beforeEach(async () => {
  vi.stubEnv('http_proxy', '')
  site = await startPayerSite()
  warehouse = await createTestWarehouse()
  fleet = createTestFleet(warehouse, () => site.now)
})

afterEach(async () => {
  await warehouse[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
  vi.unstubAllEnvs()
})

const loadId = 'l1'

/** Plans a load of one file for each of these plans. */
async function plan(...plans: readonly string[]) {
  const files = plans.map((name) => `/${name}.json`)
  for (const [index, path] of files.entries()) {
    site.files.set(path, { body: Buffer.from(JSON.stringify(buildFile({ plan_name: plans[index] }))) })
  }
  return fleet.plan(loadId, { files: files.map((path) => site.url + path), partial: true })
}

const pass = (seconds: number) => {
  site.now = new Date(site.now.getTime() + seconds * 1000)
}
const lease = (worker: string) => ({ worker, until: new Date(site.now.getTime() + leaseSeconds * 1000) })
const openFiles = (): Promise<OpenFile[]> => Array.fromAsync(fleet.work.listOpen(loadId))
const outcomes = async () => [...(await fleet.work.readOutcomes(loadId)).values()].map(({ outcome }) => outcome)
const claimFirst = async (worker: string) => {
  const [file] = await openFiles()
  return fleet.work.claim(loadId, file?.key ?? '', lease(worker), site.now)
}

describe('a worker', () => {
  it('reads what is open, and then leaves', async () => {
    await plan('Gold', 'Silver')
    const events: WorkEvent[] = []
    const report = await fleet.workOn(loadId, 'w1', { onEvent: (event) => void events.push(event) })
    expect(report).toEqual({ files: 2, end: 'finished' })
    expect(events.map(({ event }) => event)).toEqual(['reading', 'ready', 'reading', 'ready'])
    expect(await openFiles()).toEqual([])
  })

  it('leaves what another worker reads to the one that waits for it', async () => {
    await plan('Gold')
    await claimFirst('w1')
    await fleet.work.takeTask(loadId, 'wait', lease('w2'), site.now)
    expect(await fleet.workOn(loadId, 'w3')).toEqual({ files: 0, end: 'others remain' })
  })

  it('takes over the file of a worker that was killed', async () => {
    await plan('Gold')
    await claimFirst('w1')
    const waiting = { sleep: async () => pass(20), random: () => 0.5 }
    expect(await fleet.workOn(loadId, 'w2', { waiting })).toEqual({ files: 1, end: 'finished' })
    expect(await outcomes()).toEqual(['ready'])
  })

  it('ends the reading of a file whose lease it has lost, and stores nothing of it', async () => {
    await plan('Gold')
    const events: string[] = []
    let renew = () => {}
    const report = await fleet.workOn(loadId, 'w1', {
      repeat: (_seconds, call) => {
        renew = call
        return { stop: () => {} }
      },
      onEvent: ({ event }) => {
        events.push(event)
        if (event !== 'reading') return
        pass(leaseSeconds + 1)
        void claimFirst('w2').then(() => renew())
      },
      waiting: {
        // The other worker settles it meanwhile.
        sleep: async () => {
          const [file] = await openFiles()
          await fleet.work.record(loadId, file?.identity ?? '', { outcome: 'refused', file: 'a', fault: 'by w2' })
          await fleet.work.close(loadId, file?.key ?? '', 'w2')
        },
        random: () => 0.5,
      },
    })
    expect({ report, events }).toEqual({ report: { files: 0, end: 'finished' }, events: ['reading', 'lost'] })
    expect(await outcomes()).toEqual(['refused'])
    expect([await warehouse.listFiles(), await warehouse.listStaging()]).toEqual([[], []])
  })

  it('gives its file back when it is interrupted', async () => {
    await plan('Gold')
    const stopping = new AbortController()
    const onEvent = () => stopping.abort(new LoadInterrupted('ended by SIGTERM'))
    const working = fleet.workOn(loadId, 'w1', { signal: stopping.signal, onEvent })
    await expect(working).rejects.toThrow(LoadInterrupted)
    expect(await openFiles()).toMatchObject([{ attempts: 0 }])
    expect((await openFiles())[0]?.lease).toBeUndefined()
    expect(await warehouse.records.read(loadId)).toMatchObject({ state: 'running' })
    expect(await warehouse.listStaging()).toEqual([])
  })

  it('stops when the load is cancelled, and nothing is switched', async () => {
    await plan('Gold', 'Silver')
    let look = () => {}
    const repeat = (_seconds: number, call: () => void) => {
      look = call
      return { stop: () => {} }
    }
    const onEvent = ({ event }: WorkEvent) => {
      if (event === 'ready') void warehouse.records.cancel(loadId).then(() => look())
    }
    // The signs of life come first; the repetitions after them renew leases.
    const first = { current: true }
    const report = await fleet.workOn(loadId, 'w1', {
      onEvent,
      repeat: (seconds, call) => {
        if (!first.current) return { stop: () => {} }
        first.current = false
        return repeat(seconds, call)
      },
    })
    expect(report).toEqual({ files: 1, end: 'load ended' })
    expect((await openFiles()).filter((file) => file.lease !== undefined)).toEqual([])
    await expect(fleet.finish(loadId)).rejects.toThrow('cancelled')
    expect(await warehouse.records.read(loadId)).toMatchObject({ state: 'cancelled' })
    expect(warehouse.catalogue.entries.size).toBe(0)
  })

  it('ends if it fails at three files in a row, and lets their leases run out', async () => {
    await plan('Gold')
    const events: string[] = []
    const working = fleet.workOn(loadId, 'w1', {
      warehouse: { ...fleet.deps.warehouse, stage: () => Promise.reject(new Error('the disk is full')) },
      onEvent: ({ event }) => void events.push(event),
      waiting: { sleep: async () => pass(20), random: () => 0.5 },
    })
    await expect(working).rejects.toThrow('the disk is full')
    expect(events).toEqual(['reading', 'failed', 'reading', 'failed', 'reading', 'failed'])
    expect(await openFiles()).toMatchObject([{ attempts: 3, lease: { worker: 'w1' } }])
  })
})

describe('a load that is resumed', () => {
  /** Ends as many workers as refuse the first file. */
  async function killWorkers() {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      await claimFirst(`killed${attempt}`)
      pass(leaseSeconds + 1)
    }
  }

  it('reads refused files again, and keeps what was read', async () => {
    await plan('Gold', 'Silver')
    await killWorkers()
    await fleet.workOn(loadId, 'w1')
    expect(await outcomes()).toEqual(expect.arrayContaining(['ready', 'refused']))
    const { leftOut, files } = await fleet.finish(loadId)
    expect(leftOut).toMatchObject([{ reason: expect.stringContaining('3 workers ended before it was read') }])
    await resumeLoad(loadId, fleet.deps)
    expect(await warehouse.records.read(loadId)).toMatchObject({ state: 'running' })
    expect(await fleet.plan(loadId)).toEqual({ files: 2, settled: 1 })
    expect(await fleet.workOn(loadId, 'w2')).toEqual({ files: 1, end: 'finished' })
    const report = await fleet.finish(loadId)
    expect(report).toMatchObject({ leftOut: [], unchanged: 1 })
    expect(report.files).toEqual(expect.arrayContaining([...files]))
    expect((await warehouse.readRates()).map((row) => row['plan']).sort()).toEqual(['Gold', 'Silver'])
    expect(await fleet.work.readOrder(loadId)).toBeUndefined()
    await expect(resumeLoad(loadId, fleet.deps)).rejects.toThrow(`the load ${loadId} is complete`)
  })

  it('reads files again whose rows were removed since', async () => {
    await plan('Gold')
    await fleet.workOn(loadId, 'w1')
    await warehouse.records.end(loadId, { state: 'failed', endedAt: site.now })
    warehouse.contents.sources.clear()
    await resumeLoad(loadId, fleet.deps)
    expect(await fleet.plan(loadId)).toEqual({ files: 1, settled: 0 })
    await fleet.workOn(loadId, 'w2')
    expect(await fleet.finish(loadId)).toMatchObject({ leftOut: [] })
    expect(await warehouse.readRates()).toHaveLength(1)
  })

  it('cannot be resumed any more once it is cleaned, a day after its end', async () => {
    await plan('Gold')
    await warehouse.records.end(loadId, { state: 'failed', endedAt: site.now })
    pass(86_000)
    expect(await cleanLoads(fleet.deps)).toBe(0)
    pass(500)
    expect(await cleanLoads(fleet.deps)).toBe(1)
    expect(await cleanLoads(fleet.deps)).toBe(0)
    expect(await openFiles()).toEqual([])
    await expect(resumeLoad(loadId, fleet.deps)).rejects.toThrow('run the same npm run load again')
  })

  it('is refused while it runs, and if it was not one of many workers', async () => {
    await expect(resumeLoad(loadId, fleet.deps)).rejects.toThrow(`there is no load ${loadId}`)
    await plan('Gold')
    await expect(resumeLoad(loadId, fleet.deps)).rejects.toThrow(`the load ${loadId} is running`)
    pass(600)
    await resumeLoad(loadId, fleet.deps)
    await warehouse.records.begin({ loadId: 'other', from: 'a.json', startedAt: site.now })
    await warehouse.records.end('other', { state: 'failed', endedAt: site.now })
    await expect(resumeLoad('other', fleet.deps)).rejects.toThrow('run the same npm run load again')
  })
})

describe('the step plan', () => {
  it('changes nothing when it is repeated', async () => {
    await plan('Gold', 'Silver')
    await claimFirst('w1')
    const before = await openFiles()
    expect(await plan('Gold', 'Silver')).toEqual({ files: 2, settled: 0 })
    expect(await openFiles()).toEqual(before)
  })

  it('is refused without an order, and for a load that has ended', async () => {
    await expect(fleet.plan(loadId)).rejects.toThrow(`there is no load ${loadId}, and LOAD_ORDER is not set`)
    expect(await warehouse.records.list()).toEqual([])
    await plan('Gold')
    await warehouse.records.end(loadId, { state: 'failed', endedAt: site.now })
    await expect(fleet.plan(loadId)).rejects.toThrow(`the load ${loadId} has ended: it is failed`)
  })
})
