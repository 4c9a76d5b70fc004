import { createHash } from 'node:crypto'
import { at } from '../../schema/at.ts'

/**
 * A cursor is a position in a list, as text that is opaque to clients. Its digest covers the list's name, filter and
 * owner, so a cursor of another list, filter or organization is refused, and so is a truncated or mistyped one.
 */

/** Identifies a list: its name, and every filter and owner that its pages depend on. */
export type ListScope = readonly (string | null)[]

/** @param position the position from which to continue, in the list's own terms */
export function writeCursor(scope: ListScope, position: readonly string[]): string {
  const text = Buffer.from(JSON.stringify(position)).toString('base64url')
  return `${text}.${digest(scope, text)}`
}

/** @returns the position, or undefined if the cursor is not of this list */
export function readCursor(scope: ListScope, cursor: string): readonly string[] | undefined {
  const text = at(cursor.split('.'), 0)
  const position = parsePosition(Buffer.from(text, 'base64url').toString())
  // The digest is not a secret: a handmade cursor must also have the form that is written here.
  return position !== undefined && writeCursor(scope, position) === cursor ? position : undefined
}

function digest(scope: ListScope, text: string): string {
  return createHash('sha256')
    .update(JSON.stringify([...scope, text]))
    .digest('base64url')
    .slice(0, 8)
}

function parsePosition(json: string): readonly string[] | undefined {
  try {
    const position: unknown = JSON.parse(json)
    return Array.isArray(position) && position.every((part) => typeof part === 'string') ? position : undefined
  } catch {
    return undefined
  }
}
