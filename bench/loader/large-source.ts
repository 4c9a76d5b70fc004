import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import type { FeeSchedule } from '../../core/catalogue/fee-schedule.ts'
import type { WarehouseTable } from '../../schema/columns/warehouse-tables.ts'
import { contentTable, partitionPath, sourceTables } from '../../schema/columns/warehouse-tables.ts'

/** Text per price that hardly compresses: 31 hashes in hex. */
const hashes = 31
const bytesPerPrice = hashes * 32

export const megabytes = (bytes: number) => Math.round(bytes / 1e6)

/**
 * Writes a source and a content with the same id, whose rates make a result of about this many megabytes: one provider,
 * and prices with long random terms.
 *
 * @returns the fingerprint of its rows
 */
export async function writeLargeSource(
  warehouseFolder: string,
  sourceId: string,
  { payer, plan }: FeeSchedule,
  size: number,
): Promise<string> {
  const prices = Math.ceil((size * 1e6) / bytesPerPrice)
  const key = { provider_group_key: "'g1'" }
  const terms = Array.from({ length: hashes }, (_, index) => `md5(concat(random(), ${index}))`).join(', ')
  const ids = { load_id: `'${sourceId}'`, source_id: `'${sourceId}'` }
  const [negotiatedRates, providerGroups] = sourceTables
  if (negotiatedRates === undefined || providerGroups === undefined) throw new TypeError('a table is missing')
  const tables: readonly (readonly [WarehouseTable, Readonly<Record<string, string>>, number])[] = [
    [contentTable, { payer: `'${payer}'`, plan: `'${plan}'`, reporting_entity_name: `'${payer}'`, ...ids }, 1],
    [providerGroups, { ...key, npi: '1000000000', tin_type: "'ein'", tin_value: "'012345678'" }, 1],
    [
      negotiatedRates,
      {
        ...key,
        billing_code_type: "'CPT'",
        billing_code: "'99213'",
        negotiated_rate: 'range / 100',
        rate_unit: "'usd'",
        negotiated_type: "'negotiated'",
        negotiation_arrangement: "'ffs'",
        price_id: "'p' || range",
        additional_information: `concat(${terms})`,
      },
      prices,
    ],
  ]
  const files: string[] = []
  for (const [table, values, rows] of tables) {
    const folder = join(
      warehouseFolder,
      partitionPath(
        table,
        table.partitionedBy.map(() => sourceId),
      ),
    )
    await mkdir(folder, { recursive: true })
    files.push(join(folder, 'part-0.parquet'))
    await runDuckdb(`COPY (${selectColumns(table, values)} FROM range(${rows})) TO '${files.at(-1)}' (FORMAT parquet)`)
  }
  return fingerprintRows(files.slice(-1))
}

/** The number of prices in the files, and a hash over them: lost and duplicate rows change it. */
export async function fingerprintRows(files: readonly string[]): Promise<string> {
  const list = files.map((file) => `'${file}'`).join(', ')
  const rows = await runDuckdb(
    `SELECT count(*), sum(hash(price_id, negotiated_rate, additional_information)) FROM read_parquet([${list}])`,
  )
  return rows.flat().join(' / ')
}

function selectColumns({ columns }: WarehouseTable, values: Readonly<Record<string, string>>): string {
  const items = columns.map(({ name, type }) => {
    const duckdbType = type === 'varchar ARRAY' ? 'varchar[]' : type
    return `CAST(${values[name] ?? 'NULL'} AS ${duckdbType}) AS ${name}`
  })
  return `SELECT ${items.join(', ')}`
}

async function runDuckdb(sql: string) {
  const database = await DuckDBInstance.create(':memory:')
  const connection = await database.connect()
  try {
    return (await connection.runAndReadAll(sql)).getRowsJson()
  } finally {
    connection.closeSync()
    database.closeSync()
  }
}
