import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { DuckDBInstance } from '@duckdb/node-api'
import { CommandFailed, UsageError } from '../../bin/command/errors.ts'
import { readOptions } from '../../bin/command/options.ts'
import { loadFiles } from '../../loader/load-files.ts'
import { openWarehouseFolder } from '../../loader/warehouse/warehouse-folder.ts'
import { quoteText } from '../../local/athena/sql/duckdb-sql.ts'
import { listRelationFiles } from '../../local/athena/warehouse-files.ts'
import { ratesRelation } from '../../schema/rates.ts'
import { warehouseTables } from '../../schema/warehouse-tables.ts'
import { createUnreadCatalogue } from '../unread-catalogue.ts'
import { openTables, publishedLayout, sortedLayout, unsortedLayout, writeFlatLayout } from './flat-layouts.ts'
import type { GeneratedPayer } from './generate-payer-file.ts'
import { generatePayerFile } from './generate-payer-file.ts'
import type { MeasuredSearch, StoredLayout } from './layout-report.ts'
import { describeLayouts } from './layout-report.ts'
import type { NamedSearch, SearchedWarehouse } from './layout-searches.ts'
import { makeSearches, measureSearch, wantedBy } from './layout-searches.ts'
import type { RowGroup, Wanted } from './row-groups.ts'
import { bytesToRead, readRowGroups } from './row-groups.ts'

/** The last group drawn may add a million rows: the layouts are compared with at most 50 million. */
const mostRows = 49_000_000
const sourceId = 'source0'
const flatLayouts = [sortedLayout, unsortedLayout, publishedLayout]

/** DuckDB's memory limit while it sorts rows; beyond it, it spills to disk. */
const memoryLimit = '6GB'

/** The row groups of each table that a search reads. */
interface MeasuredLayout extends SearchedWarehouse, StoredLayout {
  readonly relations: readonly (readonly RowGroup[])[]
}

/**
 * Compares the loader's layout of a generated payer's rates with one row per NPI, sorted and unsorted: bytes stored,
 * bytes that a search must read, and seconds per search.
 */
export async function benchLayout(args: readonly string[]): Promise<void> {
  const { values } = readOptions({ args: [...args], options: { rows: { type: 'string', default: '24000000' } } })
  const wantedRows = Number(values.rows)
  if (!/^\d{7,8}$/.test(values.rows) || wantedRows > mostRows)
    throw new UsageError(`--rows must be a number from 1000000 to ${mostRows}, not "${values.rows}"`)
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => stopping.abort(new CommandFailed('stopped; everything it wrote was removed')))
  }
  const folder = await mkdtemp(join(tmpdir(), 'bench-layout-'))
  try {
    const database = await DuckDBInstance.create(':memory:', {
      memory_limit: memoryLimit,
      temp_directory: join(folder, 'spill'),
    })
    const connection = await database.connect()
    stopping.signal.addEventListener('abort', () => connection.interrupt())
    try {
      await measureLayouts(connection, folder, wantedRows, stopping.signal)
    } catch (error) {
      // Report why DuckDB was interrupted instead of its own error.
      stopping.signal.throwIfAborted()
      throw error
    } finally {
      connection.closeSync()
      database.closeSync()
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function measureLayouts(
  connection: DuckDBConnection,
  folder: string,
  wantedRows: number,
  signal: AbortSignal,
): Promise<void> {
  const say = progressLines(signal)
  const payer = await generatePayerFile(join(folder, 'rates.json'), wantedRows)
  say(`generated ${payer.groups} provider groups`)
  const ours = await loadPayer(join(folder, 'ours'), join(folder, 'rates.json'), signal)
  say('loaded')
  const rows = await openTables(connection, ours.folder)
  const layouts = [
    await readLayout(
      connection,
      'ours',
      ours,
      warehouseTables.map(({ name }) => name),
    ),
  ]
  for (const layout of flatLayouts) {
    const flat = { folder: join(folder, layout.name.replaceAll(' ', '-')) }
    for await (const written of writeFlatLayout(connection, flat.folder, layout))
      say(`${layout.name}: ${written} of ${rows} rows`)
    layouts.push(await readLayout(connection, layout.name, flat, [ratesRelation]))
    const stored = await countStoredRows(connection, join(flat.folder, ratesRelation))
    if (stored !== rows) throw new TypeError(`${layout.name} has ${stored} rows, not the ${rows} of the view`)
  }
  const searches: MeasuredSearch[] = []
  for (const search of await chooseSearches(connection, payer)) {
    searches.push(await searchAll(connection, search, layouts, signal))
    say(`searched ${search.name}`)
  }
  process.stdout.write(`${rows} rows, ${payer.groups} provider groups of 1 to 5,000 NPIs, ${process.version}\n\n`)
  process.stdout.write(`${describeLayouts(layouts, searches)}\n`)
}

/** Prints progress on standard error. Throws between two steps if the signal is aborted. */
function progressLines(signal: AbortSignal): (text: string) => void {
  const started = performance.now()
  return (text) => {
    signal.throwIfAborted()
    process.stderr.write(`${((performance.now() - started) / 1000).toFixed(0).padStart(4)} s  ${text}\n`)
  }
}

async function loadPayer(folder: string, file: string, signal: AbortSignal): Promise<SearchedWarehouse> {
  await loadFiles(
    { files: [file] },
    {
      warehouse: openWarehouseFolder(folder),
      ...createUnreadCatalogue(),
      // The load, its only source and its only content can share one id, because no catalogue is used.
      newId: () => sourceId,
      now: () => new Date(),
      signal,
    },
  )
  return { folder, contentId: sourceId }
}

async function readLayout(
  connection: DuckDBConnection,
  name: string,
  warehouse: SearchedWarehouse,
  relations: readonly string[],
): Promise<MeasuredLayout> {
  const listed = await Promise.all(relations.map((each) => listRelationFiles(join(warehouse.folder, each), new Map())))
  const rowGroups = await Promise.all(
    listed.map(({ paths }) => readRowGroups(connection, paths, { npi: 'number', billing_code: 'text' })),
  )
  return {
    ...warehouse,
    name,
    relations: rowGroups,
    files: listed.reduce((sum, { paths }) => sum + paths.length, 0),
    rowGroups: rowGroups.flat().length,
    bytes: listed.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}

async function countStoredRows(connection: DuckDBConnection, folder: string): Promise<number> {
  const files = quoteText(join(folder, '*.parquet'))
  const reader = await connection.runAndReadAll(`SELECT sum(num_rows)::double FROM parquet_file_metadata(${files})`)
  return Number(reader.getRows()[0]?.[0])
}

/** Two codes that every group has prices for, and one code from each of three specialties. */
async function chooseSearches(connection: DuckDBConnection, payer: GeneratedPayer): Promise<readonly NamedSearch[]> {
  const special = [0, 5, 10].map((specialty) => payer.specialCodes[specialty]?.[45])
  const codes = [...payer.commonCodes.slice(-2), ...special].filter((code) => code !== undefined)
  const reader = await connection.runAndReadAll('SELECT DISTINCT npi FROM members ORDER BY npi')
  return makeSearches(
    reader.getRows().map(([npi]) => Number(npi)),
    codes,
    { feeSchedules: [payer] },
  )
}

/** @throws TypeError if a layout returns other rows than ours, which would make the comparison meaningless */
async function searchAll(
  connection: DuckDBConnection,
  search: NamedSearch,
  layouts: readonly MeasuredLayout[],
  signal: AbortSignal,
): Promise<MeasuredSearch> {
  const measures = []
  for (const layout of layouts) {
    signal.throwIfAborted()
    measures.push(await measureSearch(connection, search, layout))
  }
  const [ours] = measures
  for (const [index, { rows, fingerprint }] of measures.entries())
    if (rows !== ours?.rows || fingerprint !== ours.fingerprint)
      throw new TypeError(`${search.name}: ${rows} rows of ${layouts[index]?.name} are not the ${ours?.rows} of ours`)
  const wanted: Wanted = wantedBy(search)
  return {
    name: search.name,
    namesCodes: search.billingCodes !== undefined,
    rows: ours?.rows ?? 0,
    bytes: layouts.map(({ relations }) => bytesToRead(relations.flat(), wanted)),
    seconds: measures.map(({ seconds }) => seconds),
  }
}
