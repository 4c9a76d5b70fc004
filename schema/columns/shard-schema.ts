import { createHash } from 'node:crypto'
import type { Column, ColumnType } from './column.ts'
import { ratesColumns } from './rates.ts'

/** The schema of every shard: the columns of `rates`, each OPTIONAL, by logical type. */

/** A column from a Parquet footer, independent of the writer. */
export interface ColumnSignature {
  readonly name: string
  readonly type: ColumnType | `unsupported: ${string}`
  readonly optional: boolean
}

/** The schema that every shard must have. */
export const shardSchema: readonly ColumnSignature[] = ratesColumns.map(({ name, type }: Column) => ({
  name,
  type,
  optional: true,
}))

/** Identifies these columns, so that the manifest of an older result does not show columns that were added since. */
export const columnsKey = createHash('sha256').update(JSON.stringify(shardSchema)).digest('hex').slice(0, 16)

/**
 * Compares a shard's schema with the required one.
 *
 * @returns undefined if they match, else a description of the first difference
 */
export function findSchemaFault(schema: readonly ColumnSignature[]): string | undefined {
  if (schema.length !== shardSchema.length) return `${schema.length} columns instead of ${shardSchema.length}`
  for (const [index, expected] of shardSchema.entries()) {
    const column = schema[index]
    if (column?.name !== expected.name) return `column ${index + 1} is ${column?.name} instead of ${expected.name}`
    if (column.type !== expected.type) return `column ${expected.name} is ${column.type} instead of ${expected.type}`
    if (column.optional !== expected.optional) return `column ${expected.name} is required instead of optional`
  }
  return undefined
}
