import type { PageLimits } from '../../contract/limits.ts'
import type { Fault } from '../../contract/search-api.ts'
import { findNameFault, normaliseName } from '../catalogue/fee-schedule.ts'
import { splitWords } from '../catalogue/finding/words.ts'
import { printable, showValue } from '../search/show-value.ts'
import { type ListScope, readCursor } from './cursor.ts'

export type Parameters = Readonly<Record<string, string | undefined>>

/** Finds unknown parameters. Ignoring a misspelt filter would widen the list. */
export function findUnknownParameters(parameters: Parameters, known: readonly string[]): readonly Fault[] {
  return Object.keys(parameters)
    .filter((name) => !known.includes(name))
    .map((name) => ({ path: printable(name), message: 'is not a parameter of this list' }))
}

/** Reads `limit` and adds its fault, if any; the default if it is absent. */
export function readLimit({ limit }: Parameters, limits: PageLimits, faults: Fault[]): number {
  if (limit === undefined) return limits.default
  if (/^\d{1,4}$/.test(limit) && Number(limit) >= 1 && Number(limit) <= limits.max) return Number(limit)
  faults.push({ path: 'limit', message: `must be a whole number from 1 to ${limits.max}; got ${showValue(limit)}` })
  return limits.default
}

/** Reads a filter as names are normalised, or adds its fault. @returns undefined if it is absent or has a fault */
export function readText(
  parameters: Parameters,
  name: string,
  findFault: (text: string) => string | undefined,
  faults: Fault[],
): string | undefined {
  const text = parameters[name]
  if (text === undefined) return undefined
  const fault = findFault(text)
  if (fault === undefined) return normaliseName(text)
  faults.push({ path: name, message: `${fault}; got ${showValue(text)}` })
  return undefined
}

/** Finds the fault of a filter by words, which are written as names are. */
export const findWordsFault = (text: string): string | undefined =>
  findNameFault(text) ?? (splitWords(text).length === 0 ? 'must have a letter or digit' : undefined)

/** Reads the place of `cursor`, or adds its fault. @returns undefined if it is absent or has a fault */
export function readPlace(
  { cursor }: Parameters,
  scope: ListScope,
  parts: number,
  faults: Fault[],
): readonly string[] | undefined {
  if (cursor === undefined) return undefined
  const place = readCursor(scope, cursor)
  if (place?.length === parts) return place
  faults.push({ path: 'cursor', message: cursorFault(cursor) })
  return undefined
}

export const cursorFault = (cursor: string): string =>
  `must be the next_cursor of a page with the same filters; got ${showValue(cursor)}`
