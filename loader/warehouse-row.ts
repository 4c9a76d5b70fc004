import type { Column } from '../core/rates.ts'

/**
 * A value for a column, by its type: `varchar` a string, `varchar ARRAY` an array of strings, `bigint` and `integer` a
 * number, `decimal(18,4)` its ten-thousandths as a bigint, `date` the text YYYY-MM-DD; null for NULL.
 */
export type Value = string | number | bigint | readonly string[] | null

/** A row of one of the warehouse's tables: a value for each of the table's columns, by name. */
export type Row = Readonly<Record<Column['name'], Value>>
