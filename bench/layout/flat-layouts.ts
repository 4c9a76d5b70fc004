import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { openRelation } from '../../local/athena/relations.ts'
import { quoteText } from '../../local/athena/sql/duckdb-sql.ts'
import { sourceIdColumn } from '../../schema/column.ts'
import { ratesColumns, ratesRelation } from '../../schema/rates.ts'
import { providerGroupKey } from '../../schema/warehouse-tables.ts'

/** One way to store `rates` with one row per NPI. */
export interface FlatLayout {
  readonly name: string
  readonly orderBy: string
  readonly compression: 'zstd' | 'snappy'
  readonly rowsPerRowGroup: number
}

/** The best order for searches if each row has one NPI; codec and row groups are the loader's. */
export const sortedLayout: FlatLayout = {
  name: 'sorted',
  orderBy: 'members.npi, prices.billing_code',
  compression: 'zstd',
  rowsPerRowGroup: 122_880,
}

/** Unsorted, as many writers leave their rows, with row groups of a writer's default size. */
export const unsortedLayout: FlatLayout = {
  name: 'unsorted',
  orderBy: 'hash(prices.rowid, members.rowid)',
  compression: 'snappy',
  rowsPerRowGroup: 1_000_000,
}

/** Unsorted too, but in the order of the published file, in which equal values happen to be adjacent. */
export const publishedLayout: FlatLayout = {
  ...unsortedLayout,
  name: 'as published',
  orderBy: 'prices.rowid, members.rowid',
}

const rowsPerFile = 4_000_000

/**
 * Opens the tables of a warehouse in memory, so that the rows of its view are joined and ordered as pairs of numbers.
 *
 * @returns the number of rows of the view `rates`
 */
export async function openTables(connection: DuckDBConnection, folder: string): Promise<number> {
  for (const [table, name] of Object.entries(tableNames)) {
    const relation = await openRelation(connection, folder, table, new Map())
    await connection.run(`CREATE TABLE ${name} AS ${relation?.withClause} SELECT * FROM ${table}`)
  }
  const view = await openRelation(connection, folder, ratesRelation, new Map())
  return readNumber(connection, `${view?.withClause} SELECT count(*) FROM ${ratesRelation}`)
}

/** The names of the tables in memory: under their own names they would hide the stored ones. */
const tableNames = { negotiated_rates: 'prices', provider_groups: 'members', fee_schedule_sources: 'plans' }

/**
 * Writes the rows of the view `rates` below a folder as a separate relation, in files of four million rows.
 *
 * @returns after each file, the number of rows written so far
 */
export async function* writeFlatLayout(
  connection: DuckDBConnection,
  folder: string,
  { orderBy, compression, rowsPerRowGroup }: FlatLayout,
): AsyncGenerator<number> {
  const relation = join(folder, ratesRelation)
  await mkdir(relation, { recursive: true })
  await connection.run(`
    CREATE OR REPLACE TABLE pairs AS
    SELECT prices.rowid::uinteger AS price, members.rowid::uinteger AS member, plans.rowid::uinteger AS plan_of_file
    FROM prices JOIN members USING (${sourceIdColumn}, ${providerGroupKey.name}) JOIN plans USING (${sourceIdColumn})
    ORDER BY ${orderBy}`)
  const rows = await readNumber(connection, 'SELECT count(*) FROM pairs')
  const columns = ratesColumns.map(({ home, name }) => `${tableNames[home]}.${name}`)
  for (let from = 0; from < rows; from += rowsPerFile) {
    const to = Math.min(rows, from + rowsPerFile)
    const file = join(relation, `part-${String(from / rowsPerFile).padStart(3, '0')}.parquet`)
    await connection.run(`
      COPY (
        SELECT ${columns.join(', ')}
        FROM pairs JOIN prices ON prices.rowid = price JOIN members ON members.rowid = member
        JOIN plans ON plans.rowid = plan_of_file
        WHERE pairs.rowid >= ${from} AND pairs.rowid < ${to}
      ) TO ${quoteText(file)} (FORMAT parquet, COMPRESSION ${compression}, ROW_GROUP_SIZE ${rowsPerRowGroup})`)
    yield to
  }
  await connection.run('DROP TABLE pairs')
}

async function readNumber(connection: DuckDBConnection, sql: string): Promise<number> {
  const reader = await connection.runAndReadAll(sql)
  return Number(reader.getRows()[0]?.[0])
}
