import { stat, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { feeScheduleKey } from '../../../core/catalogue/fee-schedule.ts'
import type { LoadProgress } from '../../../loader/publish/load-request.ts'
import { sourceTables, sourceUnit } from '../../../schema/columns/warehouse-tables.ts'
import { buildFile, buildGroup, buildItem, buildReference } from '../../builders/in-network-builder.ts'
import { createTestWarehouse, type TestWarehouse } from '../../builders/test-warehouse.ts'

const gold = { payer: 'Blue Harbor Health', plan: 'Harbor PPO Gold' }

/** The active content of a fee schedule. */
async function findState({ catalogue }: TestWarehouse, feeSchedule = gold) {
  const [entry] = await catalogue.find([feeSchedule])
  return entry?.state
}

describe('a load', () => {
  it('makes its files together the content of the fee schedules that they name', async () => {
    await using warehouse = await createTestWarehouse()
    const files = [
      await warehouse.write('a.json', buildFile()),
      await warehouse.write('b.json', buildFile({ plan_name: 'Harbor HMO', plan_id: '02' })),
      await warehouse.write('c.json', buildFile({ last_updated_on: '2026-11-05' })),
    ]
    const report = await warehouse.load({ files })
    expect(report).toMatchObject({ leftOut: [], removed: [], unchanged: 0, takenOver: 0 })
    expect(report.switched.map(({ plan }) => plan).sort()).toEqual([
      'Harbor HMO',
      'Harbor HMO (HIOS 02)',
      'Harbor PPO Gold',
      'Harbor PPO Gold (HIOS 0123456789)',
    ])
    expect(await findState(warehouse)).toMatchObject({
      planIds: ['hios|0123456789'],
      lastUpdatedOn: '2026-11-05',
      partial: false,
      sourceCount: 2,
    })
    expect(await warehouse.readRates(gold)).toHaveLength(2)
  })

  it('makes files the content of each plan id that one of them names', async () => {
    await using warehouse = await createTestWarehouse()
    const files = [
      await warehouse.write('a.json', buildFile({ plan_id: '01' })),
      await warehouse.write('b.json', buildFile({ plan_id: '02', version: '2.1.0' })),
    ]
    await warehouse.load({ files })
    const variants = ['01', '02'].map((id) => ({ ...gold, plan: `${gold.plan} (HIOS ${id})` }))
    for (const variant of variants) expect(await warehouse.readRates(variant)).toHaveLength(1)
    expect(await warehouse.catalogue.find([gold])).toMatchObject([{ state: { status: 'ambiguous' } }])
    await warehouse.load({ files, plan: gold.plan })
    for (const feeSchedule of [gold, ...variants]) expect(await warehouse.readRates(feeSchedule)).toHaveLength(2)
    expect(await findState(warehouse)).toMatchObject({ planIds: ['hios|01', 'hios|02'] })
  })

  it('supersedes the active content, whose files are kept for running searches', async () => {
    await using warehouse = await createTestWarehouse()
    await warehouse.load({ files: [await warehouse.write('a.json', buildFile())] })
    const old = warehouse.listNames()
    const next = await warehouse.write('b.json', buildFile({ last_updated_on: null }))
    await warehouse.load({ files: [next], partial: true })
    expect(await findState(warehouse)).toMatchObject({ partial: true, lastUpdatedOn: undefined })
    expect(await warehouse.readRates(gold)).toMatchObject([{ source_file: 'b.json' }])
    expect(await warehouse.readRates(...old)).toMatchObject([{ source_file: 'a.json' }])
  })

  it('keeps provider groups of different files apart, even with equal ids', async () => {
    await using warehouse = await createTestWarehouse()
    const withNpi = (npi: number) =>
      buildFile({ provider_references: [buildReference({ provider_groups: [buildGroup({ npi: [npi] })] })] })
    await warehouse.load({
      files: [
        await warehouse.write('a.json', withNpi(1000000001)),
        await warehouse.write('b.json', withNpi(1000000002)),
      ],
    })
    const rows = await warehouse.readRates(gold)
    expect(new Map(rows.map((row) => [row['source_file'], row['npi']]))).toEqual(
      new Map([
        ['a.json', '1000000001'],
        ['b.json', '1000000002'],
      ]),
    )
    expect(rows).toHaveLength(2)
  })

  it('uses the operator’s names instead of the published ones, in canonical form', async () => {
    await using warehouse = await createTestWarehouse()
    const path = await warehouse.write(
      'a.json',
      buildFile({ plan_id_type: 'HIOS', plan_name: '  Harbor\u00a0 PPO  Gold ' }),
    )
    await warehouse.load({ files: [path] })
    await warehouse.load({ files: [path], payer: ' Other  Payer ', plan: 'Cafe\u0301' })
    expect(await warehouse.readRates(gold)).toHaveLength(1)
    const rows = await warehouse.readRates({ payer: 'Other Payer', plan: 'Café' })
    expect(rows).toMatchObject([
      { payer: 'Other Payer', plan: 'Café', plan_ids: ['hios|0123456789'], plan_id_count: 1 },
    ])
  })

  it('takes the reporting entity as payer if no issuer is named', async () => {
    await using warehouse = await createTestWarehouse()
    await warehouse.load({ files: [await warehouse.write('a.json', buildFile({ issuer_name: '' }))] })
    expect(await findState(warehouse, { ...gold, payer: 'Blue Harbor Services' })).toMatchObject({ sourceCount: 1 })
  })

  it('writes partitions whose names contain no payer or plan, and removes its workspace', async () => {
    await using warehouse = await createTestWarehouse()
    await warehouse.load({ files: [await warehouse.write('a.json', buildFile())] })
    const paths = await warehouse.listFiles()
    for (const path of paths) expect(path).toMatch(/^bucket=\d+(\/\w+(\.\w+)?\.00000\.parquet)?$/)
    expect(paths.filter((path) => path.endsWith('.parquet'))).toHaveLength(3)
    expect(await warehouse.listWorkspaces()).toEqual([])
  })

  it('ignores half-written files of a killed load', async () => {
    await using warehouse = await createTestWarehouse()
    const dead = await warehouse.folder.openWorkspace(sourceUnit({ loadId: 'dead', sourceId: 'dead' }))
    for (const table of sourceTables) await writeFile(dead.fileOf(table), 'PAR1')
    await warehouse.load({ files: [await warehouse.write('a.json', buildFile())] })
    expect(await warehouse.readRates(gold)).toHaveLength(1)
    expect(await warehouse.listWorkspaces()).toHaveLength(1)
  })

  it('leaves the active content unchanged and no workspace if it is stopped', async () => {
    await using warehouse = await createTestWarehouse()
    await warehouse.load({ files: [await warehouse.write('a.json', buildFile())] })
    const before = [...warehouse.catalogue.entries]
    const file = await warehouse.write('b.json', buildFile({ in_network: [buildItem({ billing_code: '99214' })] }))
    for (const step of ['reading', 'read', 'written']) {
      const stopping = new AbortController()
      const onProgress = (progress: LoadProgress) => {
        if (progress.step === step) stopping.abort(new Error('stopped'))
      }
      const stopped = warehouse.load({ files: [file] }, { onProgress, signal: stopping.signal })
      await expect(stopped).rejects.toThrow('stopped')
      expect([...warehouse.catalogue.entries]).toEqual(before)
      expect(await warehouse.listWorkspaces()).toEqual([])
    }
  })

  it('reports its progress', async () => {
    await using warehouse = await createTestWarehouse()
    const file = await warehouse.write('a.json', buildFile())
    const { size } = await stat(file)
    const steps: LoadProgress[] = []
    await warehouse.load({ files: [file] }, { onProgress: (progress) => steps.push(progress) })
    await warehouse.load({ files: [file] }, { onProgress: (progress) => steps.push(progress) })
    expect(steps).toEqual([
      { step: 'reading', file, index: 1, of: 1 },
      { step: 'read', file, index: 1, of: 1, bytesRead: size, size, prices: 0, isRead: false },
      { step: 'read', file, index: 1, of: 1, bytesRead: size, size, prices: 1, isRead: true },
      { step: 'written', file, index: 1, of: 1 },
      { step: 'switching', feeSchedules: 1 },
      { step: 'known', file, index: 1, of: 1 },
      { step: 'switching', feeSchedules: 1 },
    ])
  })
})

describe('a load of a fee schedule that another load switches at the same time', () => {
  /** Creates a warehouse in which another load switches the entry before each of the first writes. */
  async function createContended(rivals: number) {
    const warehouse = await createTestWarehouse()
    const { catalogue } = warehouse
    let left = rivals
    catalogue.beforeReplace = (entry) => {
      if (entry.variantOf === undefined || left-- <= 0) return
      const key = feeScheduleKey(entry)
      const current = catalogue.entries.get(key) ?? { ...entry, state: { status: 'removed' } }
      catalogue.entries.set(key, { ...current, version: `rival ${left}` })
    }
    return { ...warehouse, path: await warehouse.write('a.json', buildFile()) }
  }

  it('reads the entry again, and is the last to write it', async () => {
    await using warehouse = await createContended(2)
    await warehouse.load({ files: [warehouse.path] })
    expect(await warehouse.readRates(gold)).toHaveLength(1)
  })

  it('gives up after a few attempts with an error', async () => {
    await using warehouse = await createContended(100)
    await expect(warehouse.load({ files: [warehouse.path] })).rejects.toThrow('other loads kept switching it')
    expect(await warehouse.readRates(gold)).toEqual([])
  })
})
