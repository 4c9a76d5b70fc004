import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { ratesColumns, sourceIdColumn } from '../../core/rates.ts'
import { ratesView, ratesViewSelect, warehouseTables } from '../../core/warehouse.ts'
import type { LoadRequest } from '../../loader/load-files.ts'
import { loadFiles } from '../../loader/load-files.ts'
import type { LoadReport } from '../../loader/load-report.ts'
import type { WarehouseFolder } from '../../loader/warehouse-folder.ts'
import { openWarehouseFolder } from '../../loader/warehouse-folder.ts'
import type { MemoryCatalogue } from './memory-catalogue.ts'
import { createMemoryCatalogue } from './memory-catalogue.ts'
import type { JsonRow } from './naive-flattening.ts'
import { sortRows } from './naive-flattening.ts'

const query = `SELECT ${ratesColumns.map(({ name }) => name).join(', ')} FROM ${ratesView}`

/** A warehouse and a catalogue in a folder that goes with the test: `await using`. */
export interface TestWarehouse extends AsyncDisposable {
  /** The folder with the tables. */
  readonly root: string
  readonly catalogue: MemoryCatalogue
  readonly folder: WarehouseFolder
  /** Writes a file to load; an object becomes JSON. Returns its path. */
  write(name: string, content: string | Uint8Array | object): Promise<string>
  load(request: LoadRequest): Promise<LoadReport>
  /** All rows of `rates` in one order, of the given sources or of all. */
  readRates(sources?: readonly string[]): Promise<JsonRow[]>
  /** The partitions and files of the warehouse's tables, without the staging folder. */
  listFiles(): Promise<string[]>
  /** What staging has left. */
  listStaging(): Promise<string[]>
}

export async function createTestWarehouse(catalogue = createMemoryCatalogue()): Promise<TestWarehouse> {
  const folder = await mkdtemp(join(tmpdir(), 'loader-'))
  const root = join(folder, 'warehouse')
  let ids = 0
  const deps = {
    warehouse: openWarehouseFolder(root),
    catalogue,
    newSourceId: () => `source${ids++}`,
    now: () => new Date('2026-11-20T09:30:00.123Z'),
  }
  return {
    root,
    catalogue,
    folder: deps.warehouse,
    async write(name, content) {
      const path = join(folder, name)
      const isRaw = typeof content === 'string' || content instanceof Uint8Array
      await writeFile(path, isRaw ? content : JSON.stringify(content))
      return path
    },
    load: (request) => loadFiles(request, deps),
    readRates: (sources) => readRates(root, sources),
    async listFiles() {
      const tables = warehouseTables.map(({ name }) => join(root, name)).filter((path) => existsSync(path))
      const names = await Promise.all(tables.map((path) => readdir(path, { recursive: true })))
      return names.flat().sort()
    },
    listStaging: async () => (existsSync(join(root, '.staging')) ? readdir(join(root, '.staging')) : []),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

async function readRates(root: string, sources?: readonly string[]): Promise<JsonRow[]> {
  const instance = await DuckDBInstance.create(':memory:')
  try {
    const connection = await instance.connect()
    for (const { name } of warehouseTables) {
      const files = `read_parquet('${root}/${name}/*/*.parquet', hive_partitioning = true, hive_types_autocast = false)`
      await connection.run(`CREATE VIEW ${name} AS SELECT * FROM ${files}`)
    }
    await connection.run(`CREATE VIEW ${ratesView} AS ${ratesViewSelect()}`)
    const filter = sources ? ` WHERE ${sourceIdColumn} IN (${sources.map((source) => `'${source}'`).join(', ')})` : ''
    const reader = await connection.runAndReadAll(query + filter)
    return sortRows(reader.getRowObjectsJson())
  } finally {
    instance.closeSync()
  }
}
