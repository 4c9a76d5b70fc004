/** By value: its place among the distinct ones plus `base`, or less if it is not among them. Columns share it. */
let placeOf = new Uint32Array(0)
let base = 1

/** The engine holds larger numbers as floats, which are slower. */
const maxPlace = 0x3f_ff_ff_ff

/**
 * Finds the distinct ones among values, in the order in which they come, until there are more than `most`.
 *
 * @param domain a natural number above all values
 * @param distinct gets them
 * @param places gets the place of each value among them; may be `values`
 * @returns how many there are
 */
export function findDistinct(
  values: Uint32Array,
  count: number,
  { domain, most = count }: { readonly domain: number; readonly most?: number },
  distinct: Uint32Array,
  places: Uint32Array,
): number {
  if (placeOf.length < domain) placeOf = new Uint32Array(domain)
  if (base + count > maxPlace) {
    placeOf.fill(0)
    base = 1
  }
  const size = placeEach(values, count, placeOf, base, most, distinct, places)
  base += size
  return size
}

// A loop over rows is a function that does little else: the engine compiles a function within its loop, and would
// throw the code away at the end of the loop if more came after it.
function placeEach(
  values: Uint32Array,
  count: number,
  known: Uint32Array,
  from: number,
  most: number,
  distinct: Uint32Array,
  places: Uint32Array,
): number {
  let size = 0
  for (let at = 0; at < count && size <= most; at++) {
    const value = values[at] ?? 0
    const place = known[value] ?? 0
    places[at] = place >= from ? place - from : size
    if (place >= from) continue
    known[value] = from + size
    distinct[size++] = value
  }
  return size
}
