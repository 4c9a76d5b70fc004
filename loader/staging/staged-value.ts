import type { DuckDBValue } from '@duckdb/node-api'
import { DuckDBDateValue, listValue } from '@duckdb/node-api'

const millisecondsPerDay = 86_400_000

/** A text as DuckDB takes it; a lone surrogate has no form in Parquet. */
export const toText = (text: string | undefined): string | null => text?.toWellFormed() ?? null

/** A list of texts; NULL where there are none. */
export const toList = (texts: readonly string[]): DuckDBValue =>
  texts.length === 0 ? null : listValue(texts.map((text) => text.toWellFormed()))

/** @param date as `YYYY-MM-DD` */
export const toDate = (date: string | undefined): DuckDBValue =>
  date === undefined ? null : new DuckDBDateValue(Date.parse(date) / millisecondsPerDay)

/** A list as a set: trimmed, sorted, distinct. Payers write empty strings for nothing. */
export function toSet(texts: readonly string[]): DuckDBValue {
  const distinct = new Set(texts.map((text) => text.trim()))
  distinct.delete('')
  return toList([...distinct].sort())
}

/** A text as a literal of SQL. */
export const toLiteral = (text: string) => `'${text.replaceAll("'", "''")}'`
