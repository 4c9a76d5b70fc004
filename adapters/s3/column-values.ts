import { type ColumnMetaData, type FileMetaData, parquetSchema } from 'hyparquet'
import { parquetHeader, readPage } from 'hyparquet/src/column.js'
import { convert, DEFAULT_PARSERS } from 'hyparquet/src/convert.js'
import { getTreePath } from 'hyparquet/src/schema.js'
import type { ColumnChunk } from '../../core/search/without-rows.ts'

/** Reads a range of the file's bytes, the end excluded. */
export type ReadRange = (start: number, end: number) => Promise<Uint8Array>

/**
 * Lists the column chunks of a file that hold flat columns, one a row group and column. The dictionary of a chunk
 * is enough if all of its pages use it, which only `encoding_stats` say: `PLAIN` among the encodings may be the
 * dictionary's own. Source: Apache Parquet, `parquet.thrift`, ColumnMetaData and PageEncodingStats.
 */
export function listColumnChunks(metadata: FileMetaData, readRange: ReadRange): readonly ColumnChunk[] {
  const flat = metadata.row_groups.flatMap(({ columns }) => columns.flatMap(({ meta_data: meta }) => meta ?? []))
  return flat.flatMap((meta) => {
    const [column = '', ...nested] = meta.path_in_schema
    if (nested.length > 0) return []
    const dictionary = Number(meta.dictionary_page_offset || meta.data_page_offset)
    const [start, data] = [Math.min(dictionary, Number(meta.data_page_offset)), Number(meta.data_page_offset)]
    const end = start < data && usesOnlyDictionary(meta) ? data : start + Number(meta.total_compressed_size)
    const bytes = end === data ? data - start : Number(meta.total_uncompressed_size)
    const read = async () => decodeValues(await readRange(start, end), meta, metadata)
    return [{ column, bytes, read }]
  })
}

function usesOnlyDictionary({ encoding_stats: stats }: ColumnMetaData): boolean {
  const pages = stats?.filter(({ page_type: type }) => type !== 'DICTIONARY_PAGE') ?? []
  return pages.length > 0 && pages.every(({ encoding }) => encoding.endsWith('_DICTIONARY'))
}

/** The distinct values of pages as text, without nulls; undefined if they cannot be decoded. */
function decodeValues(bytes: Uint8Array, meta: ColumnMetaData, metadata: FileMetaData) {
  const schemaPath = getTreePath(parquetSchema(metadata), meta.path_in_schema)
  const [element] = schemaPath.slice(-1).map((leaf) => leaf.element)
  if (element === undefined) return undefined
  const decoder = { ...meta, pathInSchema: meta.path_in_schema, schemaPath, element, parsers: DEFAULT_PARSERS }
  const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset: 0 }
  const values = new Set<string>()
  try {
    while (reader.offset < bytes.byteLength) {
      const header = parquetHeader(reader)
      const { encoding } = header.data_page_header ?? header.data_page_header_v2 ?? {}
      // Its values are in the dictionary.
      if (encoding?.endsWith('_DICTIONARY')) reader.offset += header.compressed_page_size
      else {
        const { data = [] } = readPage(reader, header, decoder, undefined, undefined, 0)
        const read = header.type === 'DICTIONARY_PAGE' ? convert(data, decoder) : data
        for (const value of read) if (value !== null && value !== undefined) values.add(String(value))
      }
    }
  } catch {
    return undefined
  }
  return values
}
