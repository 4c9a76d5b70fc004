import { isUtf8 } from 'node:buffer'
import { byte, isAt, odd, passName, type ReadOne, readEach, short } from '../json/byte-scan.ts'
import type { PeekedBytes } from '../json/byte-window.ts'
import { parsePublished } from '../json/published-number.ts'
import { ValueScan } from '../json/value-scan.ts'

export interface ParsedSlice {
  readonly value: unknown
  /** The position after the value. */
  readonly end: number
}

/** Parses an object or array in a buffer that is valid up to `end`. A slice that is not JSON in UTF-8 is `odd`. */
export function parseSlice(bytes: Buffer, start: number, end: number): ParsedSlice | typeof odd | typeof short {
  const scan = new ValueScan(start)
  if (!scan.advance(bytes, end)) return short
  const slice = bytes.subarray(start, scan.position)
  const parsed = isUtf8(slice) ? parseText(slice.toString(), scan.hasLongNumber) : undefined
  return parsed === undefined ? odd : { value: parsed.value, end: scan.position }
}

/**
 * @param exactly true if a number in the text loses characters when it is parsed as a float
 * @returns undefined if the text is not JSON
 */
export function parseText(text: string, exactly: boolean): { readonly value: unknown } | undefined {
  try {
    return { value: parsePublished(text, exactly) }
  } catch (error) {
    // Nested too deeply, or not JSON. The ordinary way reports which of the two.
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined
    throw error
  }
}

/**
 * Reads an object from its bytes: its long array with `read`, and its other fields by parsing them.
 *
 * @param long name of the array, with its quotes
 * @returns the object with an empty array in place of the long one; `odd` if it must be read the ordinary way, `short`
 *   if the bytes end first
 */
export function scanObject(
  { bytes, start, end }: PeekedBytes,
  long: Buffer,
  read: ReadOne,
): ParsedSlice | typeof odd | typeof short {
  let from = 0
  let to = 0
  let hasLongNumber = false
  const stop = readEach(bytes, start, end, byte.braceOpen, (_bytes, field) => {
    const at = passName(bytes, field, end)
    if (at < 0) return at
    if (isAt(bytes, field, long)) {
      if (to > 0) return odd
      from = at
      to = read(bytes, at, end)
      return to
    }
    const scan = new ValueScan(at)
    if (!scan.advance(bytes, end)) return short
    hasLongNumber ||= scan.hasLongNumber
    return scan.position
  })
  if (stop < 0) return stop === short ? short : odd
  const [before, after] = [bytes.subarray(start, from), bytes.subarray(to, stop)]
  const isText = to > 0 && isUtf8(before) && isUtf8(after)
  const parsed = isText ? parseText(`${before}[]${after}`, hasLongNumber) : undefined
  return parsed === undefined ? odd : { value: parsed.value, end: stop }
}
