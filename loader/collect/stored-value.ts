import type { PublishedColumn } from '../../schema/columns/rates.ts'
import type { FindingRule } from '../decode/findings.ts'
import type { PublishedValue } from '../decode/published-column.ts'
import { isListedField, readListedValue } from '../decode/values/known-values.ts'
import { splitPacked } from '../decode/values/packed-list.ts'
import { parsePublishedDate } from '../decode/values/published-date.ts'
import type { ColumnValue } from './column-values.ts'

const millisecondsPerDay = 86_400_000

/** Returns a text as it is stored: null if it is absent. */
export const toText = (text: string | undefined): string | null => text ?? null

/** Returns a list of texts as it is stored: null if it is empty. */
export const toTexts = (texts: readonly string[]): readonly string[] | null => (texts.length === 0 ? null : texts)

/** Returns a date as days since 1970; null if it is absent. @param date day as `YYYY-MM-DD` */
export const toDays = (date: string | undefined): number | null =>
  date === undefined ? null : Date.parse(date) / millisecondsPerDay

/** Returns a list as a set: trimmed, sorted, distinct. Empty strings are dropped: payers write them for no value. */
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
