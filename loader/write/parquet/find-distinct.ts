import { uint32At } from '../../../schema/at.ts'

/**
 * By value: its place in the dictionary plus `base`; a lower number if it is not in the dictionary. Columns share it.
 */
let placeOf = new Uint32Array(0)
let base = 1

/** The engine holds larger numbers as floats, which are slower. */
const maxPlace = 0x3f_ff_ff_ff

/** Arrays that `findDistinct` sets. */
export interface Distinct {
  /** The distinct values. */
  readonly distinct: Uint32Array
  /** By value: its place in `distinct`. */
  readonly places: Uint32Array
}

/**
 * Finds the distinct values, in the order in which they first occur, until there are more than `most`.
 *
 * @param domain a natural number above all values
 * @param target its `places` may be the array `values`
 * @returns number of distinct values
 */
export function findDistinct(
  values: Uint32Array,
  count: number,
  { domain, most = count }: { readonly domain: number; readonly most?: number },
  target: Distinct,
): number {
  if (placeOf.length < domain) placeOf = new Uint32Array(domain)
  if (base + count > maxPlace) {
    placeOf.fill(0)
    base = 1
  }
  const size = placeEach(values.subarray(0, count), most, { placeOf, base }, target)
  base += size
  return size
}

// A loop over rows is a function that does little else: the engine compiles a function within its loop, and would throw
// the code away at the end of the loop if more came after it.
function placeEach(
  values: Uint32Array,
  most: number,
  { placeOf, base }: { readonly placeOf: Uint32Array; readonly base: number },
  { distinct, places }: Distinct,
): number {
  let size = 0
  for (let index = 0; index < values.length && size <= most; index++) {
    const value = uint32At(values, index)
    const place = uint32At(placeOf, value)
    places[index] = place >= base ? place - base : size
    if (place >= base) continue
    placeOf[value] = base + size
    distinct[size++] = value
  }
  return size
}
