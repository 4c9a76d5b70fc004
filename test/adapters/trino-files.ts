import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The bytes of a file that a Trino server wrote (test/fixtures/trino-parquet). */
export function readTrinoFile(version: 411 | 476): Uint8Array {
  return readFileSync(join(import.meta.dirname, `../fixtures/trino-parquet/one-row-trino-${version}.parquet`))
}

/** The bytes alone, as hyparquet wants them: a file that was read shares its memory with others. */
export function bufferOf(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer
}
