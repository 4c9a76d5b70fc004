import type { PublishedColumn } from '../../schema/columns/rates.ts'
import { maxListed } from '../../schema/summary/definition.ts'
import type { FindingRule } from '../decode/findings.ts'
import type { PublishedValue } from '../decode/published-column.ts'
import { isListedField, readListedValue } from '../decode/values/known-values.ts'
import { readElement, splitPacked } from '../decode/values/packed-list.ts'
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

/** Returns a list of trimmed texts as a set. Empty ones are dropped: payers write them for no value. */
function toSet(texts: readonly string[]): readonly string[] | null {
  if (texts.length === 0) return null
  const distinct = new Set(texts)
  distinct.delete('')
  return toTexts([...distinct].sort())
}

/** Finds what is reported of a date. @param day as `YYYY-MM-DD`; undefined if the published text is none */
export function findDateFinding(published: string | undefined, day: string | undefined): FindingRule | undefined {
  if (day === undefined) return 'unreadable-date'
  return day === published ? undefined : 'other-date'
}

interface StoredValue {
  readonly value: ColumnValue
  readonly finding?: FindingRule | undefined
}

/** Brings the value of a published column into the form that the warehouse stores. */
export function storeValue({ name, reading }: PublishedColumn, published: PublishedValue): StoredValue {
  if (typeof published === 'object') {
    const split = published.map((text) => splitPacked(name, text) ?? readElement(name, text.trim()))
    const isPacked = split.some((part) => typeof part !== 'string')
    const value = toSet(split.flat())
    if (name === 'service_code' && (value?.length ?? 0) > maxListed) return { value, finding: 'many-places' }
    return { value, finding: isPacked ? 'packed-list' : undefined }
  }
  if (reading === 'date') {
    const date = parsePublishedDate(published)
    return { value: toDays(date), finding: findDateFinding(published, date) }
  }
  if (reading !== 'word' || !isListedField(name)) return { value: toText(published) }
  if (published === undefined || published.trim() === '') return { value: null }
  const { value, finding } = readListedValue(name, published)
  return { value: toText(value), finding }
}
