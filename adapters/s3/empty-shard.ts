import type { SchemaElement } from 'hyparquet'
import { parquetWriteBuffer } from 'hyparquet-writer'
import type { ColumnType } from '../../schema/columns/column.ts'
import type { ResultColumns } from '../../schema/columns/shard-schema.ts'

/**
 * Builds the shard of an empty result: the columns of every other shard, in the physical types that Trino writes
 * (observed in files of Trino 411 and 476, test/fixtures/trino-parquet).
 */
export function makeEmptyShard(columns: ResultColumns): Uint8Array {
  const schema: SchemaElement[] = [{ name: 'rates', num_children: columns.length }, ...columns.flatMap(describeColumn)]
  const columnData = columns.map(({ name }) => ({ name, data: [] }))
  return new Uint8Array(parquetWriteBuffer({ columnData, schema, createdBy: 'rate-search' }))
}

const physicalTypes: Readonly<Record<Exclude<ColumnType, 'varchar ARRAY'>, Omit<SchemaElement, 'name'>>> = {
  varchar: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  // Trino also writes a logical type for integers, which adds no information. It is left out because hyparquet-writer
  // encodes its bit width with the wrong Thrift type, and DuckDB and others then reject the file.
  bigint: { type: 'INT64', converted_type: 'INT_64' },
  integer: { type: 'INT32', converted_type: 'INT_32' },
  date: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
  'decimal(18,4)': {
    type: 'FIXED_LEN_BYTE_ARRAY',
    type_length: 8,
    converted_type: 'DECIMAL',
    precision: 18,
    scale: 4,
    logical_type: { type: 'DECIMAL', precision: 18, scale: 4 },
  },
}

function describeColumn({ name, type }: ResultColumns[number]): SchemaElement[] {
  if (type !== 'varchar ARRAY') return [{ name, repetition_type: 'OPTIONAL', ...physicalTypes[type] }]
  return [
    { name, repetition_type: 'OPTIONAL', converted_type: 'LIST', logical_type: { type: 'LIST' }, num_children: 1 },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', repetition_type: 'OPTIONAL', ...physicalTypes.varchar },
  ]
}
