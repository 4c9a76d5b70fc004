import { type FileHandle, open } from 'node:fs/promises'
import { constants, zstdCompressSync } from 'node:zlib'
import type { ColumnMetaData, SchemaElement } from 'hyparquet'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import type { Column, ColumnType } from '../../../schema/columns/column.ts'
import type { ColumnChunk } from './column-chunk.ts'

/** Fewer bytes are not worth compressing. */
const minCompressed = 256

const zstd = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

/** The physical types that DuckDB writes. */
const physicalTypes = {
  varchar: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  bigint: { type: 'INT64', converted_type: 'INT_64' },
  integer: { type: 'INT32', converted_type: 'INT_32' },
  date: { type: 'INT32', converted_type: 'DATE' },
  'decimal(18,4)': { type: 'INT64', converted_type: 'DECIMAL', precision: 18, scale: 4 },
} as const satisfies Record<Exclude<ColumnType, 'varchar ARRAY'>, Omit<SchemaElement, 'name'>>

type FileColumn = Pick<Column, 'name' | 'type'>

/** Writes a Parquet file whose columns are encoded elsewhere, one row group after the other. */
export class ParquetFile implements AsyncDisposable {
  readonly #file: FileHandle
  readonly #columns: readonly FileColumn[]
  /** Knows the row groups, and writes the footer. */
  readonly #writer: ParquetWriter
  #offset = 0

  private constructor(file: FileHandle, columns: readonly FileColumn[]) {
    this.#file = file
    this.#columns = columns
    this.#writer = new ParquetWriter({
      writer: new ByteWriter(),
      schema: [{ name: 'rates', num_children: columns.length }, ...columns.flatMap(describeColumn)],
      createdBy: 'rate-search',
      statisticsTruncateLength: Number.POSITIVE_INFINITY,
    })
  }

  static async create(path: string, columns: readonly FileColumn[]): Promise<ParquetFile> {
    const file = new ParquetFile(await open(path, 'wx'), columns)
    await file.#write([Buffer.from(magic)])
    return file
  }

  /** @param encoders of the columns of the file, in order */
  async addRowGroup(rows: number, encoders: readonly ((rows: number) => ColumnChunk)[]): Promise<void> {
    const buffers: Uint8Array[] = []
    let offset = this.#offset
    const columns = this.#columns.map((column, index) => {
      const chunk = encoders[index]?.(rows)
      if (chunk === undefined) throw new RangeError(`the column ${column.name} is missing`)
      const { buffers: chunkBuffers, described } = writeChunk(column, chunk, offset)
      buffers.push(...chunkBuffers)
      offset += Number(described.total_compressed_size)
      return { file_offset: 0n, meta_data: described }
    })
    await this.#write(buffers)
    const total_byte_size = columns.reduce((sum, { meta_data }) => sum + meta_data.total_uncompressed_size, 0n)
    this.#writer.row_groups.push({ columns, total_byte_size, num_rows: BigInt(rows) })
    this.#writer.num_rows += BigInt(rows)
  }

  /** Writes the footer. Without it, the file is not valid. */
  async finish(): Promise<void> {
    await this.#writer.finish()
    // The writer also holds the magic at the start of the file, which is written already.
    await this.#write([this.#writer.writer.getBytes().subarray(magic.length)])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close()
  }

  async #write(buffers: readonly Uint8Array[]): Promise<void> {
    const bytes = Buffer.concat(buffers)
    await this.#file.appendFile(bytes)
    this.#offset += bytes.length
  }
}

const magic = 'PAR1'

/** Writes the pages of a chunk that begins at this offset of the file, and describes it for the footer. */
function writeChunk({ name, type }: FileColumn, chunk: ColumnChunk, offset: number) {
  const { page, dictionary, values, nulls, range } = chunk
  const isCompressed = page.length + (dictionary?.bytes.length ?? 0) >= minCompressed
  const dictionaryPage = dictionary && writePage('dictionary', dictionary.values, dictionary.bytes, isCompressed)
  const encoding = dictionary === undefined ? 'PLAIN' : 'RLE_DICTIONARY'
  const dataPage = writePage(encoding, values, page, isCompressed)
  const pages = dictionaryPage === undefined ? [dataPage] : [dictionaryPage, dataPage]
  const isList = type === 'varchar ARRAY'
  const described: ColumnMetaData = {
    type: physicalTypes[isList ? 'varchar' : type].type,
    path_in_schema: isList ? [name, 'list', 'element'] : [name],
    codec: isCompressed ? 'ZSTD' : 'UNCOMPRESSED',
    num_values: BigInt(values),
    encodings: dictionary === undefined ? ['PLAIN', 'RLE'] : ['PLAIN', 'RLE', 'RLE_DICTIONARY'],
    // Readers use dictionaries to skip row groups only if all data pages are known to be encoded with them.
    encoding_stats: [
      ...(dictionary ? [{ page_type: 'DICTIONARY_PAGE' as const, encoding: 'PLAIN' as const, count: 1 }] : []),
      { page_type: 'DATA_PAGE', encoding, count: 1 },
    ],
    statistics: { null_count: BigInt(nulls), ...range },
    ...(dictionaryPage && { dictionary_page_offset: BigInt(offset) }),
    data_page_offset: BigInt(offset + (dictionaryPage?.size ?? 0)),
    total_uncompressed_size: BigInt(pages.reduce((sum, { unpacked }) => sum + unpacked, 0)),
    total_compressed_size: BigInt(pages.reduce((sum, { size }) => sum + size, 0)),
  }
  return { buffers: pages.flatMap(({ buffers }) => buffers), described }
}

/** Numbers of the encodings that the library has by name. Source: parquet.thrift of Apache Parquet format. */
const encodings = { PLAIN: 0, RLE: 3, RLE_DICTIONARY: 8 } as const

function writePage(
  encoding: 'dictionary' | 'PLAIN' | 'RLE_DICTIONARY',
  values: number,
  bytes: Buffer,
  isCompressed: boolean,
) {
  const packed = isCompressed ? zstdCompressSync(bytes, zstd) : Buffer.from(bytes)
  const header = new ByteWriter(64)
  const [type, field, described] =
    encoding === 'dictionary'
      ? [2, 7, { 1: values, 2: encodings.PLAIN }]
      : [0, 5, { 1: values, 2: encodings[encoding], 3: encodings.RLE, 4: encodings.RLE }]
  writeStruct(header, { 1: type, 2: bytes.length, 3: packed.length, [field]: described })
  const buffers = [header.getBytes(), packed]
  return { buffers, size: header.offset + packed.length, unpacked: header.offset + bytes.length }
}

/** The fields of a struct by their numbers, from low to high: integers of 32 bits and structs. */
interface Struct {
  readonly [field: number]: number | Struct
}

/** Source: Apache Thrift, compact protocol. */
function writeStruct(writer: ByteWriter, struct: Struct): void {
  let last = 0
  for (const [field, value] of Object.entries(struct)) {
    const isStruct = typeof value === 'object'
    writer.appendUint8(((Number(field) - last) << 4) | (isStruct ? 12 : 5))
    last = Number(field)
    if (isStruct) writeStruct(writer, value)
    else writer.appendZigZag(value)
  }
  writer.appendUint8(0)
}

function describeColumn({ name, type }: FileColumn): SchemaElement[] {
  if (type !== 'varchar ARRAY') return [{ name, repetition_type: 'OPTIONAL', ...physicalTypes[type] }]
  return [
    { name, repetition_type: 'OPTIONAL', converted_type: 'LIST', num_children: 1 },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', repetition_type: 'OPTIONAL', ...physicalTypes.varchar },
  ]
}
