import { describe, expect, it } from 'vitest'
import { leaseSeconds } from '../../../core/loads/lease-file.ts'
import type { WorkEvent } from '../../../loader/fleet/work-on-files.ts'
import { LoadInterrupted } from '../../../loader/run/load-watch.ts'
import {
  fleet,
  leaseFirst,
  leaseOf,
  loadId,
  openFiles,
  outcomes,
  pass,
  plan,
  site,
  useFleet,
  warehouse,
} from './use-fleet.ts'

useFleet()

/** Opens the file of a plan again, at another position of the load or at none. */
async function openAgain(name: string, position?: number): Promise<void> {
  const file = (await openFiles()).find(({ identity }) => identity.endsWith(`/${name}.json`))
  if (file === undefined) throw new Error(`${name} is not open`)
  const { key, identity, location, listedAt } = file
  await fleet.work.lease(loadId, key, leaseOf('w0'), site.now)
  await fleet.work.close(loadId, key, 'w0')
  await fleet.work.open(loadId, { identity, location, listedAt, ...(position !== undefined && { position }) })
}

/** Returns the folders with files, which have the same names in both tables of sources. */
const listFolders = async () => [
  ...new Set((await warehouse.listFiles()).flatMap((path) => (path.endsWith('.parquet') ? path.split('/')[0] : []))),
]

describe('a worker', () => {
  it('reads what is open, and then leaves', async () => {
    await plan('Gold', 'Silver')
    const events: WorkEvent[] = []
    const report = await fleet.workOn(loadId, 'w1', { onEvent: (event) => void events.push(event) })
    expect(report).toEqual({ files: 2, end: 'finished' })
    expect(events.map(({ event }) => event)).toEqual(['reading', 'ready', 'reading', 'ready'])
    expect(await openFiles()).toEqual([])
  })

  it('puts the sources of a load into one folder, and starts another for each thousand files', async () => {
    await plan('Gold', 'Silver-of-a-larger-size', 'Bronze')
    expect((await openFiles()).map(({ position }) => position)).toEqual([1, 2, 0])
    await openAgain('Bronze', 1_000)
    await fleet.workOn(loadId, 'w1')
    expect(await listFolders()).toHaveLength(2)
  })

  it('reads files that an earlier version opened, which noted no positions', async () => {
    await plan('Gold')
    await openAgain('Gold')
    await fleet.workOn(loadId, 'w1')
    expect(await outcomes()).toEqual(['ready'])
  })

  it('leaves what another worker reads to the one that waits for it', async () => {
    await plan('Gold')
    await leaseFirst('w1')
    await fleet.work.takeTask(loadId, 'wait', leaseOf('w2'), site.now)
    expect(await fleet.workOn(loadId, 'w3')).toEqual({ files: 0, end: 'others remain' })
  })

  it('takes over the file of a worker that was killed', async () => {
    await plan('Gold')
    await leaseFirst('w1')
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
        void leaseFirst('w2').then(() => renew())
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
    expect([await warehouse.listFiles(), await warehouse.listWorkspaces()]).toEqual([[], []])
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
    expect(await warehouse.listWorkspaces()).toEqual([])
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
      warehouse: {
        ...fleet.deps.warehouse,
        openWorkspace: () => Promise.reject(Object.assign(new Error('the disk is full'), { code: 'ENOSPC' })),
      },
      onEvent: ({ event }) => void events.push(event),
      waiting: { sleep: async () => pass(20), random: () => 0.5 },
    })
    await expect(working).rejects.toThrow('the disk is full')
    expect(events).toEqual(['reading', 'failed', 'reading', 'failed', 'reading', 'failed'])
    expect(await openFiles()).toMatchObject([{ attempts: 3, lease: { worker: 'w1' } }])
  })
})
