import { FileFault } from '../../fetch/load-refused.ts'
import type { ElementScan } from './json/byte-window.ts'
import { type Place, pathOf } from './json/json-object.ts'
import { type JsonStream, tooLong } from './json/json-stream.ts'

export type Element = Place & { readonly index: number }

/** Maximum length in bytes of a value that is not read element by element. */
const maxValueBytes = 1 << 23

/** Maximum length in bytes of elements that may have long lists of their own: NPIs, or inline groups. */
export const maxElementBytes = 1 << 25

/** Maximum number of fields of the root, or of an object that is read field by field. */
const maxFields = 10_000

/** Reads the elements of an array: `scan` those that it can read from their bytes, `read` the others. */
export interface ElementReader {
  readonly scan?: ElementScan
  read(place: Element): Promise<void>
}

async function readElements(stream: JsonStream, place: Place, { scan, read }: ElementReader): Promise<void> {
  for await (const index of stream.elements(() => pathOf(place), scan)) await read({ ...place, index })
}

/**
 * Reads an object that is too long to be parsed at once. Duplicate names refuse the file: `JSON.parse` would keep the
 * last value, but here the first long array has already been loaded.
 *
 * @param long name of the field with the long array
 * @param readerOf returns the reader of the long array; it receives the array's place and the fields before it
 * @returns the object with an empty array in place of the long one
 */
export async function readLongObject(
  stream: JsonStream,
  place: Element,
  long: string,
  readerOf: (list: Place, fieldsBefore: Readonly<Record<string, unknown>>) => ElementReader,
): Promise<unknown> {
  // Without a prototype, so that `__proto__` is an ordinary field.
  const fields: Record<string, unknown> = Object.create(null)
  const parent = { path: pathOf(place) }
  const names = new Set<string>()
  if ((await stream.kind()) !== 'object') {
    await stream.skip(() => parent.path)
    return undefined
  }
  for await (const field of stream.fields(() => parent.path)) {
    const within = { parent, field }
    refuseRepetition(names, within)
    if (field !== long) fields[field] = await readValue(stream, within)
    else if ((await stream.kind()) === 'array') {
      await readElements(stream, within, readerOf(within, fields))
      fields[field] = []
    } else await stream.skip(() => pathOf(within))
  }
  return fields
}

/** Reads the elements of an array. Returns true if there is an array; null counts as absent. */
export async function readArray(stream: JsonStream, place: Place, reader: ElementReader): Promise<boolean> {
  const kind = await stream.kind()
  if (kind === 'array') await readElements(stream, place, reader)
  else if (kind === 'object' || (await readValue(stream, place)) !== null) {
    const value = kind === 'object' ? 'an object' : 'a single value'
    throw new FileFault(`${pathOf(place)} must be an array, not ${value}`)
  }
  return kind === 'array'
}

export async function readValue(stream: JsonStream, place: Place, limit = maxValueBytes): Promise<unknown> {
  const value = await stream.read({ path: () => pathOf(place), limit, keepsFields: true })
  if (value === tooLong)
    throw new FileFault(
      `${pathOf(place)} is longer than ${limit} bytes${limit > maxValueBytes ? ', or has too many parts' : ''}`,
    )
  return value
}

/**
 * Adds the name of a field to those of its object.
 *
 * @throws FileFault if the object has the name already, or too many fields
 */
export function refuseRepetition(names: Set<string>, place: Place & { readonly field: string }): void {
  if (names.has(place.field)) throw new FileFault(`${pathOf(place)} is in the file twice`)
  if (names.size === maxFields)
    throw new FileFault(`${place.parent?.path ?? 'the file'} has more than ${maxFields} fields`)
  names.add(place.field)
}
