import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createS3WarehouseFiles } from '../../../adapters/s3/s3-warehouse-files.ts'
import type { Partitions } from '../../../core/catalogue/ports.ts'
import { loadFiles } from '../../../loader/load-files.ts'
import { openWarehouseBucket } from '../../../loader/warehouse/warehouse-bucket.ts'
import { openWarehouseFolder, type WarehouseFolder } from '../../../loader/warehouse/warehouse-folder.ts'
import { sampleFiles } from '../../../local/samples/sample-data.ts'
import {
  contentPart,
  partitionPath,
  sourcePart,
  sourceTables,
  warehouseTables,
} from '../../../schema/columns/warehouse-tables.ts'
import { createMemoryCatalogue } from '../../doubles/memory-catalogue.ts'
import { createMemoryContents } from '../../doubles/memory-contents.ts'
import { createMemoryLoadRecords } from '../../doubles/memory-load-records.ts'
import { bucket, discardLocalS3, type LocalS3, openLocalS3 } from '../../local/local-s3.ts'

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
    async add(table, values) {
      if (partitions.fault) throw partitions.fault
      const files = await place.bucket().listFiles()
      for (const of of values) {
        expect(files).toContain(`${partitionPath(table, of)}part-00000.parquet`)
        registered.add(partitionPath(table, of))
      }
    },
    drop: async (table, values) => {
      for (const of of values) registered.delete(partitionPath(table, of))
    },
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

const partOf = (sourceId: string) => sourcePart({ loadId: 'load', sourceId })

/** Writes a source of one small file a table. */
async function publish({ warehouse }: Place, sourceId: string): Promise<void> {
  const part = partOf(sourceId)
  const staged = await warehouse.stage(part)
  for (const table of part.tables) writeFileSync(staged.fileOf(table), table.name)
  await staged.publish()
  await staged.discard()
}

const filesOf = (...sourceIds: readonly string[]) =>
  sourceIds
    .flatMap((id) => sourceTables.map((table) => `${partitionPath(table, ['load', id])}part-00000.parquet`))
    .sort()

describe.each(['folder', 'bucket'] as const)('a warehouse in a %s', (kind) => {
  it('shows a source only once it is published, and then all of it', async () => {
    const { warehouse, listFiles } = place[kind]()
    const [rates = expect.fail()] = sourceTables
    const staged = await warehouse.stage(partOf('s1'))
    for (const table of sourceTables) writeFileSync(staged.fileOf(table), '')
    writeFileSync(staged.fileOf(rates, 1), '')
    expect(await listFiles()).toEqual([])
    await staged.publish()
    const parts = [...filesOf('s1'), `${partitionPath(rates, ['load', 's1'])}part-00001.parquet`]
    expect((await listFiles()).toSorted()).toEqual(parts.sort())
  })

  it('deletes a discarded source with the writer’s temporary files', async () => {
    const { warehouse, listFiles, stagingFolder } = place[kind]()
    const staged = await warehouse.stage(partOf('s1'))
    writeFileSync(join(staged.scratch, 'temporary'), '')
    await staged.discard()
    expect(await listFiles()).toEqual([])
    expect(await readdir(stagingFolder)).toEqual([])
  })

  it('removes only the given source, and ignores one that does not exist', async () => {
    const opened = place[kind]()
    for (const id of ['s1', 's10']) await publish(opened, id)
    await opened.warehouse.remove([partOf('s1'), partOf('s2')])
    expect((await opened.listFiles()).toSorted()).toEqual(filesOf('s10'))
  })

  it('lists its sources and contents, the oldest first', async () => {
    const opened = place[kind]()
    expect(await opened.warehouse.list()).toEqual([])
    await publish(opened, 's1')
    s3.clock.now = new Date(s3.clock.now.getTime() + 60_000)
    const staged = await opened.warehouse.stage(contentPart('c1'))
    writeFileSync(staged.fileOf(warehouseTables.at(-1) ?? expect.fail()), '')
    await staged.publish()
    await staged.discard()
    if (kind === 'folder') utimesSync(join(folder, 'fee_schedule_sources/content_id=c1'), Date.now(), Date.now() + 60)
    expect(await opened.warehouse.list()).toEqual([
      { kind: 'source', loadId: 'load', sourceId: 's1', bytes: expect.any(Number), touchedAt: expect.any(Date) },
      { kind: 'content', contentId: 'c1', bytes: 0, touchedAt: expect.any(Date) },
    ])
  })

  it('lists the remains of a killed load', async () => {
    const opened = place[kind]()
    await publish(opened, 's1')
    if (kind === 'folder') rmSync(join(folder, 'provider_groups'), { recursive: true })
    else await createS3WarehouseFiles(`s3://${bucket}/rates/`, s3.client).removeBelow('provider_groups/')
    expect(await opened.warehouse.list()).toHaveLength(1)
  })

  it('deletes old files from staging', async () => {
    const { warehouse, stagingFolder } = place[kind]()
    const killed = await warehouse.stage(partOf('s1'))
    const running = await warehouse.stage(partOf('s2'))
    utimesSync(dirname(killed.scratch), new Date(0), new Date(0))
    await warehouse.cleanStaging(new Date(1000))
    expect(await readdir(stagingFolder)).toEqual([expect.stringMatching(/^s2-/)])
    await running.discard()
  })

  it('accepts a whole load', async () => {
    const { warehouse, listFiles, stagingFolder } = place[kind]()
    let ids = 0
    const [catalogue, contents] = [createMemoryCatalogue(), createMemoryContents()]
    const report = await loadFiles(
      { files: sampleFiles },
      {
        warehouse,
        catalogue,
        contents,
        records: createMemoryLoadRecords(),
        newId: () => `source${ids++}`,
        now: () => new Date(),
      },
    )
    const files = await listFiles()
    for (const { sourceId } of report.files)
      expect(files.filter((path) => path.includes(`/source_id=${sourceId}/`))).toHaveLength(sourceTables.length)
    for (const contentId of contents.contents.keys())
      expect(files).toContain(`fee_schedule_sources/content_id=${contentId}/part-00000.parquet`)
    expect(await readdir(stagingFolder)).toEqual([])
    const folders = new Set(files.map((path) => `${dirname(path)}/`))
    if (kind === 'bucket') expect(partitions.registered).toEqual(folders)
  })
})

describe('a warehouse in a bucket', () => {
  it('registers a source after uploading its files, and unregisters it before deleting them', async () => {
    const opened = place.bucket()
    await publish(opened, 's1')
    await opened.warehouse.register([partOf('s1')])
    expect(partitions.registered).toEqual(new Set(sourceTables.map((table) => partitionPath(table, ['load', 's1']))))
    await opened.warehouse.remove([partOf('s1')])
    expect(partitions.registered.size).toBe(0)
    expect(await opened.listFiles()).toEqual([])
  })

  it('lets no search find a load whose partitions cannot be registered', async () => {
    const { warehouse } = place.bucket()
    partitions.fault = new Error('not authorized')
    const [catalogue, contents] = [createMemoryCatalogue(), createMemoryContents()]
    let ids = 0
    const load = loadFiles(
      { files: sampleFiles },
      {
        warehouse,
        catalogue,
        contents,
        records: createMemoryLoadRecords(),
        newId: () => `source${ids++}`,
        now: () => new Date(),
      },
    )
    await expect(load).rejects.toThrow('not authorized')
    expect((await catalogue.list({ limit: 10 })).items).toEqual([])
    expect(contents.contents.size).toBe(0)
  })
})
