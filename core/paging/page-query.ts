import type { PageLimits } from '../../contract/limits.ts'
import type { Fault } from '../../contract/search-api.ts'
import { findNameFault, normaliseName } from '../../contract/texts/names.ts'
import { showValue } from '../../contract/texts/show-value.ts'
import { splitWords } from '../words.ts'
import { type ListScope, readCursor } from './cursor.ts'

export type Parameters = Readonly<Record<string, string | undefined>>

/** Reads `limit` and adds its fault, if any; the default if it is absent. */
export function readLimit({ limit }: Parameters, limits: PageLimits, faults: Fault[]): number {
  if (limit === undefined) return limits.default
  if (/^\d{1,4}$/.test(limit) && Number(limit) >= 1 && Number(limit) <= limits.max) return Number(limit)
  faults.push({ path: 'limit', message: `must be a whole number from 1 to ${limits.max}; got ${showValue(limit)}` })
  return limits.default
}

/** Rules of a filter. */
export interface TextRules {
  /** Returns the fault of a text, without the text itself. */
  readonly findFault: (text: string) => string | undefined
  /** Returns the form in which a text is compared. @default normaliseName */
  readonly normalise?: (text: string) => string
}

/** Reads a filter, or adds its fault. @returns undefined if it is absent or has a fault */
export function readText(
  parameters: Parameters,
  name: string,
  { findFault, normalise = normaliseName }: TextRules,
  faults: Fault[],
): string | undefined {
  const text = parameters[name]
  if (text === undefined) return undefined
  const fault = findFault(text)
  if (fault === undefined) return normalise(text)
  faults.push({ path: name, message: `${fault}; got ${showValue(text)}` })
  return undefined
}

/**
 * Finds the fault of a filter by words, which are written as names are.
 *
 * @param split returns the words of a text, as the list looks them up
 */
export const findWordsFault = (text: string, split = splitWords): string | undefined =>
  findNameFault(text) ?? (split(text).length === 0 ? 'must have a letter or digit' : undefined)

/** Rules of the cursors of a list. */
interface CursorRules<Position> {
  readonly scope: ListScope
  /** Returns the position that a cursor names; undefined if the list has no such position. */
  readonly parse: (parts: readonly string[]) => Position | undefined
  /** The parameters that all pages have in common, for the fault. @default 'filters' */
  readonly shared?: string
}

/** Reads the position of `cursor`, or adds its fault. @returns undefined if it is absent or has a fault */
export function readPosition<Position>(
  { cursor }: Parameters,
  { scope, parse, shared = 'filters' }: CursorRules<Position>,
  faults: Fault[],
): Position | undefined {
  if (cursor === undefined) return undefined
  const parts = readCursor(scope, cursor)
  const position = parts && parse(parts)
  if (position === undefined)
    faults.push({
      path: 'cursor',
      message: `must be the next_cursor of a page with the same ${shared}; got ${showValue(cursor)}`,
    })
  return position
}
