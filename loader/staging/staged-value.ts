import type { DuckDBValue } from '@duckdb/node-api'
import { DuckDBDateValue, listValue } from '@duckdb/node-api'
import type { PublishedColumn } from '../../schema/columns/rates.ts'
import type { FindingRule } from '../published/findings.ts'
import type { PublishedValue } from '../published/published-column.ts'
import { isListedField, readListedValue } from '../published/values/known-values.ts'
import { parsePublishedDate } from '../published/values/published-date.ts'

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
function toSet(texts: readonly string[]): DuckDBValue {
  const distinct = new Set(texts.map((text) => text.trim()))
  distinct.delete('')
  return toList([...distinct].sort())
}

/** The values of published columns as DuckDB takes them, and what is counted for which column. */
export interface StagedValues {
  readonly values: readonly DuckDBValue[]
  readonly findings: readonly (readonly [rule: FindingRule, field: string])[]
}

/** Brings the values of published columns into the form that their table holds. */
export function stageValues(columns: readonly PublishedColumn[], published: readonly PublishedValue[]): StagedValues {
  const findings: (readonly [FindingRule, string])[] = []
  const values = columns.map((column, index) => {
    const { value, finding } = stageValue(column, published[index])
    if (finding !== undefined) findings.push([finding, column.name])
    return value
  })
  return { values, findings }
}

function stageValue({ name, reading }: PublishedColumn, published: PublishedValue) {
  if (typeof published === 'object') return { value: toSet(published) }
  if (reading === 'date') {
    const date = parsePublishedDate(published)
    return { value: toDate(date), finding: date === undefined ? ('unreadable-date' as const) : undefined }
  }
  if (reading !== 'word' || !isListedField(name)) return { value: toText(published) }
  if (published === undefined || published.trim() === '') return { value: null }
  const { value, finding } = readListedValue(name, published)
  return { value: toText(value), finding }
}

/** A text as a literal of SQL. */
export const toLiteral = (text: string) => `'${text.replaceAll("'", "''")}'`
