import type { Fault } from '../../contract/errors.ts'
import { printable, showValue } from '../search/show-value.ts'

/** The parameters of a query string. */
export type Parameters = Readonly<Record<string, string | undefined>>

/** Items of a page: how many a client may ask for, and how many it gets by default. */
export interface PageLimits {
  readonly most: number
  readonly usual: number
}

/** Parameters that a list does not have. Ignoring a misspelt filter would widen the list. */
export function findUnknownParameters(parameters: Parameters, known: readonly string[]): readonly Fault[] {
  return Object.keys(parameters)
    .filter((name) => !known.includes(name))
    .map((name) => ({ path: printable(name), message: 'is not a parameter of this list' }))
}

/** Reads `limit`, with its fault if it has one; the default if it is left out. */
export function readLimit({ limit }: Parameters, { most, usual }: PageLimits, faults: Fault[]): number {
  if (limit === undefined) return usual
  if (/^\d{1,4}$/.test(limit) && Number(limit) >= 1 && Number(limit) <= most) return Number(limit)
  faults.push({ path: 'limit', message: `must be a whole number from 1 to ${most}; got ${showValue(limit)}` })
  return usual
}
