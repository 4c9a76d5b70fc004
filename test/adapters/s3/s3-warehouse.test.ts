import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createS3WarehouseFiles } from '../../../adapters/s3/s3-warehouse-files.ts'
import type { Source } from '../../../core/catalogue/content.ts'
import {
  openWarehouse,
  openWarehouseFolder,
  type WarehouseFolder,
} from '../../../loader/publish/warehouse/warehouse-folder.ts'
import { loadFiles } from '../../../loader/run/load-files.ts'
import { sampleFiles } from '../../../local/samples/sample-data.ts'
import {
  contentUnit,
  currentUnit,
  fileName,
  folderPath,
  sourceTables,
  sourceUnit,
  type WarehouseTable,
  warehouseTables,
} from '../../../schema/columns/warehouse-tables.ts'
import { testMachine } from '../../builders/test-machine.ts'
import { createMemoryWarehouse } from '../../core/switching/memory-warehouse.ts'
import { newSource } from '../../core/switching/open-switching.ts'
import { createMemoryCatalogue } from '../../doubles/memory-catalogue.ts'
import { createMemoryContents } from '../../doubles/memory-contents.ts'
import { createMemoryLoadRecords } from '../../doubles/memory-load-records.ts'
import { openMemoryNameWriter } from '../../doubles/vocabulary/memory-code-names.ts'
import { bucket, discardLocalS3, type LocalS3, openLocalS3 } from '../../local/local-s3.ts'

/** A warehouse, and functions that observe it. */
interface Setup {
  readonly warehouse: WarehouseFolder
  readonly workspaces: string
  listFiles(): Promise<readonly string[]>
}

let s3: LocalS3
let folder: string

beforeEach(async () => {
  s3 = await openLocalS3()
  folder = mkdtempSync(join(tmpdir(), 'warehouse-'))
})

afterEach(async () => {
  await discardLocalS3(s3)
  rmSync(folder, { recursive: true })
})

const setup = {
  folder: (): Setup => ({
    warehouse: openWarehouseFolder(folder),
    workspaces: join(folder, '.workspaces'),
    async listFiles() {
      const paths = await readdir(folder, { recursive: true, withFileTypes: true })
      const files = paths.filter((path) => path.isFile()).map(({ parentPath, name }) => join(parentPath, name))
      return files.map((path) => path.slice(folder.length + 1)).filter((path) => !path.startsWith('.workspaces'))
    },
  }),
  bucket: (): Setup => {
    const files = createS3WarehouseFiles(`s3://${bucket}/rates/`, s3.client)
    const workspaces = join(folder, 'workspaces')
    return {
      warehouse: openWarehouse({ files, workspaces }),
      workspaces,
      listFiles: async () => (await files.list('')).map(({ path }) => path),
    }
  },
}

const unitOf = (sourceId: string) => sourceUnit({ loadId: 'load', sourceId })

/** Writes a source of one small file a table. */
async function publish({ warehouse }: Setup, sourceId: string): Promise<void> {
  const unit = unitOf(sourceId)
  await using workspace = await warehouse.openWorkspace(unit)
  for (const table of unit.tables) writeFileSync(workspace.fileOf(table), table.name)
  await workspace.publish()
}

const pathOf = (table: WarehouseTable, id: string, file = 0) => folderPath(table, { id }) + fileName(unitOf(id), file)

const filesOf = (...sourceIds: readonly string[]) =>
  sourceIds.flatMap((id) => sourceTables.map((table) => pathOf(table, id))).sort()

describe.each(['folder', 'bucket'] as const)('a warehouse in a %s', (kind) => {
  it('shows a source only once it is published, and then with all its files', async () => {
    const { warehouse, listFiles } = setup[kind]()
    const [rates = expect.fail()] = sourceTables
    const workspace = await warehouse.openWorkspace(unitOf('s1'))
    for (const table of sourceTables) writeFileSync(workspace.fileOf(table), '')
    writeFileSync(workspace.fileOf(rates, 1), '')
    expect(await listFiles()).toEqual([])
    await workspace.publish()
    const paths = [...filesOf('s1'), pathOf(rates, 's1', 1)]
    expect((await listFiles()).toSorted()).toEqual(paths.sort())
  })

  it('accepts a file that is there with the same bytes, and keeps one that differs', async () => {
    const { warehouse, listFiles } = setup[kind]()
    const write = async (text: string) => {
      await using workspace = await warehouse.openWorkspace(unitOf('s1'))
      for (const table of sourceTables) writeFileSync(workspace.fileOf(table), text)
      return await workspace.publish()
    }
    const first = await write('rates')
    expect(await write('rates')).toEqual(first)
    const [rates = expect.fail()] = sourceTables
    const message = `${pathOf(rates, 's1')} exists with other bytes, and was not replaced: its name should be unique`
    for (const text of ['Rates', 'rates and more', ''])
      await expect(write(text)).rejects.toThrow(expect.objectContaining({ message: expect.stringContaining(message) }))
    expect(await write('rates')).toEqual(first)
    expect((await listFiles()).toSorted()).toEqual(filesOf('s1'))
  })

  it('deletes a discarded source with the writer’s temporary files', async () => {
    const { warehouse, listFiles, workspaces } = setup[kind]()
    const workspace = await warehouse.openWorkspace(unitOf('s1'))
    writeFileSync(join(workspace.scratch, 'temporary'), '')
    await workspace[Symbol.asyncDispose]()
    expect(await listFiles()).toEqual([])
    expect(await readdir(workspaces)).toEqual([])
  })

  it('removes only the given source, and ignores one that does not exist', async () => {
    const opened = setup[kind]()
    for (const id of ['s1', 's10']) await publish(opened, id)
    await opened.warehouse.remove([unitOf('s1'), unitOf('s2')])
    expect((await opened.listFiles()).toSorted()).toEqual(filesOf('s10'))
  })

  it('lists its sources and contents, the oldest first', async () => {
    const opened = setup[kind]()
    expect(await opened.warehouse.list()).toEqual([])
    await publish(opened, 's1')
    s3.clock.now = new Date(s3.clock.now.getTime() + 60_000)
    const workspace = await opened.warehouse.openWorkspace(contentUnit('c1'))
    writeFileSync(workspace.fileOf(warehouseTables.at(-1) ?? expect.fail()), '')
    await workspace.publish()
    await workspace[Symbol.asyncDispose]()
    if (kind === 'folder') {
      const [path = expect.fail()] = (await opened.listFiles()).filter((each) =>
        each.startsWith('fee_schedule_sources'),
      )
      utimesSync(join(folder, path), Date.now(), Date.now() + 60)
    }
    expect(await opened.warehouse.list()).toEqual([
      { id: 's1', loadId: 'load', bytes: expect.any(Number), touchedAt: expect.any(Date) },
      { id: 'c1', bytes: 0, touchedAt: expect.any(Date) },
    ])
  })

  it('finds a source without asking for others', async () => {
    const opened = setup[kind]()
    await publish(opened, 's10')
    expect([await opened.warehouse.has(unitOf('s1')), await opened.warehouse.has(unitOf('s10'))]).toEqual([false, true])
  })

  it('lists the remains of a killed load', async () => {
    const opened = setup[kind]()
    await publish(opened, 's1')
    if (kind === 'folder') rmSync(join(folder, 'provider_groups'), { recursive: true })
    else await createS3WarehouseFiles(`s3://${bucket}/rates/`, s3.client).removeBelow('provider_groups/')
    expect(await opened.warehouse.list()).toHaveLength(1)
  })

  it('deletes old workspaces', async () => {
    const { warehouse, workspaces } = setup[kind]()
    const killed = await warehouse.openWorkspace(unitOf('s1'))
    const running = await warehouse.openWorkspace(unitOf('s2'))
    utimesSync(dirname(killed.scratch), new Date(0), new Date(0))
    await warehouse.cleanWorkspaces(new Date(1000))
    expect(await readdir(workspaces)).toEqual([expect.stringMatching(/^s2-/)])
    await running[Symbol.asyncDispose]()
  })

  it('accepts a whole load', async () => {
    const { warehouse, listFiles, workspaces } = setup[kind]()
    let ids = 0
    const [catalogue, contents] = [createMemoryCatalogue(), createMemoryContents()]
    const report = await loadFiles(
      { files: sampleFiles },
      {
        warehouse,
        catalogue,
        contents,
        records: createMemoryLoadRecords(),
        codeNames: openMemoryNameWriter(),
        newId: () => `source${ids++}`,
        now: () => new Date(),
        machine: testMachine(),
      },
    )
    const files = await listFiles()
    for (const { sourceId } of report.files)
      expect(files.filter((path) => path.includes(`/${sourceId}.`))).toHaveLength(sourceTables.length)
    for (const contentId of contents.contents.keys())
      expect(files).toContainEqual(
        expect.stringMatching(`^fee_schedule_sources/bucket=\\d+/${contentId}\\.00000\\.parquet$`),
      )
    expect(await readdir(workspaces)).toEqual([])
  })
})

/** Warehouses as switching sees them: the adapter, and its double in tests of the core. */
const stores = {
  folder: () => storeIn(setup.folder()),
  bucket: () => storeIn(setup.bucket()),
  memory: () => {
    const warehouse = createMemoryWarehouse(() => new Date())
    return { warehouse, store: async (source: Source) => warehouse.store(source) }
  },
}

const storeIn = (opened: Setup) => ({
  warehouse: opened.warehouse,
  store: ({ sourceId }: Source) => publish(opened, sourceId),
})

describe.each(['folder', 'bucket', 'memory'] as const)('the files of switching in a warehouse (%s)', (kind) => {
  const source = { ...newSource('s1'), loadId: 'load' }
  const name = { payer: 'Acme', plan: 'Gold', planIds: ['ein|222222222'] }

  it('appear in the list of sources until they are removed, even if the removal is repeated', async () => {
    const { warehouse, store } = stores[kind]()
    await store(source)
    const sizes: number[] = []
    for (const contentId of ['c1', 'c2']) sizes.push(await warehouse.writeContent(contentId, [name], [source]))
    const listedSizes = (await warehouse.list()).filter(({ id }) => id !== 's1').map(({ bytes }) => bytes)
    expect([Math.min(...sizes) > 0, sizes.toSorted()]).toEqual([true, listedSizes.toSorted()])
    await warehouse.cleanWorkspaces(new Date())
    const byId = async () => (await warehouse.list()).toSorted((a, b) => (a.id < b.id ? -1 : 1))
    const facts = { bytes: expect.any(Number), touchedAt: expect.any(Date) }
    const [c1, c2, s1] = [
      { id: 'c1', ...facts },
      { id: 'c2', ...facts },
      { id: 's1', loadId: 'load', ...facts },
    ]
    expect(await byId()).toEqual([c1, c2, s1])
    await warehouse.remove([contentUnit('c1'), contentUnit('c3')])
    expect(await byId()).toEqual([c2, s1])
    for (let times = 0; times < 2; times++) await warehouse.remove([contentUnit('c2'), unitOf('s1')])
    expect(await byId()).toEqual([])
  })

  it('stay out of the list if they are versions of the active contents', async () => {
    const { warehouse } = stores[kind]()
    for (const version of [1, 2]) await warehouse.writeCurrent(version, [{ ...name, contentId: 'c1' }])
    expect(await warehouse.list()).toEqual([])
    for (let times = 0; times < 2; times++) await warehouse.remove([currentUnit(1)])
    await warehouse.writeCurrent(3, [])
    expect(await warehouse.list()).toEqual([])
  })

  it('keep a version of the active contents if it is written again with others', async () => {
    const { warehouse } = stores[kind]()
    const write = (contentId: string) => warehouse.writeCurrent(1, [{ ...name, contentId }])
    expect([await write('c1'), await write('c1'), await write('c2'), await write('c1')]).toEqual([
      'written',
      'written',
      'superseded',
      'written',
    ])
  })
})
