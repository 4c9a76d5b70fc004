import { FileFault } from '../../fetch/load-refused.ts'
import type { ElementScan } from './json/byte-window.ts'
import { type Position, pathOf } from './json/json-object.ts'
import { type JsonStream, tooLong } from './json/json-stream.ts'

export type Element = Position & { readonly index: number }

/** Maximum length in bytes of a value that is not read element by element. */
const maxValueBytes = 1 << 23

/** Maximum length in bytes of elements that may have long lists of their own: NPIs, or inline groups. */
export const maxElementBytes = 1 << 25

/** Maximum number of fields of the root, or of an object that is read field by field. */
const maxFields = 10_000

/** Reads the elements of an array: `scan` those that it can read from their bytes, `read` the others. */
export interface ElementReader {
  readonly scan?: ElementScan
  read(position: Element): Promise<void>
}

async function readElements(stream: JsonStream, position: Position, { scan, read }: ElementReader): Promise<void> {
  for await (const index of stream.elements(() => pathOf(position), scan)) await read({ ...position, index })
}

/**
 * Reads an object that is too long to be parsed at once. Duplicate names refuse the file: `JSON.parse` would keep the
 * last value, but here the first long array has already been loaded.
 *
 * @param long name of the field with the long array
 * @param readerOf returns the reader of the long array; it receives the array's position and the fields before it
 * @returns the object with an empty array in place of the long one
 */
export async function readLongObject(
  stream: JsonStream,
  position: Element,
  long: string,
  readerOf: (list: Position, fieldsBefore: Readonly<Record<string, unknown>>) => ElementReader,
): Promise<unknown> {
  // Without a prototype, so that `__proto__` is an ordinary field.
  const fields: Record<string, unknown> = Object.create(null)
  const parent = { path: pathOf(position) }
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
export async function readArray(stream: JsonStream, position: Position, reader: ElementReader): Promise<boolean> {
  const kind = await stream.kind()
  if (kind === 'array') await readElements(stream, position, reader)
  else if (kind === 'object' || (await readValue(stream, position)) !== null) {
    const value = kind === 'object' ? 'an object' : 'a single value'
    throw new FileFault(`${pathOf(position)} must be an array, not ${value}`)
  }
  return kind === 'array'
}

export async function readValue(stream: JsonStream, position: Position, limit = maxValueBytes): Promise<unknown> {
  const value = await stream.read({ path: () => pathOf(position), limit, keepsFields: true })
  if (value === tooLong)
    throw new FileFault(
      `${pathOf(position)} is longer than ${limit} bytes${limit > maxValueBytes ? ', or has too many parts' : ''}`,
    )
  return value
}

/**
 * Adds the name of a field to those of its object.
 *
 * @throws FileFault if the object has the name already, or too many fields
 */
export function refuseRepetition(names: Set<string>, position: Position & { readonly field: string }): void {
  if (names.has(position.field)) throw new FileFault(`${pathOf(position)} is in the file twice`)
  if (names.size === maxFields)
    throw new FileFault(`${position.parent?.path ?? 'the file'} has more than ${maxFields} fields`)
  names.add(position.field)
}
