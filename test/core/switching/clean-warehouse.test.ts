import { describe, expect, it } from 'vitest'
import { resolveFeeSchedules } from '../../../core/catalogue/resolving/resolve-fee-schedules.ts'
import { loadedRates } from '../../../core/rates/loaded-rates.ts'
import { namePlansOfIds } from '../../../core/search/plans-of-ids.ts'
import { cleanWarehouse } from '../../../core/switching/clean-warehouse.ts'
import { removeFeeSchedule } from '../../../core/switching/manage-fee-schedules.ts'
import { rollBackFeeSchedule } from '../../../core/switching/roll-back.ts'
import { openSwitching, payer } from './open-switching.ts'

const gold = { payer, plan: 'Gold' }

function openLoaded() {
  const switching = openSwitching()
  const loadFile = (file: string, planId = '0123456789') => switching.load({ plan: 'Gold', planId, files: [file] })
  return { ...switching, loadFile }
}

describe('a superseded or removed content', () => {
  it('stays for a day, then is deleted', async () => {
    const loaded = openLoaded()
    await loaded.loadFile('a')
    loaded.wait(48)
    await loaded.loadFile('b')
    loaded.wait(23)
    expect(await cleanWarehouse(loaded)).toEqual({ sources: 0, contents: 0, bytes: 0 })
    // Until the first clean, searches could name any day.
    loaded.wait(25)
    const before = await loaded.warehouse.list()
    const planned = await cleanWarehouse(loaded, true)
    expect(await loaded.warehouse.list()).toEqual(before)
    const removed = await cleanWarehouse(loaded)
    expect(removed).toEqual({ sources: 1, contents: 1, bytes: 1002 })
    expect(planned).toEqual(removed)
    await expect(rollBackFeeSchedule(gold, loaded)).rejects.toThrow('has been deleted: load its files again')
    expect(await loaded.search()).toMatchObject([{ file: 'b' }])
    const [content] = loaded.contents.contents.keys()
    expect((await loaded.warehouse.list()).map(({ id }) => id)).toEqual(['b', content])
  })

  it('stays for a day after it was superseded, even if searches can name no day on which it was active', async () => {
    const loaded = openLoaded()
    await loaded.loadFile('a')
    await cleanWarehouse(loaded)
    loaded.wait(48)
    await loaded.loadFile('b')
    loaded.wait(23)
    expect(await cleanWarehouse(loaded)).toMatchObject({ sources: 0, contents: 0 })
    loaded.wait(2)
    expect(await cleanWarehouse(loaded)).toMatchObject({ sources: 1, contents: 1 })
  })

  it('stays for the searches that started with it, however often it has been superseded since', async () => {
    const loaded = openLoaded()
    await loaded.loadFile('a')
    const [old] = loaded.listNames()
    loaded.wait(48)
    for (const file of ['b', 'c', 'd']) await loaded.loadFile(file)
    await cleanWarehouse(loaded)
    expect(old && (await loaded.search([old]))).toMatchObject([{ file: 'a' }])
  })

  it('keeps its sources if a rollback begins to use it while others are removed', async () => {
    const loaded = openLoaded()
    await loaded.loadFile('other', '1111111111')
    await loaded.loadFile('a', '2222222222')
    await loaded.loadFile('b', '2222222222')
    const ofTwo = { ...gold, plan: 'Gold (HIOS 2222222222)' }
    await cleanWarehouse(loaded)
    loaded.wait(48)
    const removeContent: typeof loaded.contents.removeContent = async (...args) => {
      await rollBackFeeSchedule(ofTwo, loaded)
      return loaded.contents.removeContent(...args)
    }
    await cleanWarehouse({ ...loaded, contents: { ...loaded.contents, removeContent } })
    expect(await loaded.search(await loaded.catalogue.find([ofTwo]))).toMatchObject([{ file: 'a' }])
  })

  it('leaves a tombstone only for a day', async () => {
    const loaded = openLoaded()
    await loaded.loadFile('a')
    await removeFeeSchedule(gold, loaded)
    loaded.wait(25)
    await cleanWarehouse(loaded)
    await cleanWarehouse(loaded)
    expect(loaded.catalogue.entries.size).toBe(0)
    expect(await loaded.warehouse.list()).toEqual([])
  })

  it('stays for the months of the last clean, which can be changed again only a day later', async () => {
    const loaded = openLoaded()
    await loaded.loadFile('a')
    loaded.wait(48)
    await loaded.loadFile('b')
    await cleanWarehouse(loaded)
    loaded.wait(23)
    for (const isDry of [true, false])
      await expect(cleanWarehouse(loaded, isDry, 12)).rejects.toThrow(
        'the months to keep were set to 0 less than a day ago; change them after 2026-11-23T09:30:00.000+00:00',
      )
    await cleanWarehouse(loaded, false, 0)
    loaded.wait(2)
    await cleanWarehouse(loaded, false, 12)
    expect(await loaded.catalogue.readKeptDays()).toMatchObject({ months: 12, formerFirst: '2026-11-23' })
  })

  it('leaves a tombstone for as long as searches can name a day on which an earlier version had it', async () => {
    const loaded = openLoaded()
    const { catalogue } = loaded
    await loaded.loadFile('a')
    for (const [key, { history: _, ...entry }] of catalogue.entries) catalogue.entries.set(key, entry)
    loaded.wait(48)
    await removeFeeSchedule(gold, loaded)
    await cleanWarehouse(loaded, false, 1)
    loaded.wait(48)
    await cleanWarehouse(loaded)
    const search = { feeSchedules: [], planIds: ['0123456789'], asOf: '2026-11-21' }
    const named = await namePlansOfIds(loaded, search, loadedRates)
    expect(named.request.feeSchedules).toEqual([gold])
    expect(await resolveFeeSchedules(loaded, named.request)).toMatchObject({
      failure: { word: 'not_kept' },
    })
    loaded.wait(31 * 24)
    await cleanWarehouse(loaded)
    expect(catalogue.entries.size).toBe(0)
  })

  it('stays while a running load relies on it', async () => {
    const loaded = openLoaded()
    await loaded.loadFile('a')
    const [source] = loaded.contents.sources.keys()
    await removeFeeSchedule(gold, loaded)
    loaded.wait(25)
    await loaded.records.begin({ loadId: 'load', from: 'a', startedAt: loaded.now() })
    await loaded.records.pin('load', [source ?? ''])
    expect(await cleanWarehouse(loaded)).toMatchObject({ sources: 0, contents: 1 })
    await loaded.records.end('load', { state: 'failed', endedAt: loaded.now() })
    expect(await cleanWarehouse(loaded)).toMatchObject({ sources: 1, contents: 0 })
  })
})
