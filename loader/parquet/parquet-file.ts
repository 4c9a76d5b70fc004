import { type FileHandle, open } from 'node:fs/promises'
import { constants, zstdCompressSync } from 'node:zlib'
import type { ColumnMetaData, RowGroup, SchemaElement } from 'hyparquet'
import { ByteWriter } from 'hyparquet-writer'
import { writePageHeader } from 'hyparquet-writer/src/datapage.js'
import { writeMetadata } from 'hyparquet-writer/src/metadata.js'
import type { Column, ColumnType } from '../../schema/columns/column.ts'
import type { EncodedColumn } from './encode-column.ts'

const mark = 'PAR1'

/** Fewer bytes are not worth compressing. */
const minCompressed = 256

const zstd = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

/** The physical types that DuckDB writes. */
const physicalTypes: Readonly<Record<Exclude<ColumnType, 'varchar ARRAY'>, Omit<SchemaElement, 'name'>>> = {
  varchar: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  bigint: { type: 'INT64', converted_type: 'INT_64' },
  integer: { type: 'INT32', converted_type: 'INT_32' },
  date: { type: 'INT32', converted_type: 'DATE' },
  'decimal(18,4)': { type: 'INT64', converted_type: 'DECIMAL', precision: 18, scale: 4 },
}

type FileColumn = Pick<Column, 'name' | 'type'>

/** Writes a Parquet file whose columns are encoded elsewhere, one row group after the other. */
export class ParquetFile implements AsyncDisposable {
  readonly #file: FileHandle
  readonly #columns: readonly FileColumn[]
  readonly #groups: RowGroup[] = []
  #offset = 0
  #rows = 0

  private constructor(file: FileHandle, columns: readonly FileColumn[]) {
    this.#file = file
    this.#columns = columns
  }

  static async create(path: string, columns: readonly FileColumn[]): Promise<ParquetFile> {
    const file = new ParquetFile(await open(path, 'wx'), columns)
    await file.#write([Buffer.from(mark)])
    return file
  }

  /** @param encoded the columns of the file, in order */
  async addRowGroup(rows: number, encoded: readonly EncodedColumn[]): Promise<void> {
    const parts: Uint8Array[] = []
    let at = this.#offset
    const add = (...bytes: Uint8Array[]) => {
      for (const part of bytes) {
        parts.push(part)
        at += part.length
      }
    }
    const columns = encoded.map((column, index) => {
      const described = this.#columns[index]
      if (described === undefined) throw new RangeError(`column ${index} is not of the file`)
      const offset = at
      const isCompressed = column.page.length + (column.dictionary?.bytes.length ?? 0) >= minCompressed
      const pack = (bytes: Buffer) => (isCompressed ? zstdCompressSync(bytes, zstd) : bytes)
      const { dictionary } = column
      let unpacked = 0
      if (dictionary !== undefined) {
        const packed = pack(dictionary.bytes)
        const header = writeHeader({
          type: 'DICTIONARY_PAGE',
          uncompressed_page_size: dictionary.bytes.length,
          compressed_page_size: packed.length,
          dictionary_page_header: { num_values: dictionary.values, encoding: 'PLAIN' },
        })
        unpacked += header.length + dictionary.bytes.length
        add(header, packed)
      }
      const dataOffset = at
      const packed = pack(column.page)
      const encoding = dictionary === undefined ? 'PLAIN' : 'RLE_DICTIONARY'
      const header = writeHeader({
        type: 'DATA_PAGE',
        uncompressed_page_size: column.page.length,
        compressed_page_size: packed.length,
        data_page_header: {
          num_values: column.values,
          encoding,
          definition_level_encoding: 'RLE',
          repetition_level_encoding: 'RLE',
        },
      })
      add(header, packed)
      return describeChunk(described, column, {
        codec: isCompressed ? 'ZSTD' : 'UNCOMPRESSED',
        data_page_offset: BigInt(dataOffset),
        ...(dictionary !== undefined && { dictionary_page_offset: BigInt(offset) }),
        total_uncompressed_size: BigInt(unpacked + header.length + column.page.length),
        total_compressed_size: BigInt(at - offset),
      })
    })
    await this.#write(parts)
    const size = columns.reduce((sum, { total_uncompressed_size }) => sum + total_uncompressed_size, 0n)
    this.#groups.push({
      columns: columns.map((meta_data) => ({ file_offset: 0n, meta_data })),
      total_byte_size: size,
      num_rows: BigInt(rows),
    })
    this.#rows += rows
  }

  /** Writes the footer. Without it, the file is not valid. */
  async finish(): Promise<void> {
    const writer = new ByteWriter()
    const schema = [{ name: 'rates', num_children: this.#columns.length }, ...this.#columns.flatMap(describeColumn)]
    writeMetadata(
      writer,
      {
        version: 1,
        schema,
        num_rows: BigInt(this.#rows),
        row_groups: this.#groups,
        created_by: 'rate-search',
        metadata_length: 0,
      },
      Number.POSITIVE_INFINITY,
    )
    await this.#write([writer.getBytes(), Buffer.from(mark)])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close()
  }

  async #write(parts: readonly Uint8Array[]): Promise<void> {
    const bytes = Buffer.concat(parts)
    for (let from = 0; from < bytes.length; ) from += (await this.#file.write(bytes, from)).bytesWritten
    this.#offset += bytes.length
  }
}

function writeHeader(header: Parameters<typeof writePageHeader>[1]): Uint8Array {
  const writer = new ByteWriter(64)
  writePageHeader(writer, header)
  return writer.getBytes()
}

function describeChunk(
  { name, type }: FileColumn,
  { dictionary, values, nulls, min, max }: EncodedColumn,
  place: Pick<
    ColumnMetaData,
    'codec' | 'data_page_offset' | 'dictionary_page_offset' | 'total_compressed_size' | 'total_uncompressed_size'
  >,
): ColumnMetaData {
  const isList = type === 'varchar ARRAY'
  const range = !isList && min !== undefined && max !== undefined && { min_value: min, max_value: max }
  const encoding = dictionary === undefined ? 'PLAIN' : 'RLE_DICTIONARY'
  return {
    type: (isList ? physicalTypes.varchar : physicalTypes[type]).type ?? 'BYTE_ARRAY',
    path_in_schema: isList ? [name, 'list', 'element'] : [name],
    num_values: BigInt(values),
    encodings: dictionary === undefined ? ['PLAIN', 'RLE'] : ['PLAIN', 'RLE', 'RLE_DICTIONARY'],
    // Readers use dictionaries to skip row groups only if all data pages are known to be encoded with them.
    encoding_stats: [
      ...(dictionary === undefined
        ? []
        : [{ page_type: 'DICTIONARY_PAGE' as const, encoding: 'PLAIN' as const, count: 1 }]),
      { page_type: 'DATA_PAGE', encoding, count: 1 },
    ],
    statistics: { null_count: BigInt(nulls), ...range },
    ...place,
  }
}

function describeColumn({ name, type }: FileColumn): SchemaElement[] {
  if (type !== 'varchar ARRAY') return [{ name, repetition_type: 'OPTIONAL', ...physicalTypes[type] }]
  return [
    { name, repetition_type: 'OPTIONAL', converted_type: 'LIST', num_children: 1 },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', repetition_type: 'OPTIONAL', ...physicalTypes.varchar },
  ]
}
