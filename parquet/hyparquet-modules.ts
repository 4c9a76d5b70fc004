import type { DataReader, DecodedArray, PageHeader, ParquetType } from 'hyparquet'
import { parquetHeader } from 'hyparquet/src/column.js'
import { convert, DEFAULT_PARSERS } from 'hyparquet/src/convert.js'
import { readPlain } from 'hyparquet/src/plain.js'

/**
 * The only file that imports modules of hyparquet that its package exports but does not document: an update of it
 * concerns these three functions.
 */

/**
 * Decodes the header of a page.
 *
 * @returns the header, and its length in bytes
 * @throws Error if the bytes do not hold one
 */
export function decodeHeader(bytes: Uint8Array): { readonly header: PageHeader; readonly length: number } {
  const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset: 0 }
  const header = parquetHeader(reader)
  return { header, length: reader.offset }
}

/**
 * Decodes plain values, and moves the reader behind them. It allocates for `count` values before it reads, so the count
 * must come from a caller that has bounded it.
 *
 * @throws RangeError if the bytes do not hold them
 */
export function decodePlain(reader: DataReader, type: ParquetType, count: number, typeLength?: number): DecodedArray {
  const values = readPlain(reader, type, count, typeLength)
  if (values.length !== count) throw new RangeError(`${values.length} values instead of ${count}`)
  return values
}

/** Converts values as they are in the file to texts, dates and times, as the type of the column demands. */
export function convertValues(values: DecodedArray, column: Pick<Decoder, 'element' | 'schemaPath'>): DecodedArray {
  return convert(values, { ...column, parsers, ...unused })
}

/** hyparquet's own decoder takes U+FEFF at the start of a value for a byte order mark, and drops it. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const parsers = {
  ...DEFAULT_PARSERS,
  stringFromBytes: (bytes: Uint8Array | undefined) => bytes && decoder.decode(bytes),
}

type Decoder = Parameters<typeof convert>[1]

/** Members that the type requires and the conversion does not use. */
const unused = { pathInSchema: [], type: 'BYTE_ARRAY', codec: 'UNCOMPRESSED' } satisfies Partial<Decoder>
