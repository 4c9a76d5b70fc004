import { type FileMetaData, parquetMetadata, parquetSchema, type SchemaTree } from 'hyparquet'
import type { ColumnChunk } from '../../core/search/without-rows.ts'
import type { ColumnSignature } from '../../schema/columns/shard-schema.ts'
import { listColumnChunks, type ReadRange } from './column-values.ts'

/** A Parquet file ends with the footer's length (4 bytes) and the magic word `PAR1`. */
export const tailBytes = 8

/**
 * Returns the length in bytes of the footer, which precedes the file's last eight bytes.
 *
 * @throws NotParquet if the file does not end like a Parquet file
 */
export function footerLength(tail: Uint8Array): number {
  if (tail.byteLength < tailBytes) throw new NotParquet()
  const end = Buffer.from(tail.buffer, tail.byteOffset + tail.byteLength - tailBytes, tailBytes)
  if (end.toString('latin1', 4) !== 'PAR1') throw new NotParquet()
  return end.readUInt32LE(0)
}

/** A result file is not a Parquet file. */
export class NotParquet extends Error {
  override readonly name = 'NotParquet'
  constructor() {
    super('the file does not end in a Parquet footer')
  }
}

/**
 * Reads the footer of a Parquet file: the number of rows, the columns, and the places of their values.
 *
 * @param end the last bytes of the file, including the whole footer
 * @param readRange called later, when a column's values are read
 * @throws NotParquet if the footer is longer than `end`
 */
export function parseFooter(end: Uint8Array, readRange: ReadRange): ParsedFooter {
  if (footerLength(end) + tailBytes > end.byteLength) throw new NotParquet()
  const metadata = parquetMetadata(new Uint8Array(end).buffer)
  const chunks = listColumnChunks(metadata, readRange)
  return { rows: Number(metadata.num_rows), schema: describeSchema(metadata), chunks }
}

interface ParsedFooter {
  readonly rows: number
  readonly schema: readonly ColumnSignature[]
  readonly chunks: readonly ColumnChunk[]
}

function describeSchema(metadata: FileMetaData): readonly ColumnSignature[] {
  return parquetSchema(metadata).children.map((column) => ({
    name: column.element.name,
    type: describeType(column),
    optional: column.element.repetition_type === 'OPTIONAL',
  }))
}

/**
 * Maps a column to its logical type. Writers differ: decimals are integers or bytes, lists are `list.element` or `bag`.
 */
function describeType(column: SchemaTree): ColumnSignature['type'] {
  const { element, children } = column
  const { type, converted_type: converted, precision, scale } = element
  if (converted === 'LIST') {
    const item = children[0]?.children[0]
    return item !== undefined && describeType(item) === 'varchar'
      ? 'varchar ARRAY'
      : `unsupported: list of ${item?.element.type}`
  }
  if (type === 'BYTE_ARRAY' && converted === 'UTF8') return 'varchar'
  if (converted === 'DECIMAL' && precision === 18 && scale === 4) return 'decimal(18,4)'
  if (type === 'INT32' && converted === 'DATE') return 'date'
  if (type === 'INT64' && (converted === undefined || converted === 'INT_64')) return 'bigint'
  if (type === 'INT32' && (converted === undefined || converted === 'INT_32')) return 'integer'
  return `unsupported: ${type ?? 'group'} ${converted ?? ''}`
}
