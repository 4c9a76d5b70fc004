import { createHash } from 'node:crypto'

/**
 * Where a list goes on, as text that is opaque to clients. It has a digest over the list's name, filter and owner: a cursor
 * of another list, another filter or another organization is refused, and so is one that was cut short or mistyped.
 */

/** What a list is of: its name, and every filter and owner that its pages depend on. */
export type ListScope = readonly (string | null)[]

/** @param place where the list goes on, in the list's own terms */
export function writeCursor(scope: ListScope, place: readonly string[]): string {
  const text = Buffer.from(JSON.stringify(place)).toString('base64url')
  return `${text}.${digest(scope, text)}`
}

/** @returns the place, or undefined if the cursor is not one of this list */
export function readCursor(scope: ListScope, cursor: string): readonly string[] | undefined {
  const [text = ''] = cursor.split('.')
  if (cursor !== `${text}.${digest(scope, text)}`) return undefined
  const place = parsePlace(Buffer.from(text, 'base64url').toString())
  // The digest is no secret: a cursor that was made by hand must at least be one that this function would write.
  return place !== undefined && writeCursor(scope, place) === cursor ? place : undefined
}

function digest(scope: ListScope, text: string): string {
  return createHash('sha256')
    .update(JSON.stringify([...scope, text]))
    .digest('base64url')
    .slice(0, 8)
}

function parsePlace(json: string): readonly string[] | undefined {
  try {
    const place: unknown = JSON.parse(json)
    return Array.isArray(place) && place.every((part) => typeof part === 'string') ? place : undefined
  } catch {
    return undefined
  }
}
