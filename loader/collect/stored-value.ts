import type { PublishedColumn } from '../../schema/columns/rates.ts'
import type { FindingRule } from '../decode/findings.ts'
import type { PublishedValue } from '../decode/published-column.ts'
import { isListedField, readListedValue } from '../decode/values/known-values.ts'
import { splitPacked } from '../decode/values/packed-list.ts'
import { parsePublishedDate } from '../decode/values/published-date.ts'
import type { ColumnValue } from './column-values.ts'

const millisecondsPerDay = 86_400_000

/** A text as it is stored. */
export const toText = (text: string | undefined): string | null => text ?? null

/** A list of texts; null where there are none. */
export const toTexts = (texts: readonly string[]): readonly string[] | null => (texts.length === 0 ? null : texts)

/** @param date as `YYYY-MM-DD`; days since 1970, null where there is none */
export const toDays = (date: string | undefined): number | null =>
  date === undefined ? null : Date.parse(date) / millisecondsPerDay

/** A list as a set: trimmed, sorted, distinct. Payers write empty strings for nothing. */
function toSet(texts: readonly string[]): readonly string[] | null {
  if (texts.length === 0) return null
  const distinct = new Set(texts.map((text) => text.trim()))
  distinct.delete('')
  return toTexts([...distinct].sort())
}

interface StoredValue {
  readonly value: ColumnValue
  readonly finding?: FindingRule | undefined
}

/** Brings the value of a published column into the form that the warehouse stores. */
export function storeValue({ name, reading }: PublishedColumn, published: PublishedValue): StoredValue {
  if (typeof published === 'object') {
    const split = published.map((text) => splitPacked(name, text) ?? text)
    const isPacked = split.some((part) => typeof part !== 'string')
    return { value: toSet(split.flat()), finding: isPacked ? 'packed-list' : undefined }
  }
  if (reading === 'date') {
    const date = parsePublishedDate(published)
    return { value: toDays(date), finding: date === undefined ? 'unreadable-date' : undefined }
  }
  if (reading !== 'word' || !isListedField(name)) return { value: toText(published) }
  if (published === undefined || published.trim() === '') return { value: null }
  const { value, finding } = readListedValue(name, published)
  return { value: toText(value), finding }
}
