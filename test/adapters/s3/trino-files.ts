import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseFooter } from '../../../adapters/s3/parquet-footer.ts'

/** Reads the bytes of a file that a Trino server wrote (test/fixtures/trino-parquet). */
export function readTrinoFile(): Uint8Array {
  return readFileSync(join(import.meta.dirname, '../../fixtures/trino-parquet/one-row-trino-476.parquet'))
}

/** Copies the bytes as hyparquet needs them: the buffer of a read file may share its memory. */
export function bufferOf(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer
}

/** Returns the rows and columns of a file's footer. */
export function describeFooter(file: Uint8Array) {
  const { chunks: _, ...footer } = parseFooter(file, async (start, end) => file.slice(start, end))
  return footer
}
