import { stat, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { feeScheduleKey } from '../../core/fee-schedule.ts'
import { warehouseTables } from '../../core/warehouse.ts'
import type { LoadProgress } from '../../loader/load-files.ts'
import { loadFiles } from '../../loader/load-files.ts'
import { SwitchContended } from '../../loader/switch-catalogue.ts'
import { openWarehouseFolder } from '../../loader/warehouse-folder.ts'
import { buildFile, buildGroup, buildItem, buildReference } from './in-network-builder.ts'
import { createMemoryCatalogue } from './memory-catalogue.ts'
import { createTestWarehouse } from './test-warehouse.ts'

const gold = { payer: 'Blue Harbor Health', plan: 'Harbor PPO Gold' }

describe('the files of one load', () => {
  it('together become the content of the fee schedules that they name', async () => {
    await using warehouse = await createTestWarehouse()
    const files = [
      await warehouse.write('a.json', buildFile()),
      await warehouse.write('b.json', buildFile({ plan_name: 'Harbor HMO', plan_id: '02' })),
      await warehouse.write('c.json', buildFile({ plan_id: '0001', last_updated_on: '2026-11-05' })),
    ]
    const report = await warehouse.load({ files })
    expect(report.switched).toEqual([...warehouse.catalogue.entries.values()])
    expect(report.switched).toMatchObject([
      { ...gold, planIds: ['0001', '0123456789'], lastUpdatedOn: '2026-11-05', partial: false },
      { plan: 'Harbor HMO', planIds: ['02'], lastUpdatedOn: '2026-11-01', partial: false },
    ])
    expect(report.switched.map(({ sources }) => sources.length)).toEqual([2, 1])
    expect(await warehouse.readRates(report.switched[0]?.sources)).toHaveLength(2)
  })

  it('replace what counted before, whose files stay for the searches that read them', async () => {
    await using warehouse = await createTestWarehouse()
    const [old] = (await warehouse.load({ files: [await warehouse.write('a.json', buildFile())] })).switched
    const next = await warehouse.write('b.json', buildFile({ last_updated_on: null }))
    const [entry] = (await warehouse.load({ files: [next], partial: true })).switched
    expect(entry).toMatchObject({ ...gold, partial: true })
    expect(entry).not.toHaveProperty('lastUpdatedOn')
    expect(entry?.version).not.toBe(old?.version)
    expect(await warehouse.readRates(entry?.sources)).toMatchObject([{ source_file: 'b.json' }])
    expect(await warehouse.readRates(old?.sources)).toMatchObject([{ source_file: 'a.json' }])
  })

  it('do not mix their provider groups, though the ids are the same', async () => {
    await using warehouse = await createTestWarehouse()
    const withNpi = (npi: number) =>
      buildFile({ provider_references: [buildReference({ provider_groups: [buildGroup({ npi: [npi] })] })] })
    await warehouse.load({
      files: [
        await warehouse.write('a.json', withNpi(1000000001)),
        await warehouse.write('b.json', withNpi(1000000002)),
      ],
    })
    const rows = await warehouse.readRates()
    expect(new Map(rows.map((row) => [row['source_file'], row['npi']]))).toEqual(
      new Map([
        ['a.json', '1000000001'],
        ['b.json', '1000000002'],
      ]),
    )
    expect(rows).toHaveLength(2)
  })

  it('take the names that are given in place of their own, and bring all names into one form', async () => {
    await using warehouse = await createTestWarehouse()
    const path = await warehouse.write(
      'a.json',
      buildFile({ plan_id_type: 'HIOS', plan_name: '  Harbor\u00a0 PPO  Gold ' }),
    )
    const own = await warehouse.load({ files: [path] })
    const given = await warehouse.load({ files: [path], payer: ' Other  Payer ', plan: 'Cafe\u0301' })
    expect([own, given].flatMap(({ switched }) => switched)).toMatchObject([
      gold,
      { payer: 'Other Payer', plan: 'Café' },
    ])
    const rows = await warehouse.readRates(given.switched[0]?.sources)
    expect(rows).toMatchObject([{ payer: 'Other Payer', plan: 'Café', plan_id: '0123456789', plan_id_type: 'hios' }])
  })

  it('without an issuer are of the entity that reports them', async () => {
    await using warehouse = await createTestWarehouse()
    const { switched } = await warehouse.load({
      files: [await warehouse.write('a.json', buildFile({ issuer_name: '' }))],
    })
    expect(switched).toMatchObject([{ payer: 'Blue Harbor Services' }])
  })

  it('lie in partitions that say nothing of payer or plan, and leave no staging behind', async () => {
    await using warehouse = await createTestWarehouse()
    await warehouse.load({
      files: [await warehouse.write('a.json', buildFile({ in_network: [buildItem({ references: [] })] }))],
      maxSkipped: 1,
    })
    expect(await warehouse.listFiles()).toEqual([
      ...Array(3).fill('source_id=source0'),
      ...Array(3).fill('source_id=source0/part-00000.parquet'),
    ])
    expect(await warehouse.listStaging()).toEqual([])
  })

  it('are read apart from what a killed load has left half-written', async () => {
    await using warehouse = await createTestWarehouse()
    const dead = await warehouse.folder.stage('dead')
    for (const table of warehouseTables) await writeFile(dead.fileOf(table), 'PAR1')
    await warehouse.load({ files: [await warehouse.write('a.json', buildFile())] })
    expect(await warehouse.readRates()).toHaveLength(1)
    expect((await warehouse.listStaging()).map((name) => name.split('-')[0])).toEqual(['dead'])
  })

  it('leave the former state where they are stopped, and no staging', async () => {
    await using warehouse = await createTestWarehouse()
    const file = await warehouse.write('a.json', buildFile())
    await warehouse.load({ files: [file] })
    const before = { files: await warehouse.listFiles(), entries: [...warehouse.catalogue.entries] }
    for (const step of ['reading', 'read', 'written']) {
      const stopping = new AbortController()
      const deps = {
        warehouse: warehouse.folder,
        catalogue: warehouse.catalogue,
        newSourceId: () => 'stopped',
        now: () => new Date(0),
        signal: stopping.signal,
        onProgress: (progress: LoadProgress) => {
          if (progress.step === step) stopping.abort(new Error('stopped'))
        },
      }
      await expect(loadFiles({ files: [file] }, deps)).rejects.toThrow('stopped')
      expect({ files: await warehouse.listFiles(), entries: [...warehouse.catalogue.entries] }).toEqual(before)
      expect(await warehouse.listStaging()).toEqual([])
    }
  })

  it('report their progress', async () => {
    await using warehouse = await createTestWarehouse()
    const file = await warehouse.write('a.json', buildFile())
    const { size } = await stat(file)
    const steps: LoadProgress[] = []
    const deps = {
      warehouse: openWarehouseFolder(`${file}.warehouse`),
      catalogue: warehouse.catalogue,
      newSourceId: () => 'source',
      now: () => new Date(0),
      onProgress: (progress: LoadProgress) => steps.push(progress),
    }
    await loadFiles({ files: [file] }, deps)
    expect(steps).toEqual([
      { step: 'reading', file, index: 1, of: 1 },
      { step: 'read', file, index: 1, of: 1, bytesRead: size, size, prices: 0, isRead: false },
      { step: 'read', file, index: 1, of: 1, bytesRead: size, size, prices: 1, isRead: true },
      { step: 'written', file, index: 1, of: 1 },
      { step: 'switched', feeSchedule: gold },
    ])
  })
})

describe('a load of a fee schedule that another load switches meanwhile', () => {
  const other = { ...gold, planIds: [], sources: ['other'], partial: false }

  it('reads the entry again and wins, being the last', async () => {
    let rivals = 0
    const catalogue = createMemoryCatalogue(({ entries }) => {
      if (rivals++ < 2) entries.set(feeScheduleKey(gold), { ...other, version: `rival ${rivals}` })
    })
    await using warehouse = await createTestWarehouse(catalogue)
    const { switched } = await warehouse.load({ files: [await warehouse.write('a.json', buildFile())] })
    expect([...catalogue.entries.values()]).toEqual(switched)
    expect(rivals).toBe(3)
  })

  it('gives up after a few tries, and leaves nothing behind', async () => {
    let rivals = 0
    const catalogue = createMemoryCatalogue(({ entries }) => {
      entries.set(feeScheduleKey(gold), { ...other, version: `rival ${rivals++}` })
    })
    await using warehouse = await createTestWarehouse(catalogue)
    const path = await warehouse.write('a.json', buildFile())
    await expect(warehouse.load({ files: [path] })).rejects.toThrow(SwitchContended)
    expect([...catalogue.entries.values()]).toMatchObject([{ sources: ['other'] }])
    expect(await warehouse.listFiles()).toEqual([])
  })
})
