import type { PublishedReading } from '../../schema/columns/column-record.ts'
import type { PublishedColumn } from '../../schema/columns/rates.ts'
import { readContainedCodes } from './published-code.ts'
import type { PublishedObject } from './published-object.ts'

/** A value of a column as published. */
export type PublishedValue = string | readonly string[] | undefined

const readers: Readonly<Record<PublishedReading, (object: PublishedObject, field: string) => PublishedValue>> = {
  text: (object, field) => object.optionalText(field),
  word: (object, field) => object.optionalText(field),
  date: (object, field) => object.text(field) ?? object.digits(field),
  set: (object, field) => object.texts(field),
  codes: readContainedCodes,
}

/** Reads the values of columns from an object, in order. */
export function readColumns(object: PublishedObject, columns: readonly PublishedColumn[]): readonly PublishedValue[] {
  const values: PublishedValue[] = []
  for (const { name, reading } of columns) values.push(readers[reading](object, name))
  return values
}

/** Returns the first required column that the object lacks. */
export function findMissing(object: PublishedObject, columns: readonly PublishedColumn[]): string | undefined {
  return columns.find(({ name, required }) => required && object.text(name) === undefined)?.name
}

/** Returns a key that only equal values share: each text of a list comes after its length. */
export function keyOfValue(value: PublishedValue): string {
  if (typeof value !== 'object') return value === undefined ? '-' : `:${value}`
  let key = ''
  for (const text of value) key += `${text.length}:${text}`
  return `;${key}`
}
