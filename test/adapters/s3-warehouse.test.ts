import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createS3WarehouseFiles } from '../../adapters/s3-warehouse-files.ts'
import { partitionPath, warehouseTables } from '../../core/warehouse.ts'
import { loadFiles } from '../../loader/load-files.ts'
import type { Partitions } from '../../loader/register-partitions.ts'
import { openWarehouseBucket } from '../../loader/warehouse-bucket.ts'
import type { WarehouseFolder } from '../../loader/warehouse-folder.ts'
import { openWarehouseFolder } from '../../loader/warehouse-folder.ts'
import { sampleFiles } from '../../local/sample-data.ts'
import { createMemoryCatalogue } from '../loader/memory-catalogue.ts'
import type { LocalS3 } from '../local/local-s3.ts'
import { bucket, discardLocalS3, openLocalS3 } from '../local/local-s3.ts'

/** A warehouse and what a test can observe of it. */
interface Place {
  readonly warehouse: WarehouseFolder
  readonly stagingFolder: string
  listFiles(): Promise<readonly string[]>
}

let s3: LocalS3
let folder: string
let partitions: Partitions & { readonly registered: Set<string>; fault?: Error }

beforeEach(async () => {
  s3 = await openLocalS3()
  folder = mkdtempSync(join(tmpdir(), 'warehouse-'))
  const registered = new Set<string>()
  partitions = {
    registered,
    async add(sourceId) {
      if (partitions.fault) throw partitions.fault
      expect(await place.bucket().listFiles()).toContain(`${partitionPath('source_plans', sourceId)}part-00000.parquet`)
      registered.add(sourceId)
    },
    drop: async (sourceId) => void registered.delete(sourceId),
  }
})

afterEach(async () => {
  await discardLocalS3(s3)
  rmSync(folder, { recursive: true })
})

const place = {
  folder: (): Place => ({
    warehouse: openWarehouseFolder(folder),
    stagingFolder: join(folder, '.staging'),
    async listFiles() {
      const paths = await readdir(folder, { recursive: true, withFileTypes: true })
      const files = paths.filter((path) => path.isFile()).map(({ parentPath, name }) => join(parentPath, name))
      return files.map((path) => path.slice(folder.length + 1)).filter((path) => !path.startsWith('.staging'))
    },
  }),
  bucket: (): Place => {
    const files = createS3WarehouseFiles(`s3://${bucket}/rates/`, s3.client)
    const stagingFolder = join(folder, 'staging')
    return {
      warehouse: openWarehouseBucket({ files, partitions, stagingFolder }),
      stagingFolder,
      listFiles: async () => (await files.list('')).map(({ path }) => path),
    }
  },
}

/** Writes a source with one small file per table. */
async function publish({ warehouse }: Place, sourceId: string): Promise<void> {
  const staged = await warehouse.stage(sourceId)
  for (const table of warehouseTables) writeFileSync(staged.fileOf(table), table.name)
  await staged.publish()
  await staged.discard()
}

const filesOf = (...sourceIds: readonly string[]) =>
  sourceIds.flatMap((id) => warehouseTables.map(({ name }) => `${partitionPath(name, id)}part-00000.parquet`)).sort()

describe.each(['folder', 'bucket'] as const)('a warehouse in a %s', (kind) => {
  it('shows a source only once it is published, and then all of it', async () => {
    const { warehouse, listFiles } = place[kind]()
    const staged = await warehouse.stage('s1')
    for (const table of warehouseTables) writeFileSync(staged.fileOf(table), '')
    writeFileSync(staged.fileOf(warehouseTables[0] ?? expect.fail(), 1), '')
    expect(await listFiles()).toEqual([])
    await staged.publish()
    const parts = [...filesOf('s1'), `${partitionPath('negotiated_rates', 's1')}part-00001.parquet`]
    expect((await listFiles()).toSorted()).toEqual(parts.sort())
  })

  it('deletes a discarded source with the writer’s temporary files', async () => {
    const { warehouse, listFiles, stagingFolder } = place[kind]()
    const staged = await warehouse.stage('s1')
    writeFileSync(join(staged.scratch, 'temporary'), '')
    await staged.discard()
    expect(await listFiles()).toEqual([])
    expect(await readdir(stagingFolder)).toEqual([])
  })

  it('removes only the given source, and ignores one that does not exist', async () => {
    const opened = place[kind]()
    for (const id of ['s1', 's10']) await publish(opened, id)
    await opened.warehouse.remove('s1')
    await opened.warehouse.remove('s2')
    expect((await opened.listFiles()).toSorted()).toEqual(filesOf('s10'))
  })

  it('lists its sources, a retired one with the time of its retirement', async () => {
    const opened = place[kind]()
    expect(await opened.warehouse.list()).toEqual([])
    for (const id of ['s1', 's2']) await publish(opened, id)
    const [first] = await opened.warehouse.list()
    s3.clock.now = new Date(s3.clock.now.getTime() + 60_000)
    await new Promise((resolve) => setTimeout(resolve, 20))
    await opened.warehouse.retire(['s1'])
    const listed = await opened.warehouse.list()
    expect(listed.map(({ sourceId }) => sourceId)).toEqual(['s2', 's1'])
    expect(listed[1]?.touchedAt.getTime()).toBeGreaterThan(first?.touchedAt.getTime() ?? Number.NaN)
  })

  it('does not list the mark of a retirement as a source', async () => {
    const { warehouse } = place[kind]()
    await warehouse.retire(['gone'])
    expect(await warehouse.list()).toEqual([])
  })

  it('lists the remains of a killed load', async () => {
    const opened = place[kind]()
    await publish(opened, 's1')
    if (kind === 'folder') rmSync(join(folder, partitionPath('provider_groups', 's1')), { recursive: true })
    else await createS3WarehouseFiles(`s3://${bucket}/rates/`, s3.client).removeBelow('provider_groups/')
    expect(await opened.warehouse.list()).toHaveLength(1)
  })

  it('deletes old files from staging', async () => {
    const { warehouse, stagingFolder } = place[kind]()
    const killed = await warehouse.stage('s1')
    const running = await warehouse.stage('s2')
    utimesSync(dirname(killed.scratch), new Date(0), new Date(0))
    await warehouse.cleanStaging(new Date(1000))
    expect(await readdir(stagingFolder)).toEqual([expect.stringMatching(/^s2-/)])
    await running.discard()
  })

  it('accepts a whole load', async () => {
    const { warehouse, listFiles, stagingFolder } = place[kind]()
    let ids = 0
    const catalogue = createMemoryCatalogue()
    const report = await loadFiles(
      { files: sampleFiles },
      { warehouse, catalogue, newSourceId: () => `source${ids++}`, now: () => new Date() },
    )
    const sources = report.files.map(({ sourceId }) => sourceId)
    expect((await listFiles()).toSorted()).toEqual(expect.arrayContaining(filesOf(...sources)))
    expect(await readdir(stagingFolder)).toEqual([])
    if (kind === 'bucket') expect([...partitions.registered].sort()).toEqual(sources.toSorted())
  })
})

describe('a warehouse in a bucket', () => {
  it('registers a source after uploading its files, and unregisters it before deleting them', async () => {
    const opened = place.bucket()
    await publish(opened, 's1')
    expect([...partitions.registered]).toEqual(['s1'])
    await opened.warehouse.retire(['s1'])
    await opened.warehouse.remove('s1')
    expect([...partitions.registered]).toEqual([])
    expect(await opened.listFiles()).toEqual([])
  })

  it('keeps nothing of a load whose partitions cannot be registered, and hides it from searches', async () => {
    const { warehouse, listFiles } = place.bucket()
    partitions.fault = new Error('not authorized')
    const catalogue = createMemoryCatalogue()
    const load = loadFiles(
      { files: sampleFiles },
      { warehouse, catalogue, newSourceId: () => 'source0', now: () => new Date() },
    )
    await expect(load).rejects.toThrow('not authorized')
    expect(await listFiles()).toEqual([])
    expect((await catalogue.list({ limit: 10 })).items).toEqual([])
  })
})
