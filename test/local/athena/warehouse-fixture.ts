import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import type { ColumnHome } from '../../../schema/columns/column.ts'
import {
  contentUnit,
  fileName,
  folderPath,
  sourceUnit,
  type WarehouseUnit,
  warehouseTables,
} from '../../../schema/columns/warehouse-tables.ts'

const duckdb = await DuckDBInstance.create(':memory:')
const connection = await duckdb.connect()

/** Runs SQL on a separate DuckDB, to check independently what the local Athena reads and writes. */
export async function runDuckdb(sql: string): Promise<readonly (readonly unknown[])[]> {
  return (await connection.runAndReadAll(sql)).getRowsJson()
}

/** Reads a column of Parquet files, sorted. */
export async function readColumn(paths: readonly string[], column: string): Promise<readonly unknown[]> {
  if (paths.length === 0) return []
  const list = paths.map(sqlText).join(', ')
  return (await runDuckdb(`SELECT ${column} FROM read_parquet([${list}]) ORDER BY ALL`)).map(([value]) => value)
}

/** Writes a text as a SQL expression. DuckDB's string literals cannot contain NUL. */
export function sqlText(text: string): string {
  return text
    .split('\0')
    .map((part) => `'${part.replaceAll("'", "''")}'`)
    .join(' || chr(0) || ')
}

/** The load id of every source that the fixture writes. */
export const fixtureLoad = 'load-1'

export interface PartitionFixture {
  readonly table: ColumnHome
  readonly sourceId: string
  /** @default - the source's id */
  readonly contentId?: string
  /** SQL expressions of columns; those that are missing are NULL. */
  readonly values: Readonly<Record<string, string>>
  /** The relation whose rows are written. @default - one row */
  readonly from?: string
}

/** Writes one file of a table's partition for a source. */
export async function writePartition(
  warehouseFolder: string,
  { table, sourceId, contentId = sourceId, values, from = 'range(1)' }: PartitionFixture,
): Promise<void> {
  const definition = warehouseTables.find(({ name }) => name === table)
  if (definition === undefined) throw new TypeError(`there is no table ${table}`)
  const unit = table === 'fee_schedule_sources' ? contentUnit(contentId) : sourceUnit({ loadId: fixtureLoad, sourceId })
  const ids: Readonly<Record<string, string>> = { source_id: sqlText(sourceId), content_id: sqlText(contentId) }
  const columns = definition.columns.map(({ name, type }) => {
    const duckdbType = type === 'varchar ARRAY' ? 'varchar[]' : type
    return `CAST(${values[name] ?? ids[name] ?? 'NULL'} AS ${duckdbType}) AS ${name}`
  })
  const folder = join(warehouseFolder, folderPath(definition, unit))
  await writeParquet(folder, `SELECT ${columns.join(', ')} FROM ${from}`, nameFile(folder, unit, sourceId))
}

/** Names a unit's file. A further source of a content gets a file of its own beside the first. */
const nameFile = (folder: string, unit: WarehouseUnit, sourceId: string) =>
  existsSync(join(folder, fileName(unit))) && unit.id !== sourceId
    ? `${unit.id}.${sourceId}.00000.parquet`
    : fileName(unit)

/** Writes the rows of a SELECT to a Parquet file in the folder. */
export async function writeParquet(folder: string, select: string, name = 'part-0.parquet'): Promise<void> {
  await mkdir(folder, { recursive: true })
  await runDuckdb(`COPY (${select}) TO ${sqlText(join(folder, name))} (FORMAT parquet)`)
}

export interface SourceFixture {
  readonly sourceId: string
  /** The content of the source. @default - a separate one with the source's id */
  readonly contentId?: string
  readonly payer?: string
  readonly plan?: string
  readonly code?: string
  /** Numbers of prices and NPIs. The source has a rate of each price for each NPI. */
  readonly prices?: number
  readonly npis?: number
  /** The price, or the first of several. */
  readonly price?: number
}

/** Loads a source: one plan of one payer, one provider group, `prices` x `npis` rates. */
export async function loadSource(warehouseFolder: string, source: SourceFixture): Promise<void> {
  const {
    sourceId,
    contentId = sourceId,
    payer = 'Acme Health',
    plan = 'Gold PPO',
    code = '99213',
    prices = 1,
    npis = 1,
    price = 0.5,
  } = source
  const feeSchedule = {
    payer: sqlText(payer),
    plan: sqlText(plan),
    reporting_entity_name: sqlText(payer),
    last_updated_on: "DATE '2026-10-01'",
    source_file: "'rates.json.gz'",
    plan_id_count: '0',
    load_id: sqlText(fixtureLoad),
    source_id: sqlText(sourceId),
  }
  await writePartition(warehouseFolder, { table: 'fee_schedule_sources', sourceId, contentId, values: feeSchedule })
  await writePartition(warehouseFolder, {
    table: 'provider_groups',
    sourceId,
    values: {
      provider_group_key: "'g1'",
      npi: '1000000000 + range',
      tin_type: "'ein'",
      tin_value: "'012345678'",
      provider_group_npi_count: `${npis}`,
      provider_group_tin_count: '1',
    },
    from: `range(${npis})`,
  })
  await writePartition(warehouseFolder, {
    table: 'negotiated_rates',
    sourceId,
    values: {
      provider_group_keys: "['g1']",
      billing_code_type: "'CPT'",
      billing_code: sqlText(code),
      billing_code_published: sqlText(code),
      negotiated_rate: `range + ${price}`,
      rate_unit: "'usd'",
      negotiated_type: "'negotiated'",
      negotiation_arrangement: "'ffs'",
      service_code: "['11', '22']",
      expiration_date: "DATE '9999-12-31'",
      price_id: "'p' || range",
    },
    from: `range(${prices})`,
  })
}
