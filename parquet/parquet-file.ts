import { type ColumnMetaData, type FileMetaData, parquetMetadata, parquetSchema, type SchemaTree } from 'hyparquet'
import type { ColumnChunk } from './column-reader.ts'
import { describeType } from './column-type.ts'
import type { ByteSource, Decompressors } from './page.ts'

/** A file that may be a Parquet file. */
export interface ParquetSource extends ByteSource {
  readonly byteLength: number
  /** True if bytes come over a network. */
  readonly isRemote: boolean
  /** @default - none: only files of results are read */
  readonly decompressors?: Decompressors
}

export interface ParquetFile {
  /** The names of its columns, in order. */
  readonly columns: readonly string[]
  readonly rowGroups: readonly RowGroup[]
}

/** A row group: its columns by name, and where it is in the file, in bytes. */
export interface RowGroup {
  readonly rows: number
  readonly chunks: ReadonlyMap<string, ColumnChunk>
  readonly start: number
  readonly end: number
}

/** Bytes to read at the end of a file for its footer, enough for most files. */
const tailBytes = 65_536

/** Maximum number of bytes of a footer. Decoded, it needs up to two hundred times as much memory. */
const maxFooterBytes = 4_194_304

/** Maximum number of elements of a schema: a list has three of them, and a result about fifty. */
const maxElements = 3000

/** A file begins with the magic word `PAR1`, and ends with the footer's length (4 bytes) and the word again. */
const [magicBytes, endBytes] = [4, 8]

/**
 * Opens a Parquet file, and checks the sizes and counts in its footer against each other and against the file.
 *
 * @throws Error if it is not a Parquet file, is damaged, or is too large to be a result
 */
export async function openParquet(file: ParquetSource): Promise<ParquetFile> {
  const metadata = parquetMetadata(await readFooter(file), { geoparquet: false })
  const elements = metadata.schema.length
  if (elements > maxElements)
    throw new RangeError(`its schema has ${elements} elements, at most ${maxElements} are allowed`)
  const root = parquetSchema(metadata)
  const columns = root.children.map(({ element }) => element.name)
  if (new Set(columns).size < columns.length) throw new RangeError('two of its columns have the same name')
  const rowGroups = metadata.row_groups.map((rowGroup) => describeRowGroup(file, rowGroup, root))
  const rows = rowGroups.reduce((sum, rowGroup) => sum + rowGroup.rows, 0)
  if (rows !== Number(metadata.num_rows)) throw new RangeError(`it has ${rows} rows, not ${metadata.num_rows}`)
  return { columns, rowGroups }
}

async function readFooter(file: ParquetSource): Promise<ArrayBuffer> {
  const { byteLength: size } = file
  if (size < magicBytes + endBytes) throw new RangeError(`it has only ${size} bytes`)
  const tail = await file.slice(Math.max(0, size - tailBytes), size)
  const view = new DataView(tail)
  const end = view.byteLength - endBytes
  if (view.getUint32(end + 4, true) !== 0x31524150) throw new RangeError('it does not end with the word PAR1')
  const length = view.getUint32(end, true)
  if (length > Math.min(maxFooterBytes, size - magicBytes - endBytes))
    throw new RangeError(`its footer claims to have ${length} bytes`)
  return length <= end ? tail : await file.slice(size - endBytes - length, size)
}

function listLeaves(node: SchemaTree): readonly SchemaTree[] {
  return node.children.length === 0 ? [node] : node.children.flatMap(listLeaves)
}

type RowGroupMetaData = FileMetaData['row_groups'][number]

function describeRowGroup(file: ParquetSource, rowGroup: RowGroupMetaData, root: SchemaTree): RowGroup {
  const rows = readCount(rowGroup.num_rows, 'rows')
  const leaves = root.children.flatMap(listLeaves)
  if (rowGroup.columns.length !== leaves.length)
    throw new RangeError(`a row group has ${rowGroup.columns.length} columns, not ${leaves.length}`)
  const chunks = rowGroup.columns.map(({ meta_data: meta }, index): ColumnChunk => {
    const leaf = leaves[index]
    if (meta === undefined || leaf === undefined || meta.path_in_schema.join('\n') !== leaf.path.join('\n'))
      throw new RangeError('a row group has other columns than the file')
    return describeChunk(file, meta, root, rows)
  })
  const sum = chunks.reduce((bytes, chunk) => bytes + chunk.end - chunk.start, 0)
  if (sum > file.byteLength) throw new RangeError(`the columns of a row group have ${sum} bytes, and the file fewer`)
  return {
    rows,
    chunks: new Map(chunks.map((chunk) => [chunk.name, chunk])),
    start: Math.min(...chunks.map((chunk) => chunk.start)),
    end: Math.max(...chunks.map((chunk) => chunk.end)),
  }
}

function describeChunk(file: ParquetSource, meta: ColumnMetaData, root: SchemaTree, rows: number): ColumnChunk {
  const [name = '', ...nested] = meta.path_in_schema
  const values = readCount(meta.num_values, 'values')
  if (nested.length === 0 ? values !== rows : values < rows)
    throw new RangeError(`${name} has ${values} values in ${rows} rows`)
  const [start, end] = spanOfChunk(meta)
  if (!(start >= magicBytes && start <= end && end <= file.byteLength - endBytes))
    throw new RangeError(`${name} is from byte ${start} to ${end}, and the file has ${file.byteLength}`)
  const type = () => describeType(root, meta.path_in_schema)
  return {
    name,
    describeType: type,
    rows,
    values,
    start,
    end,
    codec: meta.codec,
    source: file,
    isRemote: file.isRemote,
    decompressors: file.decompressors,
    bounds: readBounds(meta),
  }
}

/** Returns the least and the greatest value of a column chunk, as its writer states them. */
function readBounds({ statistics }: ColumnMetaData): ColumnChunk['bounds'] {
  const { min_value: least, max_value: greatest } = statistics ?? {}
  return least === undefined || greatest === undefined ? undefined : { least, greatest }
}

/** Returns the span of a column chunk in its file: the first byte, and the byte after the last one. */
export function spanOfChunk(meta: ColumnMetaData): readonly [start: number, end: number] {
  const data = Number(meta.data_page_offset)
  // For a missing dictionary, some writers give the offset 0 and others one behind the values.
  const start = Math.min(data, Number(meta.dictionary_page_offset || meta.data_page_offset))
  return [start, start + Number(meta.total_compressed_size)]
}

function readCount(count: bigint, noun: string): number {
  if (count < 0n || count > Number.MAX_SAFE_INTEGER) throw new RangeError(`it claims to have ${count} ${noun}`)
  return Number(count)
}
