import { maxPartitions } from './spread.ts'

/**
 * The SQL by which a result has at most a number of rows, and by which it is known if there were more (docs/adr/0055).
 *
 * The query looks for one row more than the limit and writes it to a partition of its own, which is not published. So
 * the query that writes the rows also says if they are all, without a count, a second query or a file that is written
 * again.
 */

/** The partition column of a spread or limited result: an integer, which Trino writes into paths unchanged. */
export const partitionColumn = 'shard'

/** The partition of the row beyond the limit. */
const excessPartition = -1

/** Returns the SQL of a random partition among `spread`; of the only one if there is no spread. */
const spreadOver = (spread: number | undefined) => (spread === undefined ? '0' : `floor(random() * ${spread})`)

/** The item of a SELECT that says which partition a row is written to. */
export const spreadItem = (spread: number): string => `  CAST(${spreadOver(spread)} AS integer) AS ${partitionColumn}`

/** The item of a SELECT that puts rows beyond a limit into a partition of their own, and spreads the others. */
export function partitionItem(isExcess: string, spread: number | undefined): string {
  const partitions = spread === undefined ? undefined : Math.min(spread, maxPartitions - 1)
  return `CAST(CASE WHEN ${isExcess} THEN ${excessPartition} ELSE ${spreadOver(partitions)} END AS integer) AS ${partitionColumn}`
}

/**
 * Writes the SELECT of any `limit` rows, and of one more in a partition of its own.
 *
 * `row_number` without an order counts rows as they come: it holds none of them, and no order is promised.
 *
 * @param rows the SELECT of all rows
 * @param columns the names of its columns
 */
export function limitRows(rows: string, columns: readonly string[], limit: number, spread?: number): string {
  return [
    `SELECT ${columns.join(', ')}, ${partitionItem(`row_place > ${limit}`, spread)}`,
    `FROM (SELECT *, row_number() OVER () AS row_place FROM (${rows}\nLIMIT ${limit + 1}) AS some_rows) AS placed_rows`,
  ].join('\n')
}

/**
 * True for a file with the row beyond the limit.
 *
 * @param prefix of the files of the query
 */
export const isExcess = (key: string, prefix: string): boolean =>
  key.startsWith(`${prefix}${partitionColumn}=${excessPartition}/`)
