import { maxToolRows } from '../../contract/schemas/tools.ts'
import { takeFitting } from '../../contract/take-fitting.ts'
import { plainValue } from '../results/summary-rows.ts'

/** Answers of tools: small objects, with what was left out and what to do next. */

/** A question that the assistant puts to its user before it goes on. */
export interface Need {
  /** The argument that the answer goes into, or the column that tells rows apart. */
  readonly about: string
  readonly ask: string
  /** Code, plan and terms that the medians of `choices` share. */
  readonly of?: Readonly<Record<string, unknown>>
  /** Values to choose from, if they are known. */
  readonly choices?: readonly unknown[]
  /** Other codes for which the choice matters. */
  readonly also_matters_for?: unknown
}

/** An answer of a tool, as JSON. Fields that say nothing are absent. */
export interface Answer {
  readonly state?: string
  readonly job_id?: string
  readonly needs?: readonly Need[]
  /** The next step, as a sentence that names the tool. */
  readonly next?: string
  readonly [field: string]: unknown
}

/** Longest answer in characters of JSON: about 2,000 tokens. */
export const maxCharacters = 6_500

/** Longest text of a field; payers write terms of thousands of characters. */
const maxText = 160

/** Rows as an answer has them: the names of the columns once, then a list for each row. */
export interface Table {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
}

/** A table, with the values that all its rows share. */
interface FittedTable extends Table {
  readonly same_in_all_rows: Readonly<Record<string, unknown>>
  /** Number of rows that the answer has no room for. */
  readonly unshown: number
}

/** A row whose values are read by column. */
type Row = Readonly<Record<string, unknown>>

/**
 * Fits rows into what an answer may still hold: at most fifty, and fewer if they are long. Columns without any value
 * are left out, and a value that all rows share is stated once.
 *
 * @param used characters that the rest of the answer needs
 */
export function fitTable(rows: readonly Row[], columns: readonly string[], used: number): FittedTable {
  const plain = rows.slice(0, maxToolRows).map((row) => columns.map((column) => shortValue(row[column])))
  const written = plain.map((values) => values.map((value) => JSON.stringify(value)))
  const [first = []] = written
  const isShared = columns.map((_, index) => written.every((values) => values[index] === first[index]))
  const isSplit = written.length > 1
  const same = columns.flatMap((column, index) =>
    isSplit && isShared[index] && isStated(plain[0]?.[index]) ? [[column, plain[0]?.[index]]] : [],
  )
  const shown = columns.map((_, index) => (isSplit ? !isShared[index] : isStated(plain[0]?.[index])))
  const table = plain.map((values) => values.filter((_, index) => shown[index]))
  const fitting = takeFitting(table, maxCharacters - used - JSON.stringify(same).length)
  return {
    same_in_all_rows: Object.fromEntries(same),
    columns: columns.filter((_, index) => shown[index]),
    rows: fitting,
    unshown: rows.length - fitting.length,
  }
}

/** True for a value that says something. */
const isStated = (value: unknown) => value !== null && value !== undefined && value !== ''

/** Returns a value as JSON has it, with long texts and lists cut. */
export function shortValue(value: unknown): unknown {
  if (typeof value === 'string') return shortText(value)
  if (!Array.isArray(value)) return plainValue(value)
  const items = value.slice(0, maxItems).map(shortValue)
  return value.length > maxItems ? [...items, `and ${value.length - maxItems} more`] : items
}

const maxItems = 8

/** Shortens a text, and replaces the characters that nobody sees: a payer's file may have any. */
export function shortText(text: string): string {
  const visible = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '\ufffd')
  return visible.length > maxText ? `${visible.slice(0, maxText).toWellFormed()}…` : visible
}

/** Returns the fields of an object that say something. */
export const withoutEmpty = (fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => isStated(value) && !(Array.isArray(value) && value.length === 0) && value !== false,
    ),
  )
