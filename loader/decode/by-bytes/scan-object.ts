import { isUtf8 } from 'node:buffer'
import { byte, isAt, odd, passName, passValue, type ReadOne, readEach, short } from '../json/byte-scan.ts'
import type { PeekedBytes } from '../json/byte-window.ts'
import { type ParsedSlice, parseText } from './parse-slice.ts'

/**
 * Reads an object from its bytes: its long array by `read`, its other fields the ordinary way.
 *
 * @param long the name of the array, with its quotes
 * @returns the object with an empty array in place of the long one; `odd` if it must be read the ordinary way, `short` if
 * its bytes end before it
 */
export function scanObject(
  { bytes, start, end }: PeekedBytes,
  long: Buffer,
  read: ReadOne,
): ParsedSlice | typeof odd | typeof short {
  const fields: string[] = []
  let hasLong = false
  const stop = readEach(bytes, start, end, byte.braceOpen, (_bytes, field) => {
    const at = passName(bytes, field, end)
    const isLong = at >= 0 && isAt(bytes, field, long)
    if (at < 0 || (isLong && hasLong)) return Math.min(at, odd)
    const after = isLong ? read(bytes, at, end) : passValue(bytes, at, end)
    if (after < 0) return after
    hasLong ||= isLong
    const slice = isLong ? undefined : bytes.subarray(field, after)
    if (slice !== undefined && !isUtf8(slice)) return odd
    fields.push(slice === undefined ? `${long}:[]` : slice.toString())
    return after
  })
  if (stop < 0) return stop === short ? short : odd
  const parsed = hasLong ? parseText(`{${fields.join(',')}}`, true) : undefined
  return parsed === undefined ? odd : { value: parsed.value, end: stop }
}
