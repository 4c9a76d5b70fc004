import { stat, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { feeScheduleKey } from '../../core/fee-schedule.ts'
import { sourcePart, sourceTables } from '../../core/warehouse.ts'
import type { LoadProgress } from '../../loader/load-files.ts'
import { loadFiles } from '../../loader/load-files.ts'
import { SwitchContended } from '../../loader/settle-names.ts'
import { openWarehouseFolder } from '../../loader/warehouse-folder.ts'
import { createMemoryCatalogue } from '../doubles/memory-catalogue.ts'
import { createMemoryContents } from '../doubles/memory-contents.ts'
import { buildFile, buildGroup, buildItem, buildReference } from './in-network-builder.ts'
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
    expect(report.switched).toEqual(warehouse.listNames())
    expect(report.switched).toMatchObject([
      { plan: 'Harbor PPO Gold', state: { status: 'ambiguous', variants: 2 } },
      { plan: 'Harbor HMO', state: { planIds: ['hios|02'], lastUpdatedOn: '2026-11-01', sourceCount: 1 } },
    ])
    const variants = ['Harbor PPO Gold (HIOS 0001)', 'Harbor PPO Gold (HIOS 0123456789)']
    const [one, other] = await warehouse.catalogue.find(variants.map((plan) => ({ ...gold, plan })))
    expect([one?.state, other?.state]).toMatchObject([
      { planIds: ['hios|0001'], lastUpdatedOn: '2026-11-05', partial: false },
      { planIds: ['hios|0123456789'], lastUpdatedOn: '2026-11-01', partial: false },
    ])
  })

  it('of one plan id are read together', async () => {
    await using warehouse = await createTestWarehouse()
    const files = [
      await warehouse.write('a.json', buildFile()),
      await warehouse.write('b.json', buildFile({ last_updated_on: '2026-11-05' })),
    ]
    expect((await warehouse.load({ files })).switched).toMatchObject([
      { ...gold, state: { planIds: ['hios|0123456789'], lastUpdatedOn: '2026-11-05', sourceCount: 2 } },
    ])
    expect(await warehouse.readRates()).toHaveLength(2)
  })

  it('replace the former content, whose files stay for the searches that read them', async () => {
    await using warehouse = await createTestWarehouse()
    const [old] = (await warehouse.load({ files: [await warehouse.write('a.json', buildFile())] })).switched
    const next = await warehouse.write('b.json', buildFile({ last_updated_on: null }))
    const [entry] = (await warehouse.load({ files: [next], partial: true })).switched
    if (old === undefined || entry === undefined) throw new TypeError('nothing was switched')
    expect(entry).toMatchObject({ ...gold, state: { partial: true } })
    expect(entry.state).not.toHaveProperty('lastUpdatedOn')
    expect(entry.version).not.toBe(old.version)
    expect(await warehouse.readRates(entry)).toMatchObject([{ source_file: 'b.json' }])
    expect(await warehouse.readRates(old)).toMatchObject([{ source_file: 'a.json' }])
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
    const rows = await warehouse.readRates(...given.switched)
    expect(rows).toMatchObject([
      { payer: 'Other Payer', plan: 'Café', plan_ids: ['hios|0123456789'], plan_id_count: 1 },
    ])
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
      'content_id=source2',
      'content_id=source2/part-00000.parquet',
      ...Array(2).fill('load_id=source0'),
      ...Array(2).fill('load_id=source0/source_id=source1'),
      ...Array(2).fill('load_id=source0/source_id=source1/part-00000.parquet'),
    ])
    expect(await warehouse.listStaging()).toEqual([])
  })

  it('are read apart from what a killed load has left half-written', async () => {
    await using warehouse = await createTestWarehouse()
    const dead = await warehouse.folder.stage(sourcePart({ loadId: 'killed', sourceId: 'dead' }))
    for (const table of sourceTables) await writeFile(dead.fileOf(table), 'PAR1')
    await warehouse.load({ files: [await warehouse.write('a.json', buildFile())] })
    expect(await warehouse.readRates()).toHaveLength(1)
    expect((await warehouse.listStaging()).map((name) => name.split('-')[0])).toEqual(['dead'])
  })

  it('leave the former state if they are stopped, and no staging', async () => {
    await using warehouse = await createTestWarehouse()
    const file = await warehouse.write('a.json', buildFile())
    await warehouse.load({ files: [file] })
    const before = { files: await warehouse.listFiles(), entries: [...warehouse.catalogue.entries] }
    for (const step of ['reading', 'read', 'written']) {
      const stopping = new AbortController()
      const deps = {
        warehouse: warehouse.folder,
        catalogue: warehouse.catalogue,
        contents: warehouse.contents,
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
    let ids = 0
    const deps = {
      warehouse: openWarehouseFolder(`${file}.warehouse`),
      catalogue: warehouse.catalogue,
      contents: createMemoryContents(),
      newSourceId: () => `s${ids++}`,
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
  /** Another load changes the plan's one variant before each of so many writes of it. */
  function createContended(count: number) {
    let rivals = 0
    const catalogue = createMemoryCatalogue()
    catalogue.beforeReplace = (entry) => {
      if (entry.variantOf === undefined || rivals === count) return
      const state = { ...entry.state, sourcesKey: 'other' }
      const rival = { ...entry, state, version: `rival ${rivals++}` }
      catalogue.entries.set(feeScheduleKey(entry), rival)
    }
    return { catalogue, countRivals: () => rivals }
  }

  it('reads the entry again and wins, being the last', async () => {
    const { catalogue, countRivals } = createContended(2)
    await using warehouse = await createTestWarehouse(catalogue)
    const { switched } = await warehouse.load({ files: [await warehouse.write('a.json', buildFile())] })
    expect(warehouse.listNames()).toEqual(switched)
    expect(await warehouse.readRates()).toHaveLength(1)
    expect(countRivals()).toBe(2)
  })

  it('gives up after a few tries, and leaves the entry to the others', async () => {
    const { catalogue } = createContended(Number.POSITIVE_INFINITY)
    await using warehouse = await createTestWarehouse(catalogue)
    const path = await warehouse.write('a.json', buildFile())
    await expect(warehouse.load({ files: [path] })).rejects.toThrow(SwitchContended)
    const variants = [...catalogue.entries.values()].filter(({ variantOf }) => variantOf !== undefined)
    expect(variants).toMatchObject([{ version: expect.stringMatching('rival') }])
  })
})
