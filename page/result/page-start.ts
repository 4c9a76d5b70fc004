import type { CompressionCodec, PageHeader } from 'hyparquet'
import { parquetHeader } from 'hyparquet/src/column.js'
import { decompressStart } from './snappy-start.ts'

/** Where bytes of a file come from. */
export interface Bytes {
  slice(start: number, end: number): Promise<ArrayBuffer>
}

/** Where a column is in a file, in bytes, and how its pages are compressed. */
export interface PagedColumn {
  readonly file: Bytes
  readonly codec: CompressionCodec
  readonly end: number
}

/** Bytes of a page to fetch first; four times as many as long as they are not enough. */
const firstBytes = 32_768

/**
 * Reads a page, of which it fetches the start and more if needed.
 *
 * @param read throws as long as the decompressed bytes end too early
 * @returns what was read, and where the next page begins
 * @throws RangeError if the page does not end within its column, or what `read` throws of the whole page
 */
export async function readPageStart<Value>(
  { file, codec, end: columnEnd }: PagedColumn,
  start: number,
  read: (header: PageHeader, bytes: Uint8Array<ArrayBuffer>) => Value,
): Promise<{ readonly value: Value; readonly end: number }> {
  for (let size = firstBytes; ; size *= 4) {
    const bytes = new Uint8Array(await file.slice(start, Math.min(start + size, columnEnd)))
    const reader = { view: new DataView(bytes.buffer), offset: 0 }
    let isEnough = start + size >= columnEnd
    try {
      const header = parquetHeader(reader)
      const { compressed_page_size: length } = header
      const end = start + reader.offset + length
      const isWithin = length >= 0 && end <= columnEnd
      isEnough ||= !isWithin || end <= start + size
      if (!isWithin) throw new RangeError(`a page that ends at byte ${end}`)
      const body = bytes.slice(reader.offset, reader.offset + length)
      return { value: read(header, decompress(body, header, codec)), end }
    } catch (error) {
      // Statistics in a header may also be longer than what was fetched.
      if (isEnough) throw error
    }
  }
}

/** In version 2, levels are before what is compressed. */
function decompress(body: Uint8Array<ArrayBuffer>, header: PageHeader, codec: CompressionCodec) {
  const { data_page_header_v2: second } = header
  if (codec === 'UNCOMPRESSED' || second?.is_compressed === false) return body
  if (codec !== 'SNAPPY') throw new TypeError(`files compressed with ${codec} cannot be shown`)
  const levels = second ? second.repetition_levels_byte_length + second.definition_levels_byte_length : 0
  const values = decompressStart(body.subarray(levels))
  const all = new Uint8Array(levels + values.length)
  all.set(body.subarray(0, levels))
  all.set(values, levels)
  return all
}
