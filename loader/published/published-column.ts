import type { PublishedReading } from '../../schema/column-record.ts'
import type { PublishedColumn } from '../../schema/rates.ts'
import { readContainedCodes } from './published-code.ts'
import type { PublishedObject } from './published-object.ts'

/** A value of a published column as its file has it. */
export type PublishedValue = string | readonly string[] | undefined

const readers: Readonly<Record<PublishedReading, (part: PublishedObject, field: string) => PublishedValue>> = {
  text: (part, field) => part.optionalText(field),
  word: (part, field) => part.optionalText(field),
  date: (part, field) => part.text(field),
  set: (part, field) => part.texts(field),
  codes: readContainedCodes,
}

/** Reads the columns of a part, in order. */
export function readColumns(part: PublishedObject, columns: readonly PublishedColumn[]): readonly PublishedValue[] {
  const values: PublishedValue[] = []
  for (const { name, reading } of columns) values.push(readers[reading](part, name))
  return values
}

/** The first column without which the part makes no row, and which it lacks. */
export function findMissing(part: PublishedObject, columns: readonly PublishedColumn[]): string | undefined {
  return columns.find(({ name, required }) => required && part.text(name) === undefined)?.name
}
