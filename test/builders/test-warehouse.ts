import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import type { CatalogueEntry } from '../../core/catalogue/catalogue-entry.ts'
import type { FeeSchedule } from '../../core/catalogue/fee-schedule.ts'
import type { LoadRecords } from '../../core/loads/ports.ts'
import { selectStatement } from '../../core/search/statement.ts'
import type { CodeNameWriter } from '../../core/vocabulary/code-name-writer.ts'
import type { LoadDeps, LoadRequest } from '../../loader/publish/load-request.ts'
import { openWarehouseFolder, type WarehouseFolder } from '../../loader/publish/warehouse/warehouse-folder.ts'
import { loadFiles } from '../../loader/run/load-files.ts'
import type { LoadReport } from '../../loader/run/load-report.ts'
import { trinoFunctions } from '../../local/athena/duckdb-sql.ts'
import { ratesCurrentSelect, ratesCurrentView, ratesView, ratesViewSelect } from '../../schema/columns/rates-views.ts'
import { deployedTables, warehouseTables } from '../../schema/columns/warehouse-tables.ts'
import { createMemoryCatalogue, type MemoryCatalogue } from '../doubles/memory-catalogue.ts'
import { createMemoryContents, type MemoryContents } from '../doubles/memory-contents.ts'
import { createMemoryLoadRecords } from '../doubles/memory-load-records.ts'
import {
  createMemoryCodeNames,
  type MemoryCodeNames,
  openMemoryNameWriter,
} from '../doubles/vocabulary/memory-code-names.ts'
import type { JsonRow } from '../loader/json-row.ts'
import { sortRows } from '../loader/naive-flattening.ts'
import { testMachine } from './test-machine.ts'

/** A warehouse and a catalogue in a temporary folder, which `await using` removes. */
export interface TestWarehouse extends AsyncDisposable {
  /** The folder with the tables. */
  readonly root: string
  readonly catalogue: MemoryCatalogue
  readonly contents: MemoryContents
  readonly records: LoadRecords
  readonly codeNames: CodeNameWriter
  /** The names that `codeNames` has stored. */
  readonly storedNames: MemoryCodeNames
  readonly folder: WarehouseFolder
  /** Writes a file to load, creating its folder; objects are written as JSON. Returns its path. */
  write(name: string, content: string | Uint8Array | object): Promise<string>
  load(request: LoadRequest, options?: Partial<Omit<LoadDeps, 'contents' | 'newId' | 'now'>>): Promise<LoadReport>
  /** The entries of plans' names, without their variants. */
  listNames(): readonly CatalogueEntry[]
  /**
   * The sorted rows that a search for these fee schedules finds; by default, for all plans by their names. An entry is
   * searched as it was read.
   */
  readRates(...feeSchedules: readonly (CatalogueEntry | FeeSchedule)[]): Promise<JsonRow[]>
  /** The sorted rows of the view `rates_current`. */
  readCurrent(): Promise<JsonRow[]>
  /** The rows of a SELECT over the warehouse's views, sorted. */
  query(select: string): Promise<JsonRow[]>
  /** The partitions and files of the warehouse's tables, without workspaces. */
  listFiles(): Promise<string[]>
  /** The workspaces that are left. */
  listWorkspaces(): Promise<string[]>
}

export async function createTestWarehouse(
  catalogue = createMemoryCatalogue(),
  now = () => new Date('2026-11-20T09:30:00.123Z'),
): Promise<TestWarehouse> {
  const folder = await mkdtemp(join(tmpdir(), 'loader-'))
  const root = join(folder, 'warehouse')
  const contents = createMemoryContents()
  const records = createMemoryLoadRecords()
  const storedNames = createMemoryCodeNames()
  const listNames = () => [...catalogue.entries.values()].filter(({ variantOf }) => variantOf === undefined)
  let ids = 0
  const deps = {
    warehouse: openWarehouseFolder(root),
    catalogue,
    contents,
    records,
    codeNames: openMemoryNameWriter(storedNames, now),
    newId: () => `load${ids++}`,
    now,
    machine: testMachine(),
  }
  return {
    root,
    catalogue,
    contents,
    records,
    codeNames: deps.codeNames,
    storedNames,
    listNames,
    folder: deps.warehouse,
    async write(name, content) {
      const path = join(folder, name)
      await mkdir(dirname(path), { recursive: true })
      const isRaw = typeof content === 'string' || content instanceof Uint8Array
      await writeFile(path, isRaw ? content : JSON.stringify(content))
      return path
    },
    load: (request, options = {}) => loadFiles(request, { ...deps, ...options }),
    async readRates(...feeSchedules) {
      if (feeSchedules.length === 0) return searchWarehouse(root, listNames())
      const entries = feeSchedules.map(async (feeSchedule) =>
        'state' in feeSchedule ? [feeSchedule] : catalogue.find([feeSchedule]),
      )
      return searchWarehouse(root, (await Promise.all(entries)).flat())
    },
    readCurrent: () => withViews(root, `SELECT * FROM ${ratesCurrentView}`),
    query: (select) => withViews(root, select),
    async listFiles() {
      const tables = warehouseTables.map(({ name }) => join(root, name)).filter((path) => existsSync(path))
      const names = await Promise.all(tables.map((path) => readdir(path, { recursive: true })))
      return names.flat().sort()
    },
    listWorkspaces: async () => (existsSync(join(root, '.workspaces')) ? readdir(join(root, '.workspaces')) : []),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

/**
 * Runs the service's statement over the files of a warehouse, for entries as they were read, with all NPIs and codes.
 */
export async function searchWarehouse(root: string, entries: readonly CatalogueEntry[]): Promise<JsonRow[]> {
  const active = entries.flatMap(({ payer, plan, state }) =>
    state.status === 'active' ? [{ payer, plan, contentId: state.contentId }] : [],
  )
  if (active.length === 0) return []
  const contents = active.map(({ contentId }) => contentId)
  return withViews(root, selectStatement({ feeSchedules: active }, { contents }))
}

/** Runs a SELECT over the views of a warehouse, as a deployment describes them. */
async function withViews(root: string, select: string): Promise<JsonRow[]> {
  const instance = await DuckDBInstance.create(':memory:')
  try {
    const connection = await instance.connect()
    for (const { name, columns } of deployedTables) {
      const files = `read_parquet('${root}/${name}/*/*.parquet', filename = '$path', hive_partitioning = true, hive_types_autocast = false)`
      const nulls = columns.map((column) => `CAST(NULL AS ${column.type}) AS ${column.name}`).join(', ')
      const noRows = `SELECT ${nulls}, NULL AS bucket, NULL AS "$path" WHERE false`
      const hasFiles =
        existsSync(join(root, name)) &&
        (await readdir(join(root, name), { recursive: true })).some((path) => path.endsWith('.parquet'))
      await connection.run(`CREATE VIEW ${name} AS ${hasFiles ? `SELECT * FROM ${files}` : noRows}`)
    }
    for (const definition of trinoFunctions) await connection.run(definition)
    await connection.run(`CREATE VIEW ${ratesView} AS ${ratesViewSelect()}`)
    await connection.run(`CREATE VIEW ${ratesCurrentView} AS ${ratesCurrentSelect()}`)
    return sortRows((await connection.runAndReadAll(select)).getRowObjectsJson())
  } finally {
    instance.closeSync()
  }
}
