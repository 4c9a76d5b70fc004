import { LoadRefused } from '../fetch/load-refused.ts'
import type { ElementScan } from './json/byte-window.ts'
import { type Place, pathOf } from './json/json-object.ts'
import { type JsonStream, tooLong } from './json/json-stream.ts'

export type Element = Place & { readonly index: number }

/** Maximum length in bytes of a part that is not read element by element. */
const maxValueBytes = 1 << 23

/** Maximum number of fields of the root, or of a part that is read field by field. */
const maxFields = 10_000

/**
 * Reads an object that is too long to be parsed at once. Duplicate names refuse the file: `JSON.parse` would keep the
 * last value, but here the first long array has already been loaded.
 *
 * @param take reads each element of the long array; it receives the fields that come before the array
 * @returns the object with an empty array in place of the long one
 */
export async function readLongObject(
  stream: JsonStream,
  place: Element,
  long: string,
  take: (place: Element, fieldsBefore: Readonly<Record<string, unknown>>) => Promise<void>,
): Promise<unknown> {
  // Without a prototype, so that `__proto__` is an ordinary field.
  const fields: Record<string, unknown> = Object.create(null)
  const parent = { path: pathOf(place) }
  const seen = new Set<string>()
  if ((await stream.kind()) !== 'object') {
    await stream.skip(() => parent.path)
    return undefined
  }
  for await (const field of stream.fields(() => parent.path)) {
    const within = { file: place.file, parent, field }
    refuseRepetition(seen, within)
    if (field !== long) fields[field] = await readValue(stream, within)
    else if ((await stream.kind()) === 'array') {
      for await (const index of stream.elements(() => pathOf(within))) await take({ ...within, index }, fields)
      fields[field] = []
    } else await stream.skip(() => pathOf(within))
  }
  return fields
}

/**
 * @param read reads an element the ordinary way
 * @param scan reads what it can before
 * @returns whether there is an array; null is treated as absent
 */
export async function eachElement(
  stream: JsonStream,
  place: Place,
  read: (place: Element) => Promise<void>,
  scan?: ElementScan,
): Promise<boolean> {
  const path = () => pathOf(place)
  const kind = await stream.kind()
  if (kind === 'array') for await (const index of stream.elements(path, scan)) await read({ ...place, index })
  else if (kind === 'object' || (await readValue(stream, place)) !== null) {
    const found = kind === 'object' ? 'an object' : 'a single value'
    throw new LoadRefused(place.file, `${path()} must be an array, not ${found}`)
  }
  return kind === 'array'
}

export async function readValue(stream: JsonStream, place: Place, limit = maxValueBytes): Promise<unknown> {
  const value = await stream.read({ path: () => pathOf(place), limit, keepsFields: true })
  if (value === tooLong)
    throw new LoadRefused(
      place.file,
      `${pathOf(place)} is longer than ${limit} bytes${limit > maxValueBytes ? ', or has too many parts' : ''}`,
    )
  return value
}

export function refuseRepetition(seen: Set<string>, place: Place): void {
  if (seen.has(place.field ?? '')) throw new LoadRefused(place.file, `${pathOf(place)} is in the file twice`)
  if (seen.size === maxFields)
    throw new LoadRefused(place.file, `${place.parent?.path ?? 'the file'} has more than ${maxFields} fields`)
  seen.add(place.field ?? '')
}
