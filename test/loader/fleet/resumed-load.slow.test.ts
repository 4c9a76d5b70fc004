import { describe, expect, it } from 'vitest'
import { leaseSeconds, maxAttempts } from '../../../core/loads/lease-file.ts'
import { cleanLoads, resumeLoad } from '../../../loader/fleet/ended-loads.ts'
import { finishLoad } from '../../../loader/fleet/finish-load.ts'
import { buildFile } from '../../builders/in-network-builder.ts'
import { buildPlan, buildTableOfContents } from '../../builders/table-of-contents-builder.ts'
import { outdate } from '../../doubles/memory-contents.ts'
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

describe('the step finish', () => {
  it('leaves out the plans of files that were not read, even if they may be partial', async () => {
    for (const name of ['a', 'b']) site.files.set(`/${name}.json`, { body: Buffer.from(JSON.stringify(buildFile())) })
    const [a, b] = ['a', 'b'].map((name) => `${site.url}/${name}.json`)
    const entries = [
      { plans: [buildPlan('Gold')], files: [a ?? '', b ?? ''] },
      { plans: [buildPlan('Silver')], files: [b ?? ''] },
    ]
    site.files.set('/toc.json', { body: Buffer.from(JSON.stringify(buildTableOfContents(...entries))) })
    await fleet.plan(loadId, { toc: `${site.url}/toc.json`, partial: true })
    const first = (await openFiles()).find(({ identity }) => identity === a)
    await fleet.work.lease(loadId, first?.key ?? '', leaseOf('killed'), site.now)
    await fleet.work.takeTask(loadId, 'wait', leaseOf('killed too'), site.now)
    expect(await fleet.workOn(loadId, 'w1')).toEqual({ files: 1, end: 'others remain' })
    const { leftOut, switched } = await fleet.finish(loadId)
    expect(leftOut.map(({ name, reason }) => [name, reason])).toEqual([
      ['Blue Harbor Health / Gold (HIOS 0123456789)', `${a}: was not read before its load ended`],
    ])
    expect(switched.map(({ plan: name }) => name)).toContain('Silver')
  })

  it('records that the load was cancelled, whatever else is wrong with it', async () => {
    await plan('Gold')
    await warehouse.records.cancel(loadId)
    await expect(fleet.finish(loadId)).rejects.toThrow('cancelled')
    expect(await warehouse.records.read(loadId)).toMatchObject({ state: 'cancelled' })
    await expect(fleet.finish(loadId)).rejects.toThrow(`the load ${loadId} has been cancelled`)
    expect(await warehouse.records.listOpen()).toEqual([])
  })

  it('leaves out the plans of files that workers of an earlier version read', async () => {
    await plan('Gold')
    await fleet.workOn(loadId, 'w1')
    outdate(warehouse.contents)
    await expect(fleet.finish(loadId)).rejects.toThrow('an earlier version read it: load it again')
    expect(warehouse.listNames()).toEqual([])
  })

  it('does nothing if the load is complete', async () => {
    await plan('Gold')
    await fleet.workOn(loadId, 'w1')
    await fleet.finish(loadId)
    expect(await finishLoad(loadId, fleet.deps)).toBeUndefined()
  })
})

describe('a load that is resumed', () => {
  /** Ends as many workers as refuse the first file. */
  async function killWorkers() {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      await leaseFirst(`killed${attempt}`)
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

  it('counts the attempts at a file from zero', async () => {
    await plan('Gold')
    await killWorkers()
    await expect(fleet.finish(loadId)).rejects.toThrow('was not read before its load ended')
    await resumeLoad(loadId, fleet.deps)
    await fleet.plan(loadId)
    expect(await openFiles()).toMatchObject([{ attempts: 0 }])
    await fleet.workOn(loadId, 'w1')
    expect(await fleet.finish(loadId)).toMatchObject({ leftOut: [] })
  })

  it('reads files again if their rows have been removed', async () => {
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

  it('reads files again that workers of an earlier version read', async () => {
    await plan('Gold')
    await fleet.workOn(loadId, 'w1')
    await warehouse.records.end(loadId, { state: 'failed', endedAt: site.now })
    outdate(warehouse.contents)
    await resumeLoad(loadId, fleet.deps)
    expect(await fleet.plan(loadId)).toEqual({ files: 1, settled: 0 })
    await fleet.workOn(loadId, 'w2')
    expect(await fleet.finish(loadId)).toMatchObject({ leftOut: [] })
    expect(await warehouse.readRates()).toHaveLength(1)
  })

  it('cannot be resumed once its work is cleaned, a day after its end', async () => {
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

  it('cannot be resumed while it runs, or if it was run by one process', async () => {
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
    await leaseFirst('w1')
    const before = await openFiles()
    expect(await plan('Gold', 'Silver')).toEqual({ files: 2, settled: 0 })
    expect(await openFiles()).toEqual(before)
  })

  it('takes over files that have not changed, and keeps their rows from being removed until the load ends', async () => {
    await plan('Gold')
    await fleet.workOn(loadId, 'w1')
    const { files } = await fleet.finish(loadId)
    const pinned = files.map(({ sourceId }) => sourceId)
    expect(await fleet.plan('l2', { files: [`${site.url}/Gold.json`], partial: true })).toEqual({
      files: 1,
      settled: 1,
    })
    expect(await warehouse.records.listOpen()).toMatchObject([{ loadId: 'l2', pinned }])
    expect(await fleet.finish('l2')).toMatchObject({ files: [], takenOver: 1, unchanged: 1 })
    expect(await warehouse.records.listOpen()).toEqual([])
  })

  it('refuses a load without an order, and a load that has ended', async () => {
    await expect(fleet.plan(loadId)).rejects.toThrow(`there is no load ${loadId}, and LOAD_ORDER is not set`)
    expect(await warehouse.records.list()).toEqual([])
    await plan('Gold')
    await warehouse.records.end(loadId, { state: 'failed', endedAt: site.now })
    await expect(fleet.plan(loadId)).rejects.toThrow(`the load ${loadId} has ended: it is failed`)
  })
})
