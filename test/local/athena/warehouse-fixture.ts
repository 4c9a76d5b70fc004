import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import type { ColumnHome } from '../../../core/rates.ts'
import { partitionPath, warehouseTables } from '../../../core/warehouse.ts'

const duckdb = await DuckDBInstance.create(':memory:')
const connection = await duckdb.connect()

/** Runs SQL on a separate DuckDB, as an independent check of what the local Athena reads and writes. */
export async function runDuckdb(sql: string): Promise<readonly (readonly unknown[])[]> {
  return (await connection.runAndReadAll(sql)).getRowsJson()
}

/** Reads a column of Parquet files, sorted. */
export async function readColumn(paths: readonly string[], column: string): Promise<readonly unknown[]> {
  if (paths.length === 0) return []
  const list = paths.map(sqlText).join(', ')
  return (await runDuckdb(`SELECT ${column} FROM read_parquet([${list}]) ORDER BY ALL`)).map(([value]) => value)
}

/** Formats a text as a SQL expression; DuckDB string literals cannot contain NUL. */
export function sqlText(text: string): string {
  return text
    .split('\0')
    .map((part) => `'${part.replaceAll("'", "''")}'`)
    .join(' || chr(0) || ')
}

/** Writes one file of a table's partition from SQL expressions per column; missing columns are NULL. */
export async function writePartition(
  warehouseFolder: string,
  table: ColumnHome,
  sourceId: string,
  values: Readonly<Record<string, string>>,
  from = 'range(1)',
): Promise<void> {
  const columns = warehouseTables.find(({ name }) => name === table)?.columns ?? []
  const select = columns.map(({ name, type }) => {
    const duckdbType = type === 'varchar ARRAY' ? 'varchar[]' : type
    return `CAST(${values[name] ?? 'NULL'} AS ${duckdbType}) AS ${name}`
  })
  await writeParquet(join(warehouseFolder, partitionPath(table, sourceId)), `SELECT ${select.join(', ')} FROM ${from}`)
}

/** Writes the rows of a SELECT to a Parquet file in the folder. */
export async function writeParquet(folder: string, select: string, name = 'part-0.parquet'): Promise<void> {
  await mkdir(folder, { recursive: true })
  await runDuckdb(`COPY (${select}) TO ${sqlText(join(folder, name))} (FORMAT parquet)`)
}

export interface SourceFixture {
  readonly sourceId: string
  readonly payer?: string
  readonly plan?: string
  readonly code?: string
  /** Number of prices and of NPIs: the source has a rate for each combination. */
  readonly prices?: number
  readonly npis?: number
}

/** Loads a source: one plan of one payer, one provider group, `prices` x `npis` rates. */
export async function loadSource(warehouseFolder: string, source: SourceFixture): Promise<void> {
  const { sourceId, payer = 'Acme Health', plan = 'Gold PPO', code = '99213', prices = 1, npis = 1 } = source
  const key = { provider_group_key: "'g1'" }
  await writePartition(warehouseFolder, 'source_plans', sourceId, {
    payer: sqlText(payer),
    plan: sqlText(plan),
    reporting_entity_name: sqlText(payer),
    last_updated_on: "DATE '2026-10-01'",
    source_file: "'rates.json.gz'",
  })
  await writePartition(
    warehouseFolder,
    'provider_groups',
    sourceId,
    {
      ...key,
      npi: '1000000000 + range',
      tin_type: "'ein'",
      tin_value: "'012345678'",
      provider_group_npi_count: `${npis}`,
    },
    `range(${npis})`,
  )
  await writePartition(
    warehouseFolder,
    'negotiated_rates',
    sourceId,
    {
      ...key,
      billing_code_type: "'CPT'",
      billing_code: sqlText(code),
      billing_code_published: sqlText(code),
      negotiated_rate: 'range + 0.5',
      rate_unit: "'usd'",
      negotiated_type: "'negotiated'",
      negotiation_arrangement: "'ffs'",
      service_code: "['11', '22']",
      expiration_date: "DATE '9999-12-31'",
      price_id: "'p' || range",
    },
    `range(${prices})`,
  )
}
