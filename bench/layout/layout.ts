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

/** A group that is drawn last may bring a million more: the layouts that are compared have at most 50 million. */
const mostRows = 49_000_000
const sourceId = 'source0'
const flatLayouts = [sortedLayout, unsortedLayout, publishedLayout]

/** What DuckDB may hold in memory while it orders rows; the rest goes to disk. */
const memoryLimit = '6GB'

/** Tables of which a search reads row groups, and the columns by which it leaves some out. */
interface MeasuredLayout extends SearchedWarehouse, StoredLayout {
  readonly relations: readonly (readonly RowGroup[])[]
}

/**
 * Prints how many bytes a generated payer's rates take as the loader stores them, how many a search must read and how
 * long it takes, beside one row an NPI, sorted and unsorted.
 */
export async function benchLayout(args: readonly string[]): Promise<void> {
  const { values } = readOptions({ args: [...args], options: { rows: { type: 'string', default: '24000000' } } })
  const wantedRows = Number(values.rows)
  if (!/^\d{7,8}$/.test(values.rows) || wantedRows > mostRows)
    throw new UsageError(`--rows must be a number from 1000000 to ${mostRows}, not "${values.rows}"`)
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => stopping.abort(new CommandFailed('stopped: nothing is left of it')))
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
      // What DuckDB says of being interrupted is not why it was.
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

/** Tells on standard error how far it is, and ends between two steps once it is asked to. */
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
      // Of the load, its one source and its one content alike; a catalogue would want others.
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

/** Two codes that every group has a price for, and three of as many specialties. */
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

/** @throws TypeError where a layout finds other rows than ours: then nothing that is measured says anything */
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
