import type { ColumnType } from '../../schema/columns/column.ts'
import type { ColumnValue } from '../parquet/column-values.ts'
import type { StagingDatabase } from '../staging/staging-database.ts'

/**
 * Reads columns of a table that fits in memory; dates as days since 1970.
 *
 * @param from the table and the order of its rows, in SQL
 */
export async function readValues(
  database: StagingDatabase,
  from: string,
  columns: readonly { readonly name: string; readonly type: ColumnType }[],
): Promise<ReadonlyMap<string, readonly ColumnValue[]>> {
  const values = columns.map(({ name, type }) =>
    type === 'date' ? `datediff('day', DATE '1970-01-01', ${name})::integer` : name,
  )
  const read = await database.readColumns(`SELECT ${values.join(', ')} FROM ${from}`)
  return new Map(columns.map(({ name }, index) => [name, read[index] ?? []]))
}
