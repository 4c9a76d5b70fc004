import type { SearchRequest } from '../search/search-request.ts'

/** Which rates a load keeps: a list left out keeps all. Searches for anything else cannot be answered from it. */
export interface LoadFilter {
  /** SHA-256 of the lists in their canonical form, in hex. */
  readonly id: string
  /** Canonical forms of billing codes. */
  readonly codes?: readonly string[]
  readonly npis?: readonly number[]
  readonly networks?: readonly string[]
}

/** Most values that a message names. */
const maxNamed = 5

/**
 * Says what a search asks for that a filtered load does not have, or undefined if it covers the search. A search that
 * leaves a filtered list out asks for all of it. Searches do not name networks: a plan loaded for some of its networks is
 * narrower, and its rows name them.
 */
export function findNotLoaded({ codes, npis }: LoadFilter, request: SearchRequest): string | undefined {
  const faults = [
    describeOthers('billing codes', codes, request.billingCodes),
    describeOthers('NPIs', npis, request.npis),
  ].filter((fault) => fault !== undefined)
  return faults.length === 0 ? undefined : faults.join(' and ')
}

function describeOthers<Value extends string | number>(
  noun: string,
  loaded: readonly Value[] | undefined,
  asked: readonly Value[] | undefined,
): string | undefined {
  if (loaded === undefined) return undefined
  if (asked === undefined) return `only ${loaded.length} ${noun} were loaded, and this search asks for all of them`
  const known = new Set(loaded)
  const others = asked.filter((value) => !known.has(value))
  if (others.length === 0) return undefined
  const more = others.length > maxNamed ? ` and ${others.length - maxNamed} more` : ''
  return `the ${noun} ${others.slice(0, maxNamed).join(', ')}${more} were not loaded`
}
