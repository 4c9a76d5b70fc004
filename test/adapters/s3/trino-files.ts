import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The bytes of a file that a Trino server wrote (test/fixtures/trino-parquet). */
export function readTrinoFile(): Uint8Array {
  return readFileSync(join(import.meta.dirname, '../../fixtures/trino-parquet/one-row-trino-476.parquet'))
}

/** Copies the bytes as hyparquet needs them: the buffer of a read file may share its memory. */
export function bufferOf(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer
}
