import type { FileMetaData } from 'hyparquet'
import { deserializeTCompactProtocol } from 'hyparquet/src/thrift.js'

/** Source of a file's bytes. */
interface Bytes {
  slice(start: number, end: number): Promise<ArrayBuffer>
}

/** A column of a row group that is not larger is read whole. */
const wholeBytes = 65_536

/** Enough for the header of a page, with its statistics. */
const headBytes = 4096

/**
 * Describes a file as if it had only the first pages of its first row group that holds rows: a row group may have 100 MB,
 * and its first rows only need the first pages of each column. Lists are read whole. Source: Apache Parquet, "Data Pages" and parquet.thrift,
 * PageHeader.
 */
export async function narrowToFirstPages(
  file: Bytes,
  metadata: FileMetaData,
  columns: readonly string[],
  rows: number,
): Promise<FileMetaData> {
  const first = metadata.row_groups.find(({ num_rows }) => num_rows > 0n)
  if (first === undefined) return metadata
  const narrowed = await Promise.all(
    first.columns.map(async (chunk) => {
      const { meta_data: meta } = chunk
      if (meta === undefined || !columns.includes(meta.path_in_schema[0] ?? '')) return chunk
      const size = Number(meta.total_compressed_size)
      // A list can have any number of values per row, so its pages do not show how many rows they contain.
      if (size <= wholeBytes || meta.path_in_schema.length > 1) return chunk
      const start = Number(meta.dictionary_page_offset || meta.data_page_offset)
      const end = await findEnd(file, start, start + size, rows)
      return { ...chunk, meta_data: { ...meta, total_compressed_size: BigInt(end - start) } }
    }),
  )
  return { ...metadata, num_rows: first.num_rows, row_groups: [{ ...first, columns: narrowed }] }
}

/** Finds the end of the page that completes this many values of a column. */
async function findEnd(file: Bytes, start: number, end: number, rows: number): Promise<number> {
  let at = start
  for (let values = 0; at < end && values < rows; ) {
    const reader = { view: new DataView(await file.slice(at, Math.min(at + headBytes, end))), offset: 0 }
    const header = deserializeTCompactProtocol(reader)
    const page = header['field_5'] ?? header['field_8']
    values += Number(page?.['field_1'] ?? 0)
    at += reader.offset + Number(header['field_3'])
  }
  return Math.min(at, end)
}
