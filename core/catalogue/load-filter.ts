import type { FilterLists } from '../../contract/filters.ts'
import { nameSome } from '../../schema/phrases.ts'

/**
 * The rates that a load keeps; a missing list keeps all. Searches for other rates cannot be answered from its contents.
 */
export interface LoadFilter {
  /** SHA-256 of the lists in their canonical form, in hex. */
  readonly id: string
  /** Canonical forms of billing codes. */
  readonly codes?: readonly string[]
  readonly npis?: readonly number[]
  readonly networks?: readonly string[]
}

/** The lists of a search that loads can be limited to; a missing list asks for all. */
export type Asked = Pick<FilterLists, 'billingCodes' | 'npis' | 'networks'>

const maxNamed = 5

/**
 * Finds what a filtered load lacks for a search; undefined if it covers the search. A search without a filtered list
 * asks for all of it, but for networks: a plan loaded for some of its networks has fewer rows, which name them.
 */
export function findNotLoaded({ codes, npis, networks }: LoadFilter, request: Asked): string | undefined {
  const faults = [
    describeNotLoaded('billing codes', codes, request.billingCodes),
    describeNotLoaded('NPIs', npis, request.npis),
    ...(request.networks === undefined ? [] : [describeNotLoaded('networks', networks, request.networks)]),
  ].filter((fault) => fault !== undefined)
  return faults.length === 0 ? undefined : faults.join(' and ')
}

function describeNotLoaded<Value extends string | number>(
  noun: string,
  loaded: readonly Value[] | undefined,
  searched: readonly Value[] | undefined,
): string | undefined {
  if (loaded === undefined) return undefined
  if (searched === undefined) return `only ${loaded.length} ${noun} were loaded, and this search asks for all of them`
  const loadedValues = new Set(loaded)
  const missing = searched.filter((value) => !loadedValues.has(value))
  if (missing.length === 0) return undefined
  return `the ${noun} ${nameSome(missing, maxNamed)} were not loaded`
}
