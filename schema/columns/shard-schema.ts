import { createHash } from 'node:crypto'
import type { Column, ColumnType } from './column.ts'

/** The schema of shards: their columns, each OPTIONAL, by logical type. */

/** The columns that make up a shard's schema. */
export type ResultColumns = readonly Pick<Column, 'name' | 'type'>[]

/** A column from a Parquet footer, independent of the writer. */
export interface ColumnSignature {
  readonly name: string
  readonly type: ColumnType | `unsupported: ${string}`
  readonly optional: boolean
}

/** Returns the schema that every shard with these columns must have. */
export const shardSchema = (columns: ResultColumns): readonly ColumnSignature[] =>
  columns.map(({ name, type }) => ({ name, type, optional: true }))

/** Identifies columns, so that the manifest of an older result does not show columns that were added since. */
export const columnsKeyOf = (columns: ResultColumns): string =>
  createHash('sha256')
    .update(JSON.stringify(shardSchema(columns)))
    .digest('hex')
    .slice(0, 16)

/**
 * Compares a shard's schema with the required one.
 *
 * @returns undefined if they match, else a description of the first difference
 */
export function findSchemaFault(schema: readonly ColumnSignature[], columns: ResultColumns): string | undefined {
  if (schema.length !== columns.length) return `${schema.length} columns instead of ${columns.length}`
  for (const [index, expected] of shardSchema(columns).entries()) {
    const column = schema[index]
    if (column?.name !== expected.name) return `column ${index + 1} is ${column?.name} instead of ${expected.name}`
    if (column.type !== expected.type) return `column ${expected.name} is ${column.type} instead of ${expected.type}`
    if (column.optional !== expected.optional) return `column ${expected.name} is required instead of optional`
  }
  return undefined
}
