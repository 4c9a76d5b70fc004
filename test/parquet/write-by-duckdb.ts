import { readFileSync } from 'node:fs'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'

/**
 * Writes the rows of a query to a Parquet file by DuckDB, and returns its bytes.
 *
 * @param options of DuckDB's COPY, such as `COMPRESSION zstd`
 */
export async function writeByDuckdb(query: string, ...options: readonly string[]): Promise<Uint8Array<ArrayBuffer>> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'written-by-duckdb-'))
  const path = join(folder.path, 'rows.parquet')
  const connection = await (await DuckDBInstance.create()).connect()
  await connection.run(`COPY (${query}) TO '${path}' (${['FORMAT parquet', ...options].join(', ')})`)
  connection.closeSync()
  return new Uint8Array(readFileSync(path))
}
