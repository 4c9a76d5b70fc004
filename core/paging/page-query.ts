import type { PageLimits } from '../../contract/limits.ts'
import type { Fault } from '../../contract/search-api.ts'
import { printable, showValue } from '../search/show-value.ts'

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
