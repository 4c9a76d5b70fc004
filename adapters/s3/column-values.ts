import { type ColumnMetaData, type FileMetaData, parquetSchema } from 'hyparquet'
import type { ColumnChunk } from '../../core/search/without-rows.ts'
import { type ColumnType, describeType } from '../../parquet/column-type.ts'
import { DataPage, isDictionaryEncoded } from '../../parquet/data-page.ts'
import { Dictionary } from '../../parquet/dictionary.ts'
import { openPages, type Page } from '../../parquet/page.ts'
import { spanOfChunk } from '../../parquet/parquet-file.ts'

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
    const [start, last] = spanOfChunk(meta)
    const data = Number(meta.data_page_offset)
    const end = start < data && usesOnlyDictionary(meta) ? data : last
    const bytes = end === data ? data - start : Number(meta.total_uncompressed_size)
    return [{ column, bytes, read: async () => decodeValues(await readRange(start, end), meta, metadata) }]
  })
}

function usesOnlyDictionary({ encoding_stats: stats }: ColumnMetaData): boolean {
  const pages = stats?.filter(({ page_type: type }) => type !== 'DICTIONARY_PAGE') ?? []
  return pages.length > 0 && pages.every(({ encoding }) => encoding.endsWith('_DICTIONARY'))
}

/** Returns the distinct values of pages as text, without nulls; undefined if they cannot be decoded. */
async function decodeValues(bytes: Uint8Array, meta: ColumnMetaData, metadata: FileMetaData) {
  const source = { slice: async (start: number, end: number) => new Uint8Array(bytes.subarray(start, end)).buffer }
  const values = new Set<string>()
  try {
    const type = describeType(parquetSchema(metadata), meta.path_in_schema)
    const span = { source, codec: meta.codec, start: 0, end: bytes.byteLength, isRemote: false }
    for await (const page of openPages(span))
      for await (const block of decodePage(page, type)) for (const value of Array.from(block)) values.add(String(value))
  } catch {
    return undefined
  }
  return values
}

/** Maximum number of values to decode at once. */
const maxValues = 10_000

/** Decodes the values of a page, some at a time; those that refer to the dictionary are in its own page. */
async function* decodePage(page: Page, type: ColumnType): AsyncGenerator<ArrayLike<unknown>> {
  if (page.header.type === 'DICTIONARY_PAGE') {
    const dictionary = new Dictionary(page, type)
    yield await dictionary.take(dictionary.count)
  } else if (!isDictionaryEncoded(page)) {
    const values = new DataPage(page, type)
    while (values.left > 0) {
      const { stored } = await values.take(Math.min(maxValues, values.left))
      if ('plain' in stored) yield type.convert(stored.plain)
    }
  }
}
